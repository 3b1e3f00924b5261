/** Clips features to their agreed ranges, maps them to [-1, 1] and rounds them to integers of 2^-fractionBits. */

import { clippingBound } from '@eigenveil/privacy';
import { checkFeatures, type Feature, type StatisticsTask } from '@eigenveil/task';
import { clipRow } from './clip.ts';
import { StatisticsError } from './errors.ts';

/**
 * Where x lies in the feature's range: ((x − min) − (max − x)) / (max − min) in double arithmetic, with x clipped to
 * [min, max] first. This form is monotone in x, hits −1 and 1 exactly at both ends, never leaves [-1, 1] and is odd
 * about the middle of the range; (x − middle) / half has none of these when min and max are large and close together.
 * A feature with min = max maps to 0.
 */
function scaleCell({ min, max }: Feature, x: number): number {
  if (min === max) return 0;
  const clipped = x < min ? min : x > max ? max : x;
  return (clipped - min - (max - clipped)) / (max - min);
}

/**
 * Rows to discretised rows, counting the cells that had to be clipped.
 *
 * A scaled cell y becomes the integer nearest to y·2^fractionBits, halves away from zero, in
 * [-2^fractionBits, 2^fractionBits]. The product is exact, so this is the only rounding after scaling, and x and its
 * mirror image in the range become opposite integers. Under differential privacy a row that is longer than the task's
 * clipping norm is then scaled down to it.
 */
export class Discretiser {
  readonly #features: readonly Feature[];
  readonly #unit: number;
  readonly #clippedCells: number[];
  readonly #squaredBound: number;
  #clippedRows = 0;

  /** @throws ERR_TASK_INVALID, ERR_DP_PARAMETER */
  constructor(task: Pick<StatisticsTask, 'features' | 'fractionBits' | 'differentialPrivacy'>) {
    checkFeatures(task);
    const { fractionBits, differentialPrivacy: setting } = task;
    this.#squaredBound = setting
      ? Number(clippingBound({ features: task.features.length, fractionBits, setting }))
      : Infinity;
    this.#features = task.features;
    this.#unit = 2 ** task.fractionBits;
    this.#clippedCells = task.features.map(() => 0);
  }

  /** Per feature, how many of the cells seen so far lay outside its range. */
  get clippedCells(): readonly number[] {
    return [...this.#clippedCells];
  }

  /** How many of the rows seen so far were longer than the clipping norm. */
  get clippedRows(): number {
    return this.#clippedRows;
  }

  /**
   * The row as integers of 2^-fractionBits, never -0.
   * @param row one finite number per feature, in the task's order
   * @throws ERR_NOT_FINITE naming the feature; RangeError on a wrong number of cells
   */
  discretise(row: ArrayLike<number>): readonly number[] {
    if (row.length !== this.#features.length) {
      throw new RangeError(`"row" expected ${this.#features.length} cells, got ${row.length}`);
    }
    const cells = new Array<number>(row.length).fill(0);
    this.write(row, 0, cells);
    return cells;
  }

  /**
   * The same for a row among many, without making anything: reads one cell per feature from `at` on, and fills `cells`.
   * @throws ERR_NOT_FINITE, also where there are too few cells
   */
  write(rows: ArrayLike<number>, at: number, cells: number[] | Float64Array): void {
    for (let i = 0; i < this.#features.length; i += 1) {
      const feature = this.#features[i]!;
      const x = rows[at + i]!;
      if (!Number.isFinite(x)) {
        throw new StatisticsError(
          'ERR_NOT_FINITE',
          `feature ${JSON.stringify(feature.name)} expected a finite number`,
        );
      }
      if (x < feature.min || x > feature.max) this.#clippedCells[i]! += 1;
      const y = scaleCell(feature, x);
      const magnitude = Math.round(Math.abs(y) * this.#unit);
      cells[i] = y < 0 ? 0 - magnitude : magnitude;
    }
    if (this.#squaredBound < Infinity && clipRow(cells, this.#squaredBound)) this.#clippedRows += 1;
  }
}
