/** One server's additive shares of the statistics of a discriminant task. */
import { unflatten } from '@eigenveil/statistics';
import type { StatisticsTask } from '@eigenveil/task';
import { type Matrix, transpose } from '../matrices.ts';
import { checkShares } from '../shares.ts';

export interface PencilShares {
  /** Upper triangle, row by row; empty for MDR. */
  readonly R: readonly bigint[];
  /** Sums of rows by class, d × classes, of all labellings side by side, the first one's first. */
  readonly V: Matrix;
  /** Of the first labelling, d × classes. */
  readonly groups: Matrix;
  /** Numbers of rows by labelling and class. */
  readonly M: readonly (readonly bigint[])[];
  readonly owners: bigint;
}

/** @throws RangeError when a share is not in [0, 2^ringBits), and the errors of `unflatten` */
export function pencilShares(
  task: StatisticsTask,
  shares: readonly bigint[],
  ringBits: number,
): PencilShares {
  checkShares(shares, ringBits);
  const { R, labellings, owners } = unflatten(task, shares);
  return {
    R,
    V: transpose(labellings.flat().map(({ V }) => V)),
    groups: transpose(labellings[0]!.map(({ V }) => V)),
    M: labellings.map((classes) => classes.map(({ M }) => M)),
    owners,
  };
}

/** Sums of all rows, from those of the first labelling's classes: integers, not reduced. */
export function totalOf(groups: Matrix): bigint[] {
  return groups.map((row) => row.reduce((sum, entry) => sum + entry, 0n));
}
