/** The two-sample test of Kolmogorov and Smirnov for samples of one size, with its exact probability. */

interface Smirnov {
  /** The largest distance between the distribution functions of both samples, in [0, 1]. */
  readonly distance: number;
  /** The share of the ways to deal these values to both sides, equal ones included, that have such a distance or a larger one. */
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
  return { distance: largest / n, p: atLeast(n, largest, runsOf([...left, ...right])) };
}

/** How often each value occurs, in ascending order of values. */
function runsOf(values: readonly number[]): number[] {
  const runs: number[] = [];
  const sorted = Float64Array.from(values).sort();
  for (const [i, value] of sorted.entries()) {
    if (i > 0 && value === sorted[i - 1]) runs[runs.length - 1]! += 1;
    else runs.push(1);
  }
  return runs;
}

/**
 * The probability that the functions of n values and n others, dealt at random, are `steps`/n apart behind some run of equal values: the values are dealt run
 * by run, and what first reaches that distance is summed up, so that small probabilities are exact, too.
 */
function atLeast(n: number, steps: number, runs: readonly number[]): number {
  if (steps === 0) return 1;
  let sum = 0;
  /** By number of values dealt to the left; those within the distance. */
  let inside = new Map([[0, 1]]);
  let dealt = 0;
  for (const run of runs) {
    const next = new Map<number, number>();
    const all = logChoose(2 * n - dealt, run);
    for (const [left, mass] of inside) {
      const [restLeft, restRight] = [n - left, n - (dealt - left)];
      for (let more = Math.max(0, run - restRight); more <= Math.min(run, restLeft); more += 1) {
        const share =
          run === 1
            ? (more === 1 ? restLeft : restRight) / (restLeft + restRight)
            : Math.exp(logChoose(restLeft, more) + logChoose(restRight, run - more) - all);
        const now = left + more;
        if (Math.abs(2 * now - dealt - run) >= steps) sum += mass * share;
        else next.set(now, (next.get(now) ?? 0) + mass * share);
      }
    }
    inside = next;
    dealt += run;
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
