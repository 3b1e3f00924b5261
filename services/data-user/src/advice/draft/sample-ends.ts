/** A value that alone makes an end of a column's range: an outlier, or a number that stands for a missing one. */

/** A number for a missing value is told if it widens the rest of the range by so much of it, or lies on the other side of 0. */
const LEAST_GAP = 1 / 20;
/** Any other value is told if it makes nine tenths of the range. */
const LEAST_OUTLIER = 9;
/** With fewer different values there is no rest that one could stand out of. */
const FEWEST_VALUES = 4;

/** The outermost values of a column, and those next to them. */
export class Ends {
  #least = Infinity;
  #afterLeast = Infinity;
  #greatest = -Infinity;
  #beforeGreatest = -Infinity;
  /** Different values, as long as they are few. */
  readonly #few = new Set<number>();

  add(value: number): void {
    if (this.#few.size < FEWEST_VALUES) this.#few.add(value);
    if (value < this.#least) {
      this.#afterLeast = this.#least;
      this.#least = value;
    } else if (value > this.#least && value < this.#afterLeast) this.#afterLeast = value;
    if (value > this.#greatest) {
      this.#beforeGreatest = this.#greatest;
      this.#greatest = value;
    } else if (value < this.#greatest && value > this.#beforeGreatest) this.#beforeGreatest = value;
  }

  /** What is to be told of the column; undefined where no value stands out. */
  remark(title: string): string | undefined {
    if (this.#few.size < FEWEST_VALUES) return undefined;
    const low = this.#standsOut(this.#least, this.#afterLeast, this.#greatest);
    const high = this.#standsOut(this.#greatest, this.#beforeGreatest, this.#least);
    if (!low && !high) return undefined;
    const end = low ? (high ? 'both ends' : 'the lower end') : 'the upper end';
    return `a single value alone makes ${end} of the range of ${title}: if it stands for a missing one, name it with --missing-values; if it is an outlier, write another range into the draft`;
  }

  #standsOut(end: number, next: number, other: number): boolean {
    const rest = Math.abs(other - next);
    const gap = Math.abs(next - end);
    if (gap > LEAST_OUTLIER * rest) return true;
    // Below numbers of which none is less than 0.
    if (end === -1) return next >= 0;
    if (!standsForNothing(end)) return false;
    return gap > LEAST_GAP * rest || (end < 0 && next >= 0);
  }
}

/** Whether programs write the number for a missing one: nines alone, or the end of an integer's range. */
function standsForNothing(value: number): boolean {
  return /^-?9{2,}$/.test(String(value)) || [-32768, 32767, -2147483648, 2147483647].includes(value);
}
