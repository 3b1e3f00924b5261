/** Finds where labels stand among the classes of a task. */

import type { Labelling } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import { STATISTICS_CODES } from '../codes.ts';

/**
 * Labels are classes to the letter.
 * @example
 * import { LabelIndex } from '@eigenveil/statistics';
 *
 * const index = new LabelIndex([{ column: 'species', classes: ['setosa', 'virginica'] }]);
 * index.classesOf(['virginica']); // → [1]
 */
export class LabelIndex {
  readonly #columns: readonly string[];
  readonly #classes: readonly ReadonlyMap<string, number>[];

  constructor(labellings: readonly Labelling[]) {
    this.#columns = labellings.map(({ column }) => column);
    this.#classes = labellings.map(({ classes }) => new Map(classes.map((text, k) => [text, k])));
  }

  /** The index of a class of labelling `l`; undefined for what is none. */
  find(label: string, l: number): number | undefined {
    return this.#classes[l]!.get(label);
  }

  /**
   * The classes of one row.
   * @param labels one per labelling of the task, in its order
   * @throws ERR_UNKNOWN_CLASS naming the labelling; RangeError on another number of labels
   */
  classesOf(labels: readonly string[]): number[] {
    if (labels.length !== this.#columns.length)
      throw new RangeError(`"labels" expected ${this.#columns.length} of them, got ${labels.length}`);
    return labels.map((label, l) => {
      const index = this.find(label, l);
      if (index !== undefined) return index;
      throw new CodedError(
        STATISTICS_CODES.ERR_UNKNOWN_CLASS,
        `the label of ${JSON.stringify(this.#columns[l])} expected one of the task's ${this.#classes[l]!.size} classes`,
      );
    });
  }
}
