/** The place of each value of a task's statistics in their one flat order. */

import { methodOf } from '@eigenveil/methods';
import type { StatisticsTask } from './statistics-task.ts';

type Shape = Pick<StatisticsTask, 'method' | 'features' | 'labellings' | 'sketch'>;

/** The values from `from` up to `to` of the flat statistics. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Where each value stands: R or Y, then per labelling and class V and M, or the counts of histograms alone,
 * then the number of owners.
 */
export interface Places {
  /** Upper triangle, row by row (i <= j); empty for MDR and for a sketch. */
  readonly R: Span;
  /**
   * The d × l values of a sketch, row by row: one row per feature, one value per column of Ω. Empty
   * otherwise.
   */
  readonly Y: Span;
  /**
   * The counts of histograms: for each the counts of its bins, and then of cells that are not a number
   * (`histogramsOf`). Empty otherwise.
   */
  readonly counts: Span;
  /**
   * Per labelling, per class; PCA has one labelling with one class that holds all rows, a histogram none. M
   * and `owners` are one value each.
   */
  readonly labellings: readonly (readonly { readonly V: Span; readonly M: Span }[])[];
  readonly owners: Span;
  /** Number of values. */
  readonly length: number;
}

/**
 * @example
 * import { placesOf } from '@eigenveil/task';
 *
 * const features = ['age', 'pulse'].map((name) => ({ name, min: 0, max: 200 }));
 * const { R, owners, length } = placesOf({ method: { kind: 'pca' }, features, labellings: [] });
 * [R, owners, length]; // → [{ from: 0, to: 3 }, { from: 6, to: 7 }, 7]
 */
export function placesOf(task: Shape): Places {
  const d = task.features.length;
  let next = 0;
  const take = (count: number): Span => {
    const from = next;
    next += count;
    return { from, to: next };
  };
  const sums = methodOf(task).sums(task);
  const R = take(sums.R ? (d * (d + 1)) / 2 : 0);
  const Y = take(d * sums.columns);
  const counts = take(sums.counts.reduce((total, { values }) => total + values, 0));
  const labellings = sums.classes.map((classes) =>
    Array.from({ length: classes }, () => ({ V: take(d), M: take(1) })),
  );
  const owners = take(1);
  return { R, Y, counts, labellings, owners, length: next };
}
