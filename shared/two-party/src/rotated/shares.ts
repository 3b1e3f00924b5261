/** One server's additive shares of the statistics of a PCA, modulo 2^ℓ. */
import { unflatten } from '@eigenveil/statistics';
import type { StatisticsTask } from '@eigenveil/task';

export interface StatisticsShares {
  /** Upper triangle, row by row. */
  readonly R: readonly bigint[];
  readonly V: readonly bigint[];
  readonly Q: bigint;
  readonly owners: bigint;
}

/** @throws RangeError when a share is not in [0, 2^ringBits), and the errors of `unflatten` */
export function statisticsShares(
  task: StatisticsTask,
  shares: readonly bigint[],
  ringBits: number,
): StatisticsShares {
  checkShares(shares, ringBits);
  const { R, labellings, owners } = unflatten(task, shares);
  const { V, M } = labellings[0]![0]!;
  return { R, V, Q: M, owners };
}

/** @throws RangeError when a share is not in [0, 2^ringBits) */
export function checkShares(shares: readonly bigint[], ringBits: number): void {
  if (shares.some((share) => share < 0n || share >> BigInt(ringBits) !== 0n)) {
    throw new RangeError(`"shares" expected elements of a ring of ${ringBits} bits`);
  }
}
