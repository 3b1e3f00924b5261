/** One server's additive shares of the statistics of a PCA, modulo 2^ℓ, and its share of T = Q R − V Vᵀ. */
import { unflatten } from '@eigenveil/statistics';
import type { StatisticsTask } from '@eigenveil/task';
import { type Matrix, symmetricMatrix, transpose } from './matrices.ts';

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

/**
 * A share of T from one of Q R (upper triangle), one of V Vᵀ's mixed part V_csp V_userᵀ (d × d), and this server's own V: what both servers
 * find adds up to Q R − (V_csp + V_user)(V_csp + V_user)ᵀ. Entries are reduced to [0, 2^ringBits).
 */
export function scatterShare(
  scaledR: readonly bigint[],
  mixed: Matrix,
  V: readonly bigint[],
  ringBits: number,
): bigint[][] {
  const mirrored = transpose(mixed);
  return symmetricMatrix(scaledR, V.length).map((row, i) =>
    row.map((entry, j) => BigInt.asUintN(ringBits, entry - V[i]! * V[j]! - mixed[i]![j]! - mirrored[i]![j]!)),
  );
}

/**
 * The choices of a product with values as unblinding left them: short integers that are not negative, and a bit for the sign that products
 * expect.
 * @throws RangeError when a value has more bits
 */
export function shortChoices(matrix: Matrix, bits: number, ringBits: number) {
  if (matrix.some((row) => row.some((value) => value >> BigInt(bits) !== 0n))) {
    throw new RangeError(`"shares" expected at most ${bits} bits of an unblinded value, got more`);
  }
  return { matrix, entryBits: bits + 1, ringBits };
}
