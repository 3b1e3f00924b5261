/**
 * Rows that are odd: a row of units below the header, a row of sums at the end, a column that numbers the
 * rows, a row with another number of cells than the header row.
 */

import { type Words, words } from '@eigenveil/platform';
import { SEPARATORS, type Separator } from './reading-options.ts';
import { rowOption, rowTerm } from './reading-terms.ts';

/** The least number of rows whose sum is no accident. */
const LEAST_SUMMED = 3;
/** The relative deviation that is allowed, since sums are rounded when they are written. */
const CLOSE = 1e-6;

/** The words for a last row of sums; and those that an error adds about a row that is one. */
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

  /**
   * Says whether the values are the sums of all rows so far; of a row with a cell that cannot be read, the
   * others count.
   */
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

/** Says whether no cell of a row has a number, and some have words, as a second header row with units has. */
export function holdsUnits(cells: readonly string[]): boolean {
  const texts = cells.filter((cell) => cell.trim() !== '');
  return texts.length > 0 && texts.every((cell) => !/^[\s+-]*\.?\d/.test(cell));
}

/** The least number of rows whose order is no accident. */
const LEAST_COUNTED = 5;

/** Checks whether the cells of a column number the rows, from 0 or 1. */
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

  /** Says whether it has been so in all of them. */
  get holds(): boolean {
    return this.#holds && this.#rows > 0;
  }

  get counts(): boolean {
    return this.#holds && this.#rows >= LEAST_COUNTED;
  }
}

/** Says whether the first cells of a column number the rows. */
export function countsRows(cells: readonly (string | undefined)[]): boolean {
  const counter = new RowCounter();
  for (const cell of cells) counter.add(cell ?? '');
  return counter.holds;
}

/**
 * Says in words that a row has another width than the header row, and what may have made it so.
 * @param header how many names the header row has
 */
export function widthProblem(
  header: number,
  cells: readonly (string | undefined)[],
  separator: Separator | undefined,
): Words {
  const names = header === 1 ? '1 cell' : `${header} cells`;
  const found = String(cells.length);
  const problem = words`${rowTerm('cellsWanted', `expected ${names}`, names)}${rowTerm('cellsFound', `, got ${found}`, found)}`;
  const cause = likelyCause(header, cells, separator);
  return cause === undefined ? problem : words`${problem}; ${cause}`;
}

function likelyCause(
  header: number,
  cells: readonly (string | undefined)[],
  separator: Separator = 'comma',
): Words | string | undefined {
  if (cells.some((cell) => cell?.endsWith('\\') === true))
    return words`a cell ends in a backslash: ${rowTerm('escape', 'see --escape backslash')}`;
  if (cells.length === 1) {
    const text = cells[0] ?? '';
    const other = Object.entries(SEPARATORS).find(
      ([name, sign]) => name !== separator && text.split(sign).length === header,
    );
    return (
      other &&
      words`its cells are separated otherwise than those of the header row, as ${rowOption('separator', other[0])} reads`
    );
  }
  if (cells.length === header + 1)
    return cells.at(-1) === ''
      ? 'its last cell is empty: there is a separator at its end'
      : 'where names of rows stand before the cells, as R writes them, the header row needs a name for them, too';
  return cells.length > header
    ? rowTerm('aboveHeader', 'lines that stand above the header row are passed over by --skip-lines')
    : undefined;
}
