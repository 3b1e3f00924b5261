/** From an owner's rows, wherever they come from, to its statistics. */
import type { StatisticsTask } from '@eigenveil/task';
import { StatisticsAccumulator } from './accumulate.ts';
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
 */
export class RowAccumulator {
  readonly #discretiser: Discretiser;
  readonly #accumulator: StatisticsAccumulator;
  readonly #labels: LabelIndex;

  /**
   * @param signs of a task with `sketch`: Ω, as sketchMatrix makes it
   * @throws ERR_TASK_INVALID, ERR_DP_PARAMETER; RangeError for other signs
   */
  constructor(task: StatisticsTask, signs?: Int32Array) {
    this.#discretiser = new Discretiser(task);
    this.#accumulator = new StatisticsAccumulator(task, signs);
    this.#labels = new LabelIndex(task.labellings);
  }

  /** Number of rows added so far. */
  get rows(): number {
    return this.#accumulator.rows;
  }

  /** Per feature, how many cells so far lay outside its range and were clipped. */
  get clippedCells(): readonly number[] {
    return this.#discretiser.clippedCells;
  }

  /** How many rows so far were longer than the clipping norm and were scaled down; none without differential privacy. */
  get clippedRows(): number {
    return this.#discretiser.clippedRows;
  }

  /**
   * @param values one finite number per feature, in the task's order and units
   * @param labels one per labelling of the task, in its order; none for PCA
   * @throws ERR_NOT_FINITE, ERR_UNKNOWN_CLASS, ERR_TOO_MANY_ROWS; RangeError on another number of cells or labels. The row is not added then.
   */
  add(values: ArrayLike<number>, labels: readonly string[] = []): void {
    this.addClassed(values, this.#labels.classesOf(labels));
  }

  /** The same with the indices of classes in place of their labels. */
  addClassed(values: ArrayLike<number>, classes: readonly number[]): void {
    this.#accumulator.add(this.#discretiser.discretise(values), classes);
  }

  /**
   * Of the rows so far, as a contribution of one owner.
   * @throws ERR_NO_ROWS
   */
  statistics(): Statistics {
    return this.#accumulator.statistics();
  }
}
