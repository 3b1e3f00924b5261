/** The two-sample test of Kolmogorov and Smirnov for samples of one size, with its exact probability. */

export interface Smirnov {
  /** The largest distance between the distribution functions of both samples, in [0, 1]. */
  readonly distance: number;
  /** The share of the ways to deal the values to both sides that have such a distance or a larger one; with ties it is too large, never too small. */
  readonly p: number;
}

/** @throws RangeError when the samples differ in size, or have none */
export function smirnov(left: readonly number[], right: readonly number[]): Smirnov {
  const n = left.length;
  if (n === 0 || right.length !== n) {
    throw new RangeError(
      `"right" expected as many values as "left", ${n}, at least one, got ${right.length}`,
    );
  }
  const [a, b] = [left, right].map((side) => Float64Array.from(side).sort());
  let [i, j, largest] = [0, 0, 0];
  while (i < n && j < n) {
    const x = Math.min(a![i]!, b![j]!);
    while (i < n && a![i]! <= x) i += 1;
    while (j < n && b![j]! <= x) j += 1;
    largest = Math.max(largest, Math.abs(i - j));
  }
  return { distance: largest / n, p: atLeast(n, largest) };
}

/**
 * The probability that n values and n others, dealt at random, have functions that are `steps`/n apart somewhere: paths that reach that height, by reflection
 * (Gnedenko and Korolyuk, "On the maximum discrepancy between two empirical distributions", 1951).
 */
function atLeast(n: number, steps: number): number {
  if (steps === 0) return 1;
  const all = logChoose(2 * n, n);
  let sum = 0;
  for (let k = 1; k * steps <= n; k += 1) {
    sum += (k % 2 === 1 ? 2 : -2) * Math.exp(logChoose(2 * n, n - k * steps) - all);
  }
  return Math.min(1, sum);
}

const logFactorials = [0];

function logFactorial(n: number): number {
  while (logFactorials.length <= n)
    logFactorials.push(logFactorials.at(-1)! + Math.log(logFactorials.length));
  return logFactorials[n]!;
}

/** The logarithm of the number of ways to choose k of n. */
export function logChoose(n: number, k: number): number {
  return k < 0 || k > n ? Number.NEGATIVE_INFINITY : logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}
