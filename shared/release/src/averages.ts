/**
 * Mean errors over all intervals, all prefixes and all bins in closed form.
 *
 * In units of one coefficient's noise. By restoration.ts the mean over intervals is Σ_k ψ_k S_k, S_k the mean
 * of Σ_v |v ∩ I|² over the nodes of height k. A node with a bins before it, b behind it and s below lies in
 * (a + 1)(b + 1) intervals; has its first t < s bins in a + 1 of them, its last t in b + 1, and t of its
 * inner ones in s − t − 1. With n = N/s nodes, Σ (a + 1)(b + 1) = s² n(n − 1)(n − 2)/6 + s n(n − 1) + n.
 */

import type { Fraction } from './fraction.ts';
import { covarianceByHeight, levelsOf } from './restoration.ts';
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
