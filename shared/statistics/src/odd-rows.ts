/** Rows that are none: a row of units below the header, a row of sums at the end, a column that numbers the rows. */
import { parseDecimal } from './number.ts';

/** So many rows make their sum no accident. */
const LEAST_SUMMED = 3;
/** Relative, since sums are rounded when they are written. */
const CLOSE = 1e-6;

/** Sums of the rows so far, and whether the last row was the sum of those above it. */
export class LastRowSums {
  readonly #sums: Float64Array;
  #rows = 0;
  lastIsSum = false;

  constructor(columns: number) {
    this.#sums = new Float64Array(columns);
  }

  /** @param values undefined for cells that are no numbers */
  add(values: readonly (number | undefined)[]): void {
    this.lastIsSum = this.isSum(values);
    for (let i = 0; i < values.length; i += 1) this.#sums[i]! += values[i] ?? 0;
    this.#rows += 1;
  }

  /** Whether the values are the sums of all rows so far; of a row with a cell that cannot be read, the others count. */
  isSum(values: readonly (number | undefined)[]): boolean {
    if (this.#rows < LEAST_SUMMED) return false;
    let hasSum = false;
    for (let i = 0; i < values.length; i += 1) {
      const [value, sum] = [values[i], this.#sums[i]!];
      if (value === undefined) continue;
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

/** Whether the cells of a column number the rows, from 0 or 1. */
export function countsRows(cells: readonly (string | undefined)[]): boolean {
  const first = parseDecimal(cells[0] ?? '');
  return (first === 0 || first === 1) && cells.every((cell, k) => cell === String(first + k));
}
