/**
 * Sums discretised rows into R, or Y of a sketch, and per-class V and M, exactly, in memory that does not
 * grow with the rows.
 */

import { methodOf } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import { clippingBound } from '@eigenveil/privacy';
import { checkStatisticsTask, type StatisticsTask, stageTaskOf, summedClasses } from '@eigenveil/task';
import { STATISTICS_CODES } from '../codes.ts';
import { rowTerm } from '../csv/reading-terms.ts';
import { squaredLength } from './clip.ts';
import { type ProductSums, ROWS_PER_PASS, rowsPerFlush, SketchSums, Sums, TriangleSums } from './products.ts';
import { tooManyRows } from './row-limit.ts';
import type { ClassSums, Statistics } from './statistics.ts';

/**
 * One owner's statistics, one row at a time.
 * @example
 * import { Discretiser, StatisticsAccumulator } from '@eigenveil/statistics';
 *
 * const discretiser = new Discretiser(task);
 * const accumulator = new StatisticsAccumulator(task);
 * for (const row of rows) accumulator.add(discretiser.discretise(row), []);
 * const { R, labellings } = accumulator.statistics();
 */
export class StatisticsAccumulator {
  readonly #dimension: number;
  readonly #largestCell: number;
  readonly #maximumRows: number;
  readonly #squaredBound: number;
  readonly #rowsPerFlush: number;
  readonly #classCounts: readonly number[];
  readonly #labelled: boolean;
  readonly #isSketch: boolean;
  readonly #products: ProductSums | undefined;
  readonly #V: readonly (readonly Sums[])[];
  readonly #M: readonly number[][];
  readonly #pass: Float64Array;
  #rowsInPass = 0;
  #rowsSinceFlush = 0;
  #rows = 0;

  /**
   * @param signs of a task with `sketch`: Ω, as sketchMatrix makes it
   * @throws ERR_TASK_INVALID, ERR_DP_PARAMETER; RangeError for other signs
   */
  constructor(task: StatisticsTask, signs?: Int32Array) {
    checkStatisticsTask(task);
    const d = task.features.length;
    this.#dimension = d;
    this.#largestCell = 2 ** task.fractionBits;
    this.#maximumRows = task.maximumSamplesPerOwner;
    const stage = stageTaskOf(task);
    this.#squaredBound = stage ? Number(clippingBound(stage)) : Infinity;
    this.#classCounts = summedClasses(task);
    this.#labelled = task.labellings.length > 0;
    this.#isSketch = task.sketch !== undefined;
    this.#products = productSums(task, signs);
    this.#rowsPerFlush = this.#products?.rowsPerFlush ?? rowsPerFlush(task.fractionBits);
    this.#V = this.#classCounts.map((count) => Array.from({ length: count }, () => new Sums(d)));
    this.#M = this.#classCounts.map((count) => new Array<number>(count).fill(0));
    this.#pass = new Float64Array(ROWS_PER_PASS * d);
  }

  /** Number of rows added so far. */
  get rows(): number {
    return this.#rows;
  }

  /**
   * Adds one row.
   * @param row d integers in [-2^fractionBits, 2^fractionBits], as the discretiser makes them; under
   *   differential privacy no longer than the clipping norm
   * @param classes per labelling of the task the index of the row's class; empty for PCA
   * @throws ERR_TOO_MANY_ROWS; RangeError on a wrong cell, class or length. Nothing is added then.
   */
  add(row: ArrayLike<number>, classes: readonly number[]): void {
    this.#check(row, classes);
    const d = this.#dimension;
    this.#pass.set(row, this.#rowsInPass * d);
    for (let l = 0; l < this.#V.length; l++) {
      const k = this.#labelled ? classes[l]! : 0;
      const V = this.#V[l]![k]!.fast;
      for (let i = 0; i < d; i++) V[i]! += row[i]!;
      this.#M[l]![k]! += 1;
    }
    this.#rows += 1;
    this.#rowsInPass += 1;
    this.#rowsSinceFlush += 1;
    if (this.#rowsInPass === ROWS_PER_PASS) this.#multiply();
    if (this.#rowsSinceFlush === this.#rowsPerFlush) this.#flush();
  }

  /**
   * The statistics of the rows so far, as a contribution of one owner; classes without rows are zero.
   * @throws ERR_NO_ROWS
   */
  statistics(): Statistics {
    if (this.#rows === 0)
      throw new CodedError(
        STATISTICS_CODES.ERR_NO_ROWS,
        rowTerm('noRows', 'expected at least one row, got none'),
      );
    this.#multiply();
    this.#flush();
    const products = this.#products?.values() ?? [];
    return {
      R: this.#isSketch ? [] : products,
      ...(this.#isSketch && { Y: products }),
      labellings: this.#V.map((sums, l) =>
        sums.map((sum, k): ClassSums => ({ V: sum.values(), M: BigInt(this.#M[l]![k]!) })),
      ),
      owners: 1n,
    };
  }

  #check(row: ArrayLike<number>, classes: readonly number[]): void {
    if (row.length !== this.#dimension) {
      throw new RangeError(`"row" expected ${this.#dimension} cells, got ${row.length}`);
    }
    for (let i = 0; i < row.length; i++) {
      const cell = row[i]!;
      if (!(Math.abs(cell) <= this.#largestCell) || !Number.isInteger(cell)) {
        throw new RangeError(`"row[${i}]" expected an integer of magnitude at most ${this.#largestCell}`);
      }
    }
    if (this.#squaredBound < Infinity && squaredLength(row) > this.#squaredBound) {
      throw new RangeError('"row" expected no longer than the clipping norm');
    }
    const labellings = this.#labelled ? this.#classCounts.length : 0;
    if (classes.length !== labellings) {
      throw new RangeError(`"classes" expected ${labellings} indices, got ${classes.length}`);
    }
    for (let l = 0; l < labellings; l++) {
      const k = classes[l]!;
      if (!Number.isInteger(k) || k < 0 || k >= this.#classCounts[l]!) {
        throw new RangeError(`"classes[${l}]" expected an index below ${this.#classCounts[l]}`);
      }
    }
    if (this.#rows === this.#maximumRows) throw tooManyRows(this.#maximumRows);
  }

  /** Adds the products of the rows in the pass. */
  #multiply(): void {
    // Rows that are missing from the last pass count as zeros.
    this.#pass.fill(0, this.#rowsInPass * this.#dimension);
    this.#rowsInPass = 0;
    this.#products?.add(this.#pass);
  }

  #flush(): void {
    this.#products?.flush();
    for (const sums of this.#V.flat()) sums.flush();
    this.#rowsSinceFlush = 0;
  }
}

function productSums(task: StatisticsTask, signs: Int32Array | undefined): ProductSums | undefined {
  const { R, columns } = methodOf(task).sums(task);
  if (columns > 0) return new SketchSums(task, signs);
  return R ? new TriangleSums(task.features.length, task.fractionBits) : undefined;
}
