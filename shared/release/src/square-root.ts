/**
 * The square-root factorisation of prefix sums, a reference for Gaussian noise: the lower triangular matrix of ones is LL with L Toeplitz, whose first column is
 * r_k = C(2k, k)/4^k (the series of 1/√(1 − x)). L takes the noise, L restores: Henzinger, Upadhyay and Upadhyay, "A unifying framework for differentially
 * private sums under continual observation" (2023), close to the best factorisation for prefixes. Its entries are no integers, so that it cannot be
 * applied to shares as it is: what it would give tells how much the strategies leave.
 */
import { checkCount } from '@eigenveil/privacy/parts';

/** Up to this N the mean over intervals, O(N²), is computed in a moment. */
const LARGEST = 4096;

export interface SquareRoot {
  /** Squared L2 sensitivity of Lx for one histogram, one row more or less. */
  readonly l2Squared: number;
  /** Mean error over all prefixes, in units of the noise on one entry of Lx. */
  readonly prefixes: number;
  /** Over all intervals. */
  readonly ranges: number;
}

/** @throws ERR_DP_PARAMETER unless N is an integer from 1 to 4,096 */
export function squareRootErrors(bins: number): SquareRoot {
  checkCount('bins', bins, 1);
  checkCount('bins, at most 4,096', LARGEST - bins, 0);
  const r = [1];
  while (r.length < bins) r.push((r.at(-1)! * (2 * r.length - 1)) / (2 * r.length));
  // Squared lengths of L's rows: sum i has r_0 … r_i.
  const squares: number[] = [];
  for (const value of r) squares.push((squares.at(-1) ?? 0) + value * value);
  const prefixes = squares.reduce((sum, value) => sum + value, 0);
  // An interval is one prefix less an earlier one, or nothing.
  let ranges = prefixes;
  for (let apart = 1; apart < bins; apart += 1) {
    let product = 0;
    for (let i = 0; i + apart < bins; i += 1) {
      product += r[i]! * r[i + apart]!;
      ranges += squares[i + apart]! + squares[i]! - 2 * product;
    }
  }
  return {
    l2Squared: squares.at(-1)!,
    prefixes: prefixes / bins,
    ranges: (2 * ranges) / (bins * (bins + 1)),
  };
}
