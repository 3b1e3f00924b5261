/** Pearson's chi-square test of integer samples against an exact distribution. */

import { integrate } from './integrate.ts';
import jstat from './jstat.ts';

/** Cells expected to hold fewer samples than this are pooled, so that the chi-square distribution applies. */
const LEAST_EXPECTED = 10;

/** Weights of the integers from −reach to reach, normalised; what lies beyond must be negligible. */
export function distribution(reach: number, logWeight: (y: number) => number): Map<bigint, number> {
  const weights = new Map<bigint, number>();
  for (let y = -reach; y <= reach; y++) weights.set(BigInt(y), Math.exp(logWeight(y)));
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  return new Map([...weights].map(([y, weight]) => [y, weight / total]));
}

/** The probability that samples of this distribution would fit no better. Tiny: they are of another one. */
export function pValue(samples: readonly bigint[], expected: ReadonlyMap<bigint, number>): number {
  const counts = new Map<bigint, number>();
  for (const y of samples) counts.set(y, (counts.get(y) ?? 0) + 1);
  for (const y of counts.keys()) {
    if (!expected.has(y)) return 0;
  }
  const cells: { observed: number; expected: number }[] = [];
  let open = { observed: 0, expected: 0 };
  for (const [y, probability] of expected) {
    open.observed += counts.get(y) ?? 0;
    open.expected += probability * samples.length;
    if (open.expected >= LEAST_EXPECTED) {
      cells.push(open);
      open = { observed: 0, expected: 0 };
    }
  }
  const last = cells.at(-1)!;
  last.observed += open.observed;
  last.expected += open.expected;
  const statistic = cells.reduce(
    (sum, cell) => sum + (cell.observed - cell.expected) ** 2 / cell.expected,
    0,
  );
  return 1 - jstat.chisquare.cdf(statistic, cells.length - 1);
}

/** The δ that ε leaves when the distribution is shifted: the sum of what exceeds e^ε times the other's probability. */
export function deltaBySum(p: ReadonlyMap<bigint, number>, shift: bigint, epsilon: number): number {
  let sum = 0;
  for (const [y, py] of p) sum += Math.max(0, py - Math.exp(epsilon) * (p.get(y + shift) ?? 0));
  return sum;
}

/** The discrete Gaussian distribution, as far as doubles reach. */
export function discreteGaussian(sigmaSquared: number): Map<bigint, number> {
  return distribution(Math.ceil(12 * Math.sqrt(sigmaSquared)) + 6, (y) => (-y * y) / (2 * sigmaSquared));
}

/** The Gaussian distribution rounded to integers, as far as doubles reach. */
export function roundedGaussian(sigmaSquared: number): Map<bigint, number> {
  const weight = (t: number) => Math.exp((-t * t) / (2 * sigmaSquared));
  return distribution(Math.ceil(12 * Math.sqrt(sigmaSquared)) + 6, (k) =>
    Math.log(integrate(weight, k - 0.5, k + 0.5, 40)),
  );
}
