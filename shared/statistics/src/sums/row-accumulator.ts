/** Sums an owner's rows, wherever they come from, to its statistics. */
import { methodOf } from '@eigenveil/methods';
import { type StatisticsTask, takesOwnFloor } from '@eigenveil/task';
import { type FoundGrains, GrainWatch } from '../grain/grain.ts';
import { StatisticsAccumulator } from './accumulate.ts';
import { BinCounts } from './bin-counts.ts';
import { Discretiser } from './discretise.ts';
import { LabelIndex } from './label-index.ts';
import type { Statistics } from './statistics.ts';

/**
 * Clips, scales, rounds and sums rows, one at a time, and keeps none of them.
 * @example
 * import { RowAccumulator } from '@eigenveil/statistics';
 *
 * const accumulator = new RowAccumulator(task);
 * for (const row of rows) accumulator.add(row);
 * const statistics = accumulator.statistics();
 * const outside = accumulator.clippedCells; // per feature
 * const grains = accumulator.grains(); // for the owner's own floor
 */
export class RowAccumulator {
  readonly #sums: Summing;
  readonly #labels: LabelIndex;
  readonly #grains: GrainWatch | undefined;

  /**
   * @param signs of a task with `sketch`: Ω, as sketchMatrix makes it
   * @throws ERR_TASK_INVALID, ERR_DP_PARAMETER; RangeError for other signs
   */
  constructor(task: StatisticsTask, signs?: Int32Array) {
    const { counts } = methodOf(task).sums(task);
    this.#sums = counts.length > 0 ? new BinCounts(task, counts) : new DiscretisedSums(task, signs);
    this.#labels = new LabelIndex(task.labellings);
    if (takesOwnFloor(task)) this.#grains = new GrainWatch(task.features);
  }

  /** Number of rows added so far. */
  get rows(): number {
    return this.#sums.rows;
  }

  /**
   * Says for each feature how many cells so far lay outside its range and were clipped; of a histogram,
   * counted in its first or last bin.
   */
  get clippedCells(): readonly number[] {
    return this.#sums.clippedCells;
  }

  /**
   * Says how many rows so far were longer than the clipping norm and were scaled down; none without
   * differential privacy.
   */
  get clippedRows(): number {
    return this.#sums.clippedRows;
  }

  /**
   * @param values one finite number per feature, in the task's order and units; for a histogram any number,
   *   of which those that are not finite count as unreadable
   * @param labels one per labelling of the task, in its order; none for PCA
   * @throws ERR_NOT_FINITE, ERR_UNKNOWN_CLASS, ERR_TOO_MANY_ROWS; RangeError on another number of cells or
   *   labels. The row is not added then.
   */
  add(values: ArrayLike<number>, labels: readonly string[] = []): void {
    this.addClassed(values, this.#labels.classesOf(labels));
  }

  /** Adds the same row with the indices of classes in place of their labels. */
  addClassed(values: ArrayLike<number>, classes: readonly number[]): void {
    this.#sums.add(values, classes);
    this.#grains?.add(values);
  }

  /**
   * Returns the statistics of the rows so far, as a contribution of one owner.
   * @throws ERR_NO_ROWS
   */
  statistics(): Statistics {
    return this.#sums.statistics();
  }

  /**
   * Says how far the values of the rows so far lie apart, for a task that an owner may have to add a floor of
   * its own to; undefined of other tasks and of few rows.
   */
  grains(): FoundGrains | undefined {
    return this.#grains?.found();
  }
}

/** Sums rows of one kind of task. */
interface Summing {
  readonly rows: number;
  readonly clippedCells: readonly number[];
  readonly clippedRows: number;
  add(values: ArrayLike<number>, classes: readonly number[]): void;
  statistics(): Statistics;
}

class DiscretisedSums implements Summing {
  readonly #discretiser: Discretiser;
  readonly #accumulator: StatisticsAccumulator;
  readonly #cells: Float64Array;

  constructor(task: StatisticsTask, signs: Int32Array | undefined) {
    this.#discretiser = new Discretiser(task);
    this.#accumulator = new StatisticsAccumulator(task, signs);
    this.#cells = new Float64Array(task.features.length);
  }

  get rows(): number {
    return this.#accumulator.rows;
  }

  get clippedCells(): readonly number[] {
    return this.#discretiser.clippedCells;
  }

  get clippedRows(): number {
    return this.#discretiser.clippedRows;
  }

  add(values: ArrayLike<number>, classes: readonly number[]): void {
    this.#discretiser.discretiseInto(values, this.#cells);
    this.#accumulator.add(this.#cells, classes);
  }

  statistics(): Statistics {
    return this.#accumulator.statistics();
  }
}
