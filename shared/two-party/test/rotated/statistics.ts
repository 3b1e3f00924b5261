/** Tests of distributions. With seeded sources they give the same answer every time. */

import { seeded } from '@eigenveil/testbed/random';
import { RandomBits } from '../../src/rotated/random.ts';

export const seededBits = (seed: string) => new RandomBits(seeded(seed));

/** Beyond this a √n-scaled Kolmogorov–Smirnov statistic has probability below 10^−5: 2 exp(−2 x²). */
export const KS_LIMIT = 2.5;

/** √n · sup |F_n − F|. */
export function kolmogorov(samples: readonly number[], cdf: (x: number) => number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const n = sorted.length;
  const gaps = sorted.map((x, i) => Math.max(Math.abs(cdf(x) - i / n), Math.abs(cdf(x) - (i + 1) / n)));
  return Math.sqrt(n) * Math.max(...gaps);
}

/** √(n m/(n + m)) · sup |F_n − G_m|. */
export function smirnov(left: readonly number[], right: readonly number[]): number {
  const [a, b] = [left.toSorted((x, y) => x - y), right.toSorted((x, y) => x - y)];
  let [i, j, largest] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    const x = Math.min(a[i]!, b[j]!);
    while (i < a.length && a[i]! <= x) i += 1;
    while (j < b.length && b[j]! <= x) j += 1;
    largest = Math.max(largest, Math.abs(i / a.length - j / b.length));
  }
  return Math.sqrt((a.length * b.length) / (a.length + b.length)) * largest;
}

/** (χ² − f)/√(2f) of values that should be uniform in [0, bins), f = bins − 1. Beyond 6 it is not chance. */
export function uniformity(values: readonly number[], bins: number): number {
  const counts = new Array<number>(bins).fill(0);
  for (const value of values) counts[value]! += 1;
  const expected = values.length / bins;
  const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  return (chiSquare - (bins - 1)) / Math.sqrt(2 * (bins - 1));
}

/** Φ, by the series of its integral (Marsaglia, "Evaluating the normal distribution", 2004); 1e-14 where it matters. */
export function normalCdf(x: number): number {
  if (Math.abs(x) > 8) return x > 0 ? 1 : 0;
  let [sum, term] = [x, x];
  for (let i = 3; Math.abs(term) > 1e-17; i += 2) {
    term *= (x * x) / i;
    sum += term;
  }
  return 0.5 + (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
}
