/** Rows that are none: a row of units below the header, a row of sums at the end, a column that numbers the rows. */
/** So many rows make their sum no accident. */
const LEAST_SUMMED = 3;
/** Relative, since sums are rounded when they are written. */
const CLOSE = 1e-6;

/** What is said of a last row of sums; and what an error says more of a row that is one. */
export const LAST_IS_SUM =
  'the last row is the sum of those above it: take it out, unless it is a row like the others';
export const IS_SUM = '; the row is the sum of those above it: take it out of the file';

/** Sums of the rows so far, and whether the last row was the sum of those above it. */
export class LastRowSums {
  readonly #sums: Float64Array;
  #rows = 0;
  lastIsSum = false;

  constructor(columns: number) {
    this.#sums = new Float64Array(columns);
  }

  /** @param values undefined or NaN for cells that are no numbers */
  add(values: ArrayLike<number | undefined>): void {
    const sums = this.#sums;
    this.lastIsSum = this.isSum(values);
    for (let i = 0; i < sums.length; i += 1) sums[i]! += values[i] || 0;
    this.#rows += 1;
  }

  /** Whether the values are the sums of all rows so far; of a row with a cell that cannot be read, the others count. */
  isSum(values: ArrayLike<number | undefined>): boolean {
    if (this.#rows < LEAST_SUMMED) return false;
    let hasSum = false;
    for (let i = 0; i < values.length; i += 1) {
      const [value, sum] = [values[i], this.#sums[i]!];
      if (value === undefined || Number.isNaN(value)) continue;
      if (!(Math.abs(value - sum) <= CLOSE * Math.abs(sum))) return false;
      hasSum ||= sum !== 0;
    }
    return hasSum;
  }
}

/** Whether no cell of a row has a number, and some have words, as a second header row with units has. */
export function holdsUnits(cells: readonly string[]): boolean {
  const texts = cells.filter((cell) => cell.trim() !== '');
  return texts.length > 0 && texts.every((cell) => !/^[\s+-]*\.?\d/.test(cell));
}

/** So many rows in their order are no accident. */
const LEAST_COUNTED = 5;

/** Looks whether the cells of a column number the rows, from 0 or 1. */
export class RowCounter {
  #first: number | undefined;
  #rows = 0;
  #holds = true;

  add(cell: string): void {
    if (!this.#holds) return;
    this.#first ??= cell === '0' ? 0 : 1;
    this.#holds = cell === String(this.#first + this.#rows);
    this.#rows += 1;
  }

  /** Whether it has been so in all of them. */
  get holds(): boolean {
    return this.#holds && this.#rows > 0;
  }

  get counts(): boolean {
    return this.#holds && this.#rows >= LEAST_COUNTED;
  }
}

/** Whether the first cells of a column number the rows. */
export function countsRows(cells: readonly (string | undefined)[]): boolean {
  const counter = new RowCounter();
  for (const cell of cells) counter.add(cell ?? '');
  return counter.holds;
}
