/** One server's additive shares of the statistics of a PCA, modulo 2^ℓ. */
import type { IntegerList } from '@eigenveil/platform';
import { unflattenComputed } from '@eigenveil/statistics';
import type { StatisticsTask } from '@eigenveil/task';

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
