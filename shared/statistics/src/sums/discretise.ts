/**
 * Clips features to their agreed ranges, maps them to [-1, 1] and rounds them to integers of 2^-fractionBits.
 */

import type { Feature } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import { clippingBound } from '@eigenveil/privacy';
import { checkFeatures, type StatisticsTask } from '@eigenveil/task';
import { STATISTICS_CODES } from '../codes.ts';
import { clipRow } from './clip.ts';

/**
 * Returns the place where x, clipped to [min, max], lies in the feature's range: ((x − min) − (max − x)) /
 * (max − min) in double arithmetic. This form is monotone in x, hits −1 and 1 exactly at both ends, never
 * leaves [-1, 1] and is odd about the middle of the range; (x − middle) / half has none of these when min and
 * max are large and close together. A feature with min = max maps to 0.
 */
export function scaleCell(min: number, max: number, clipped: number): number {
  return min === max ? 0 : (clipped - min - (max - clipped)) / (max - min);
}

const fraction = (v: number) => v - Math.trunc(v);

/**
 * The nearest integer, halves away from zero, never -0; of a magnitude below 2^51. Of k + f it makes k + 2f,
 * of which the whole part is what is asked for. Each step is exact, and needs no branch on the sign of a
 * cell, which is guessed wrong half of the time.
 */
function roundHalfAway(v: number): number {
  const doubled = v + fraction(v);
  return doubled - fraction(doubled);
}

/**
 * Rows to discretised rows, counting the cells that had to be clipped.
 *
 * A scaled cell y becomes the integer nearest to y·2^fractionBits, halves away from zero, in
 * [-2^fractionBits, 2^fractionBits]. The product is exact, so this is the only rounding after scaling, and x
 * and its mirror image in the range become opposite integers. Under differential privacy a row that is longer
 * than the task's clipping norm is then scaled down to it.
 */
export class Discretiser {
  readonly #features: readonly Feature[];
  /** Ends of ranges, which each cell needs: several times faster than members of objects. */
  readonly #least: Float64Array;
  readonly #most: Float64Array;
  readonly #unit: number;
  readonly #clippedCells: Float64Array;
  readonly #squaredBound: number;
  #clippedRows = 0;

  /** @throws ERR_TASK_INVALID, ERR_DP_PARAMETER */
  constructor(task: Pick<StatisticsTask, 'features' | 'fractionBits' | 'differentialPrivacy'>) {
    checkFeatures(task);
    const { fractionBits, differentialPrivacy: setting } = task;
    this.#squaredBound = Infinity;
    if (setting !== undefined && setting !== null) {
      const { clippingNorm } = setting;
      if (clippingNorm === null) throw new RangeError('"clippingNorm" expected a number, got null');
      const clipped = { ...setting, clippingNorm };
      this.#squaredBound = Number(
        clippingBound({ features: task.features.length, fractionBits, setting: clipped }),
      );
    }
    this.#features = task.features;
    this.#least = Float64Array.from(task.features, ({ min }) => min);
    this.#most = Float64Array.from(task.features, ({ max }) => max);
    this.#unit = 2 ** task.fractionBits;
    this.#clippedCells = new Float64Array(task.features.length);
  }

  /** Says for each feature how many of the cells seen so far lay outside its range. */
  get clippedCells(): readonly number[] {
    return [...this.#clippedCells];
  }

  /** Says how many of the rows seen so far were longer than the clipping norm. */
  get clippedRows(): number {
    return this.#clippedRows;
  }

  /**
   * The row as integers of 2^-fractionBits, never -0.
   * @param row one finite number per feature, in the task's order
   * @throws ERR_NOT_FINITE naming the feature, also for a value that is not a number (null, a text of
   *   digits); RangeError on a wrong number of cells
   */
  discretise(row: ArrayLike<number>): readonly number[] {
    const cells = new Array<number>(row.length).fill(0);
    this.discretiseInto(row, cells);
    return cells;
  }

  /**
   * Does the same without making anything: doubles are several times faster to work on than what `discretise`
   * makes.
   */
  discretiseInto(row: ArrayLike<number>, cells: number[] | Float64Array): void {
    if (row.length !== this.#features.length) {
      throw new RangeError(`"row" expected ${this.#features.length} cells, got ${row.length}`);
    }
    this.write(row, 0, cells);
  }

  /**
   * Does the same for a row among many: it reads one cell per feature from `at` on, and fills `cells`.
   * @throws ERR_NOT_FINITE, also where there are too few cells
   */
  write(rows: ArrayLike<number>, at: number, cells: number[] | Float64Array): void {
    const least = this.#least;
    const most = this.#most;
    const unit = this.#unit;
    for (let i = 0; i < least.length; i += 1) {
      const x = rows[at + i]!;
      const min = least[i]!;
      const max = most[i]!;
      let clipped = x;
      // The comparison holds for cells in the range alone, and so for no NaN; but JavaScript compares null
      // and '' as 0.
      if (!(typeof x === 'number' && x >= min && x <= max)) {
        if (!Number.isFinite(x)) throw this.#notFinite(i);
        this.#clippedCells[i]! += 1;
        clipped = x < min ? min : max;
      }
      const y = scaleCell(min, max, clipped);
      cells[i] = roundHalfAway(y * unit);
    }
    if (this.#squaredBound < Infinity && clipRow(cells, this.#squaredBound)) this.#clippedRows += 1;
  }

  #notFinite(i: number): CodedError {
    const { name } = this.#features[i]!;
    return new CodedError(
      STATISTICS_CODES.ERR_NOT_FINITE,
      `feature ${JSON.stringify(name)} expected a finite number`,
    );
  }
}
