/** References for the strategies that a task can choose: what histograms that are released otherwise would cost. */
import type { Strategy } from '@eigenveil/release';

/**
 * The mean error, over all intervals, of a tree that is not made consistent: every interval is the sum of the fewest
 * nodes.
 */
export function plainTreeAverage({ bins, fanouts }: Strategy): { numerator: bigint; denominator: bigint } {
  const all = BigInt(bins);
  let size = 1n;
  let nodes = containing(all, size);
  for (const fanout of fanouts) {
    size *= BigInt(fanout);
    nodes -= BigInt(fanout - 1) * containing(all, size);
  }
  return { numerator: 2n * nodes, denominator: all * (all + 1n) };
}

/** Σ (a + 1)(b + 1) over the nodes of one size: in how many intervals they lie (averages.ts of `release`). */
function containing(bins: bigint, size: bigint): bigint {
  const n = bins / size;
  return (size ** 2n * (n * (n - 1n) * (n - 2n))) / 6n + size * n * (n - 1n) + n;
}

/**
 * The square-root factorisation of prefix sums, a reference for Gaussian noise: the lower triangular matrix
 * of ones is LL with L Toeplitz, whose first column is r_k = C(2k, k)/4^k (the series of 1/√(1 − x)). L takes
 * the noise, L restores: Henzinger, Upadhyay and Upadhyay, "A unifying framework for differentially private
 * sums under continual observation" (2023), close to the best factorisation for prefixes. Its entries are no
 * integers, so that it cannot be applied to shares as it is: what it would give tells how much the strategies
 * leave.
 */

interface SquareRoot {
  /** Squared L2 sensitivity of Lx for one histogram, one row more or less. */
  readonly l2Squared: number;
  /** Mean error over all prefixes, in units of the noise on one entry of Lx. */
  readonly prefixes: number;
  /** The mean over all intervals. */
  readonly ranges: number;
}

/** In O(N²), because of the mean over intervals. */
export function squareRootErrors(bins: number): SquareRoot {
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
