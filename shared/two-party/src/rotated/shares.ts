/** One server's additive shares of the statistics: of a PCA modulo 2^ℓ, and of a discriminant task. */
import type { IntegerList } from '@eigenveil/platform';
import { unflattenComputed } from '@eigenveil/statistics';
import type { StatisticsTask } from '@eigenveil/task';
import { type Matrix, transpose } from './matrices.ts';

export interface StatisticsShares {
  /** Upper triangle, row by row. Integers, valid in any ring, as V's are. */
  readonly R: readonly bigint[];
  readonly V: readonly bigint[];
  /**
   * The shares of the sums of rows that a declared mean is made of: with a floor, V with noise and more
   * fraction bits. Elements of the ring.
   */
  readonly sums: readonly bigint[];
  readonly Q: bigint;
  readonly owners: bigint;
}

/** @throws RangeError when a share is not in [0, 2^ringBits), and the errors of `unflattenComputed` */
export function statisticsShares(
  task: StatisticsTask,
  shares: IntegerList,
  ringBits: number,
): StatisticsShares {
  checkShares(shares, ringBits);
  const { R, labellings, owners, noisedSums } = unflattenComputed(task, shares);
  const { V, M } = labellings[0]![0]!;
  const [sums = V] = noisedSums?.flat() ?? [];
  return { R: asIntegers(R, ringBits), V: asIntegers(V, ringBits), sums, Q: M, owners };
}

/**
 * The short integers that unblinding, the floor's shift and its noise left, from elements of the ring that
 * they were reduced to.
 */
export function asIntegers(shares: readonly bigint[], ringBits: number): bigint[] {
  return shares.map((share) => BigInt.asIntN(ringBits, share));
}

/** @throws RangeError when a share is not in [0, 2^ringBits) */
export function checkShares(shares: IntegerList, ringBits: number): void {
  for (const share of shares)
    if (BigInt.asUintN(ringBits, share) !== share)
      throw new RangeError(`"shares" expected elements of a ring of ${ringBits} bits`);
}

/** All except M and the number of owners are integers, valid in any ring. */
export interface PencilShares {
  /** Upper triangle, row by row; empty for MDR. */
  readonly R: readonly bigint[];
  /**
   * Sums of rows by class, d × classes, of all labellings side by side, the first one's first. With a floor
   * those with noise, and before them, where there is R, those without.
   */
  readonly V: Matrix;
  /** The sums of the first labelling, d × classes; with a floor those with noise. */
  readonly groups: Matrix;
  /** Numbers of rows by labelling and class. */
  readonly M: readonly (readonly bigint[])[];
  readonly owners: bigint;
}

/** @throws RangeError when a share is not in [0, 2^ringBits), and the errors of `unflattenComputed` */
export function pencilShares(task: StatisticsTask, shares: IntegerList, ringBits: number): PencilShares {
  checkShares(shares, ringBits);
  const { R, labellings, owners, noisedSums } = unflattenComputed(task, shares);
  const integers = (columns: readonly (readonly bigint[])[]) => columns.map((V) => asIntegers(V, ringBits));
  const exact = integers(labellings.flat().map(({ V }) => V));
  const released = noisedSums ? integers(noisedSums.flat()) : exact;
  return {
    R: asIntegers(R, ringBits),
    V: transpose(noisedSums && R.length > 0 ? [...exact, ...released] : released),
    groups: transpose(released.slice(0, labellings[0]!.length)),
    M: labellings.map((classes) => classes.map(({ M }) => M)),
    owners,
  };
}

/** Sums of all rows, from those of the first labelling's classes: integers, not reduced. */
export function totalOf(groups: Matrix): bigint[] {
  return groups.map((row) => row.reduce((sum, entry) => sum + entry, 0n));
}
