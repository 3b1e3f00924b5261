/**
 * Mean errors over all intervals, all prefixes and all bins in closed form, and what they come to for many
 * bins.
 *
 * In units of one coefficient's noise. By restoration.ts the mean over intervals is Σ_k ψ_k S_k, S_k the mean
 * of Σ_v |v ∩ I|² over the nodes of height k. A node with a bins before it, b behind it and s below lies in
 * (a + 1)(b + 1) intervals; has its first t < s bins in a + 1 of them, its last t in b + 1, and t of its
 * inner ones in s − t − 1. With n = N/s nodes, Σ (a + 1)(b + 1) = s² n(n − 1)(n − 2)/6 + s n(n − 1) + n.
 *
 * Limits, for trees of one fan-out f and m = log_f N. From Σ_k ψ_k s_k = 1/c_m, the mean is E|I|/c_m + Σ_k
 * (−ψ_k) T_k, T_k the mean of Σ_v |v ∩ I| (s − |v ∩ I|), which comes to (s² − 1)/3 for s far below N, and to
 * s² (1/3 − s/6N) for s near N. With −ψ_k = (f − 1)²/((s − 1)(fs − 1)) the sum is
 *   m (f − 1)²/3f + (f − 1)/3f − (f − 1)/6 + (f − 1)²(f + 1)/3f · Σ_{j >= 2} 1/(f^j − 1),
 * for f = 2 h/6 + (E − 1)/2 with Erdős and Borwein's constant E = 1.6067. Privelet has −ψ_k = 4^−k/2, hence
 * h/6 + 1/36. Without consistency every interval is the sum of the fewest nodes: (f − 1) m − 2(f + 1)/3 of
 * them.
 */

import { checkCount } from '@eigenveil/privacy/parts';
import type { Fraction } from './fraction.ts';
import { covarianceByHeight, type Interval, levelsOf } from './restoration.ts';
import type { Strategy } from './strategy.ts';

/**
 * The sums that are asked of a histogram: those over intervals, prefixes (and so quantiles), or the counts of
 * single bins.
 */
export type Workload = 'ranges' | 'prefixes' | 'counts';

/** The mean error over all N(N + 1)/2 intervals, all N prefixes, or all N bins. */
export function averageError(strategy: Strategy, workload: Workload): Fraction {
  if (workload === 'counts') return covarianceByHeight(strategy)[0]!;
  const { sizes, psi, denominator } = levelsOf(strategy);
  const bins = BigInt(strategy.bins);
  const overlaps = workload === 'ranges' ? overIntervals : overPrefixes;
  const sum = psi.reduce((total, value, k) => total + value * overlaps(bins, sizes[k]!), 0n);
  const queries = workload === 'ranges' ? (bins * (bins + 1n)) / 2n : bins;
  return { numerator: sum, denominator: denominator * queries };
}

/** Σ (a + 1)(b + 1) over the nodes of one size: in how many intervals they lie. */
function containing(bins: bigint, size: bigint): bigint {
  const n = bins / size;
  return (size ** 2n * (n * (n - 1n) * (n - 2n))) / 6n + size * n * (n - 1n) + n;
}

function overIntervals(bins: bigint, size: bigint): bigint {
  const n = bins / size;
  const squares = ((size - 1n) * size * (2n * size - 1n)) / 6n;
  const ends = squares * n * (bins - size + 2n);
  const inner = (n * (size - 1n) ** 2n * size * (size - 2n)) / 12n;
  return size ** 2n * containing(bins, size) + ends + inner;
}

function overPrefixes(bins: bigint, size: bigint): bigint {
  const n = bins / size;
  const whole = (size * n * (n - 1n)) / 2n + n;
  return size ** 2n * whole + (n * (size - 1n) * size * (2n * size - 1n)) / 6n;
}

/**
 * The error of an interval of a tree that is not made consistent: the number of nodes that it is the sum of,
 * the fewest; O(log N).
 * @throws ERR_DP_PARAMETER unless 0 <= from <= to <= N
 */
export function plainTreeError({ bins, fanouts }: Strategy, { from, to }: Interval): number {
  checkCount('from', from, 0);
  checkCount('to', to, from);
  checkCount('bins', bins, to);
  // A node that lies in the interval is one of the sum unless its parent does, too.
  let [size, nodes] = [1, 0];
  const inside = () => Math.max(0, Math.floor(to / size) - Math.ceil(from / size));
  nodes += inside();
  for (const fanout of fanouts) {
    size *= fanout;
    nodes -= (fanout - 1) * inside();
  }
  return nodes;
}

/** Its mean over all intervals. */
export function plainTreeAverage({ bins, fanouts }: Strategy): Fraction {
  const all = BigInt(bins);
  let size = 1n;
  let nodes = containing(all, size);
  for (const fanout of fanouts) {
    size *= BigInt(fanout);
    nodes -= BigInt(fanout - 1) * containing(all, size);
  }
  return { numerator: 2n * nodes, denominator: all * (all + 1n) };
}

/** A restoration with a limit for many bins. */
export type Asymptotic = 'plain tree' | 'consistent tree' | 'privelet';

/** The mean over all intervals for N = f^m comes ever closer to slope · m + constant. */
export interface Asymptote {
  readonly slope: number;
  readonly constant: number;
}

/** @throws ERR_DP_PARAMETER unless the fan-out f is an integer >= 2 */
export function asymptoteOf(restoration: Asymptotic, fanout = 2): Asymptote {
  checkCount('fanout', fanout, 2);
  const f = fanout;
  if (restoration === 'privelet') return { slope: 1 / 6, constant: 1 / 36 };
  if (restoration === 'plain tree') return { slope: f - 1, constant: (-2 / 3) * (f + 1) };
  const slope = (f - 1) ** 2 / (3 * f);
  let tail = 0;
  for (let power = f * f; 1 / power > Number.EPSILON / 8; power *= f) tail += 1 / (power - 1);
  return { slope, constant: (f - 1) / (3 * f) - (f - 1) / 6 + slope * (f + 1) * tail };
}

/**
 * The accuracy index: the limit of log₂³N (Laplace noise) or log₂²N (Gaussian) over the mean error of an
 * interval in units of 2/ε², or of the deviation σ² for sensitivity 1. The larger the better. The sensitivity
 * of one row more or less, m + 1, enters squared with Laplace noise.
 */
export function accuracyIndex(restoration: Asymptotic, noise: 'laplace' | 'gaussian', fanout = 2): number {
  const perHeight = asymptoteOf(restoration, fanout).slope;
  return Math.log2(fanout) ** (noise === 'laplace' ? 3 : 2) / perHeight;
}

/**
 * The square-root factorisation of prefix sums, a reference for Gaussian noise: the lower triangular matrix
 * of ones is LL with L Toeplitz, whose first column is r_k = C(2k, k)/4^k (the series of 1/√(1 − x)). L takes
 * the noise, L restores: Henzinger, Upadhyay and Upadhyay, "A unifying framework for differentially private
 * sums under continual observation" (2023), close to the best factorisation for prefixes. Its entries are no
 * integers, so that it cannot be applied to shares as it is: what it would give tells how much the strategies
 * leave.
 */

/** The largest N for which the mean over intervals, O(N²), is computed in a moment. */
const LARGEST = 4096;

export interface SquareRoot {
  /** Squared L2 sensitivity of Lx for one histogram, one row more or less. */
  readonly l2Squared: number;
  /** Mean error over all prefixes, in units of the noise on one entry of Lx. */
  readonly prefixes: number;
  /** The mean over all intervals. */
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
