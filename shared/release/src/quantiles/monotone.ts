/**
 * Counts that no bin has less than nothing of: the nearest cumulative counts that never fall.
 *
 * Isotonic regression, by pooling adjacent violators (Ayer, Brunk, Ewing, Reid and Silverman, 1955), bounded below by 0: the Euclidean projection of
 * the cumulative counts onto a convex set that has the true ones. So it never moves them farther from the truth, whatever the noise is. It looks at
 * nothing but what is released.
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

/** The counts that such cumulative counts are sums of: none below 0, and consistent. */
export function countsOf(cumulative: readonly number[]): number[] {
  return cumulative.map((value, i) => value - (cumulative[i - 1] ?? 0));
}
