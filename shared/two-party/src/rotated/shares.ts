/** One server's additive shares of the statistics of a PCA, modulo 2^ℓ. */
import { unflatten } from '@eigenveil/statistics';
import { placesOf, type StatisticsTask } from '@eigenveil/task';

export interface StatisticsShares {
  /** Upper triangle, row by row. Integers, valid in any ring, as V's are. */
  readonly R: readonly bigint[];
  readonly V: readonly bigint[];
  /** Of the sums of rows that a declared mean is made of: with a floor, V with noise and more fraction bits. Elements of the ring. */
  readonly sums: readonly bigint[];
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
  const { exact, noised } = parted(task, shares);
  const { R, labellings, owners } = unflatten(task, exact);
  const { V, M } = labellings[0]![0]!;
  const sums = noised.length > 0 ? noised : V;
  return { R: asIntegers(R, ringBits), V: asIntegers(V, ringBits), sums, Q: M, owners };
}

/** Shares of the flat statistics, and of the noised sums of rows behind them where there is a floor. */
export function parted(task: StatisticsTask, shares: readonly bigint[]) {
  const { length } = placesOf(task);
  return { exact: shares.slice(0, length), noised: shares.slice(length) };
}

/** The short integers that unblinding, the floor's shift and its noise left, from elements of the ring that they were reduced to. */
export function asIntegers(shares: readonly bigint[], ringBits: number): bigint[] {
  return shares.map((share) => BigInt.asIntN(ringBits, share));
}

/** @throws RangeError when a share is not in [0, 2^ringBits) */
export function checkShares(shares: readonly bigint[], ringBits: number): void {
  if (shares.some((share) => share < 0n || share >> BigInt(ringBits) !== 0n)) {
    throw new RangeError(`"shares" expected elements of a ring of ${ringBits} bits`);
  }
}
