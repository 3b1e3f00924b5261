/**
 * Quantiles from noisy counts, with intervals that account for the noise.
 *
 * Let F(t) be the number of rows in the first t bins, n that of all rows. The quantile q lies in the bin
 * whose upper edge t is the first with F(t) >= q n, which is where D_t = F(t) − q n goes from below 0 to 0 or
 * more. D̂_t, the restored one, is unbiased with the variance of `quantileError`. An edge t is kept in the
 * interval unless D̂_t < −z_t or D̂_{t−1} > z_{t−1}, z_t being what the noise of D_t exceeds with probability
 * at most (1 − confidence)/2: the true edge is left out with probability at most 1 − confidence, as D >= 0 at
 * it and D < 0 before it. That is so for every quantile by itself, and counts the noise alone, not that rows
 * are a sample.
 *
 * z. Gaussian noise has the normal tail. (Rounding changes it by less than anybody sees: noise of many
 * steps.) For Laplace noise by Chernoff's bound: a weighted sum Σ w_i X_i of discrete Laplace numbers of
 * scale τ has E e^(λ Σ) <= Π 1/(1 − λ² w_i² τ²) <= 1/(1 − λ² V τ²) with V = Σ w_i², since 4 sinh²(x/2) v <=
 * τ² x² for x <= 1/τ and Π (1 − x_i) >= 1 − Σ x_i. Then z = y √V τ with the least y for which min_u
 * e^(−uy)/(1 − u²) <= error; u is the root of y u² + 2u − y. With two servers, V counts both.
 */

import { invalid, leastThatHolds, millsRatio, normalDensity } from '@eigenveil/privacy/parts';
import { type CoefficientNoise, noiseMoments } from './noise.ts';
import { quantileErrors } from './restoration.ts';
import { checkLength, type Strategy } from './strategy.ts';

/** Restored counts of one histogram, and what their noise is. */
export interface NoisyHistogram {
  readonly strategy: Strategy;
  /** One server's. */
  readonly noise: CoefficientNoise;
  /** The number of servers that added it. */
  readonly servers: number;
  /** The counts that `restore` gave. */
  readonly counts: readonly number[];
}

/** Edges of bins: t is the upper edge of the t-th bin, 1 <= least <= estimate <= largest <= N. */
export interface QuantileEstimate {
  readonly estimate: number;
  readonly least: number;
  readonly largest: number;
}

/**
 * The quantile q and an interval that has the true one with at least this confidence. Undefined where the
 * noisy number of rows is not positive: there are too few rows for this noise.
 * @throws ERR_DP_PARAMETER unless 0 < q < 1 and 0 < confidence < 1, and there is a count for each bin
 */
export function privateQuantile(
  histogram: NoisyHistogram,
  { q, confidence }: { readonly q: number; readonly confidence: number },
): QuantileEstimate | undefined {
  if (!(q > 0 && q < 1)) throw invalid('q', 'a number in (0, 1)', q);
  if (!(confidence > 0 && confidence < 1)) throw invalid('confidence', 'a number in (0, 1)', confidence);
  const { strategy, counts } = histogram;
  checkLength('counts', counts, strategy.bins);
  const rows = counts.reduce((sum, count) => sum + count, 0);
  if (!(rows > 0)) return undefined;
  const reach = reachOf(histogram, (1 - confidence) / 2);
  let [least, largest] = [counts.length + 1, 0];
  let [cumulative, notBelow] = [0, true];
  for (let t = 1; t <= counts.length; t += 1) {
    cumulative += counts[t - 1]!;
    const [difference, z] = [cumulative - q * rows, reach(t, q)];
    if (notBelow && difference >= -z) {
      least = Math.min(least, t);
      largest = t;
    }
    notBelow = difference <= z;
  }
  // No edge is kept with probability 1 − confidence at most, and monotone counts may end below q n.
  if (largest === 0) [least, largest] = [1, counts.length];
  const estimate = Math.min(largest, Math.max(least, quantileEdge(counts, q)!));
  return { estimate, least, largest };
}

/**
 * The quantile q alone: the first upper edge up to which monotone cumulative counts have the share q of all
 * rows. Undefined where the noisy number of rows is not positive.
 * @throws ERR_DP_PARAMETER unless 0 < q < 1
 */
export function quantileEdge(counts: readonly number[], q: number): number | undefined {
  if (!(q > 0 && q < 1)) throw invalid('q', 'a number in (0, 1)', q);
  const rows = counts.reduce((sum, count) => sum + count, 0);
  if (!(rows > 0)) return undefined;
  const found = monotoneCumulative(counts).findIndex((value) => value >= q * rows);
  return found < 0 ? counts.length : found + 1;
}

/** z_t for the quantile q, as a function of t. */
function reachOf(
  { strategy, noise, servers }: NoisyHistogram,
  error: number,
): (t: number, q: number) => number {
  const errorOf = quantileErrors(strategy);
  if (noise.kind === 'gaussian') {
    const y = leastThatHolds((x) => normalDensity(x) * millsRatio(x) <= error, 1);
    const { variance } = noiseMoments(noise, servers);
    return (t, q) => y * Math.sqrt(variance * errorOf(t, q));
  }
  const y = leastThatHolds((x) => laplaceTail(x) <= error, 1);
  const scale = Number(noise.scale.numerator) / Number(noise.scale.denominator);
  return (t, q) => y * scale * Math.sqrt(servers * errorOf(t, q));
}

/** Chernoff's bound: min_u e^(−uy)/(1 − u²). */
function laplaceTail(y: number): number {
  const u = (Math.sqrt(1 + y * y) - 1) / y;
  return Math.exp(-u * y) / (1 - u * u);
}

/**
 * Counts that no bin has less than nothing of: the nearest cumulative counts that never fall.
 *
 * Isotonic regression, by pooling adjacent violators (Ayer, Brunk, Ewing, Reid and Silverman, 1955), bounded
 * below by 0: the Euclidean projection of the cumulative counts onto a convex set that has the true ones. So
 * it never moves them farther from the truth, whatever the noise is. It looks only at what is released.
 */

/**
 * The cumulative counts c_1 <= … <= c_N, c_1 >= 0, nearest to those of restored counts; O(N).
 * @example
 * import { monotoneCumulative } from '@eigenveil/release';
 *
 * monotoneCumulative([-2, 5, -1, 4]); // → [0, 2.5, 2.5, 6]
 */
export function monotoneCumulative(counts: readonly number[]): number[] {
  const pools: { sum: number; size: number }[] = [];
  let cumulative = 0;
  for (const count of counts) {
    cumulative += count;
    let pool = { sum: cumulative, size: 1 };
    for (
      let last = pools.at(-1);
      last !== undefined && last.sum * pool.size > pool.sum * last.size;
      last = pools.at(-1)
    ) {
      pool = { sum: last.sum + pool.sum, size: last.size + pool.size };
      pools.pop();
    }
    pools.push(pool);
  }
  // A projection onto monotone sequences stays one when it is cut off at a bound.
  return pools.flatMap(({ sum, size }) => new Array<number>(size).fill(Math.max(0, sum / size)));
}
