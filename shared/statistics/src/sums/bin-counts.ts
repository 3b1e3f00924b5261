/**
 * Counts rows by bins, for a histogram task: every row is in one bin per feature, or among that feature's
 * cells that are no number.
 */
import type { Sums } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import { checkStatisticsTask, type StatisticsTask } from '@eigenveil/task';
import { STATISTICS_CODES } from '../codes.ts';
import { rowTerm } from '../csv/reading-terms.ts';
import { tooManyRows } from './row-limit.ts';
import type { Statistics } from './statistics.ts';

export class BinCounts {
  /** No row is scaled down. */
  readonly clippedRows = 0;
  /** The edges of each feature's histogram, and its place among the counts. */
  readonly #features: readonly { readonly edges: Float64Array; readonly from: number }[];
  readonly #counts: Float64Array;
  readonly #clippedCells: Float64Array;
  readonly #maximumRows: number;
  #rows = 0;

  /**
   * @param counts the counts of the task's method
   * @throws ERR_TASK_INVALID
   */
  constructor(task: StatisticsTask, counts: Sums['counts']) {
    checkStatisticsTask(task);
    const { features, maximumSamplesPerOwner } = task;
    const places = new Array<{ edges: Float64Array; from: number }>(features.length);
    let from = 0;
    for (const { features: counted, values, edges: edgesOf } of counts) {
      const edges = Float64Array.from(edgesOf());
      for (const i of counted) places[i] = { edges, from };
      from += values;
    }
    this.#features = places;
    this.#counts = new Float64Array(from);
    this.#clippedCells = new Float64Array(features.length);
    this.#maximumRows = maximumSamplesPerOwner;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Says for each feature how many cells lay beyond its range, and so are in the first or last bin. */
  get clippedCells(): readonly number[] {
    return [...this.#clippedCells];
  }

  /**
   * @param values one number per feature; NaN and infinite ones are counted as unreadable
   * @throws ERR_TOO_MANY_ROWS; RangeError on another number of cells
   */
  add(values: ArrayLike<number>): void {
    const features = this.#features;
    if (values.length !== features.length)
      throw new RangeError(`"row" expected ${features.length} cells, got ${values.length}`);
    if (this.#rows === this.#maximumRows) throw tooManyRows(this.#maximumRows);
    this.#rows += 1;
    for (let i = 0; i < features.length; i += 1) {
      const { edges, from } = features[i]!;
      const x = values[i]!;
      const bins = edges.length - 1;
      if (!Number.isFinite(x)) {
        this.#counts[from + bins]! += 1;
        continue;
      }
      if (x < edges[0]! || x > edges[bins]!) this.#clippedCells[i]! += 1;
      this.#counts[from + binOf(edges, x)]! += 1;
    }
  }

  /**
   * Returns the statistics of the rows so far, as a contribution of one owner.
   * @throws ERR_NO_ROWS
   */
  statistics(): Statistics {
    if (this.#rows === 0)
      throw new CodedError(
        STATISTICS_CODES.ERR_NO_ROWS,
        rowTerm('noRows', 'expected at least one row, got none'),
      );
    return { R: [], counts: Array.from(this.#counts, BigInt), labellings: [], owners: 1n };
  }
}

/**
 * The bin with the last edge that is at most x; the first for what lies before it, and the last for what lies
 * behind.
 */
function binOf(edges: Float64Array, x: number): number {
  let [low, high] = [0, edges.length - 2];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (edges[middle]! <= x) low = middle;
    else high = middle - 1;
  }
  return low;
}
