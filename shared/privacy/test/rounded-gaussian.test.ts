/** Rounded Gaussian noise: its distribution, and that the fine lattice costs no more than its calibration sets aside. */

import { deltaBySum, discreteGaussian, pValue, roundedGaussian } from '@eigenveil/testbed/goodness/goodness';
import { integrate } from '@eigenveil/testbed/goodness/integrate';
import { SAMPLES } from '@eigenveil/testbed/goodness/samples';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import {
  budgetOfContinuous,
  calibrateRoundedGaussian,
  latticeBitsFor,
} from '../src/calibration/rounded-gaussian.ts';
import { calibrateAnalyticGaussian, noisePlan, type Rational, roundedGaussianSampler } from '../src/index.ts';
import { rationalOf } from '../src/rational.ts';
import { KINDS, NEIGHBOURS, stageTask } from './stage/tasks.ts';

const ALL = 60_000;
/** Seeds are fixed, so a right sampler fails never or always. */
const PLAUSIBLE = 1e-3;
const IMPLAUSIBLE = 1e-6;

const real = ({ numerator, denominator }: Rational): number => Number(numerator) / Number(denominator);

function take(sigmaSquared: Rational, latticeBits: number, count: number): bigint[] {
  const seed = `rounded ${sigmaSquared.numerator}/${sigmaSquared.denominator} ${latticeBits}`;
  const draw = roundedGaussianSampler(predictableRandomness(seed), { sigmaSquared, latticeBits });
  return Array.from({ length: count }, draw);
}

for (const { title, tags, of } of SAMPLES)
  describe(`roundedGaussianSampler, ${title}`, { tags }, () => {
    const count = of(ALL);
    /** A variance that is off by a tenth; by more with fewer samples, so that it is as plain. */
    const off = 1 + 0.1 * Math.sqrt(ALL / count);

    it.each<Rational>([
      { numerator: 1n, denominator: 1n },
      { numerator: 17n, denominator: 7n },
      { numerator: 100n, denominator: 1n },
    ])('fits a rounded Gaussian of sigma squared $numerator/$denominator and no other', (sigmaSquared) => {
      const samples = take(sigmaSquared, latticeBitsFor(sigmaSquared, 1), count);
      const variance = real(sigmaSquared);
      expect(pValue(samples, roundedGaussian(variance))).toBeGreaterThan(PLAUSIBLE);
      expect(pValue(samples, roundedGaussian(variance * off))).toBeLessThan(IMPLAUSIBLE);
      expect(pValue(samples, roundedGaussian(variance / off))).toBeLessThan(IMPLAUSIBLE);
    });

    it('differs from the discrete Gaussian, which it is without a lattice', () => {
      const many = of(ALL, 20_000);
      const sigmaSquared = { numerator: 1n, denominator: 1n };
      const [rounded, discrete] = [take(sigmaSquared, 40, many), take(sigmaSquared, 0, many)];
      expect(pValue(rounded, discreteGaussian(1))).toBeLessThan(IMPLAUSIBLE);
      expect(pValue(discrete, roundedGaussian(1))).toBeLessThan(IMPLAUSIBLE);
      expect(pValue(discrete, discreteGaussian(1))).toBeGreaterThan(PLAUSIBLE);
    });

    it.each([1, 2])('rounds halves up on a lattice of %d bits, below zero as well', (bits) => {
      const samples = take({ numerator: 1n, denominator: 2n }, bits, count);
      const expected = (half: bigint): Map<bigint, number> => {
        const sums = new Map<bigint, number>();
        for (const [y, p] of discreteGaussian(0.5 * 4 ** bits)) {
          const rounded = (y + half) >> BigInt(bits);
          sums.set(rounded, (sums.get(rounded) ?? 0) + p);
        }
        return sums;
      };
      const half = 1n << BigInt(bits - 1);
      expect(pValue(samples, expected(half))).toBeGreaterThan(PLAUSIBLE);
      expect(pValue(samples, expected(half - 1n))).toBeLessThan(IMPLAUSIBLE);
    });
  });

it('a rounded Gaussian of sigma 0 is zeros only', () => {
  expect(take({ numerator: 0n, denominator: 1n }, 40, 100).every((draw) => draw === 0n)).toBe(true);
});

describe('the calibration', () => {
  it.each([
    { epsilon: 0.1, dpDelta: 1e-3 },
    { epsilon: 1, dpDelta: 1e-6 },
    { epsilon: 4, dpDelta: 1e-4 },
  ])('($epsilon, $dpDelta): the exact delta of a rounded Gaussian is below, and nearly that', (budget) => {
    // Integers that change by 20.
    const sigma = calibrateRoundedGaussian({ sensitivity: 20, ...budget });
    const delta = deltaBySum(roundedGaussian(sigma ** 2), 20n, budget.epsilon);
    expect(delta).toBeLessThanOrEqual(budget.dpDelta);
    expect(delta).toBeGreaterThan(0.98 * budget.dpDelta);
    const less = deltaBySum(roundedGaussian((0.98 * sigma) ** 2), 20n, budget.epsilon);
    expect(less).toBeGreaterThan(budget.dpDelta);
    const analytic = calibrateAnalyticGaussian({ sensitivity: 20, ...budget });
    expect(sigma / analytic).toBeGreaterThan(1);
    expect(sigma / analytic).toBeLessThan(1 + 2 ** -19);
  });

  it.each([
    { epsilon: Infinity, dpDelta: 1e-6 },
    { epsilon: 1e-101, dpDelta: 1e-6 },
    { epsilon: Number.NaN, dpDelta: 1e-6 },
    { epsilon: 1, dpDelta: 1e-101 },
    { epsilon: 1, dpDelta: 1 },
  ])('refuses ($epsilon, $dpDelta)', (budget) => {
    expect(() => calibrateRoundedGaussian({ sensitivity: 1, ...budget })).toThrow(
      expect.objectContaining({ code: 'ERR_DP_PARAMETER' }),
    );
  });
});

describe('what the fine lattice costs', () => {
  const ratios = (tau: number) => {
    const weight = (t: number) => Math.exp((-t * t) / (2 * tau * tau));
    const reach = 8 * tau;
    const k = Array.from({ length: 2 * reach + 1 }, (_, i) => i - reach);
    const total = k.concat(-reach - 1, reach + 1).reduce((sum, y) => sum + weight(y), 0);
    const rounded = (y: number) => integrate(weight, y - 0.5, y + 0.5, 100) / Math.sqrt(2 * Math.PI) / tau;
    return k.map((y) => ({ y, log: Math.log(rounded(y) / (weight(y) / total)) }));
  };

  it.each([1, 2, 5, 20])(
    'per value: the ratio of probabilities has the bounds of the proof, deviation %d',
    (tau) => {
      const found = ratios(tau);
      for (const { y, log } of found) {
        expect(log).toBeGreaterThanOrEqual(-1 / (8 * tau ** 2));
        expect(log).toBeLessThanOrEqual(1 / (8 * tau ** 2) + y ** 2 / (24 * tau ** 4));
      }
      // Neither is far from the truth.
      expect(found.some(({ log }) => log < -1 / (25 * tau ** 2))).toBe(true);
      expect(found.some(({ y, log }) => log > (0.8 * y ** 2) / (24 * tau ** 4))).toBe(true);
    },
  );

  const VALUES = 2n ** 40n;
  const T = 2n ** 10n;
  const atMost = (a: Rational, b: Rational) => a.numerator * b.denominator <= b.numerator * a.denominator;

  describe.each([1e-100, 1e-20, 1e-9, 0.1, 1, 3])('epsilon %d', (epsilon) => {
    const deltas = [1e-100, 1e-30, 1e-6, 0.01];

    it.each(KINDS)('%s: is less than what is set aside of epsilon and of delta', (kind) => {
      for (const neighbours of NEIGHBOURS) {
        for (const delta of deltas) {
          const { variances, latticeBits } = noisePlan(stageTask(kind, { epsilon, delta, neighbours }));
          const less = budgetOfContinuous({ epsilon, dpDelta: delta });
          const [epsilon1, delta1] = [rationalOf('epsilon', less.epsilon), rationalOf('delta', less.dpDelta)];
          for (const name of ['R', 'V', 'M'] as const) {
            const { numerator, denominator } = variances[name];
            if (numerator === 0n) continue;
            const tauSquared = { numerator: numerator << BigInt(2 * latticeBits[name]), denominator };
            // ε′ + D (T² + 6)/24τ² <= ε.
            const spent = sum(epsilon1, {
              numerator: VALUES * (T * T + 6n) * denominator,
              denominator: 24n * tauSquared.numerator,
            });
            expect(atMost(spent, rationalOf('epsilon', epsilon))).toBe(true);
            // e^(D/8τ²) (δ′ + e^ε′ β) <= δ, by e^x <= 1 + 2x for x <= 1, e < 3, and (T − 1/2τ)²/2 >= (T − 1)²/2, e > 2 for β.
            const exponent = { numerator: VALUES * denominator, denominator: 8n * tauSquared.numerator };
            expect(atMost(exponent, rationalOf('one', 1))).toBe(true);
            const factor = sum(rationalOf('one', 1), { ...exponent, numerator: 2n * exponent.numerator });
            const beyond = {
              numerator: 3n ** BigInt(Math.ceil(epsilon)) * 2n * VALUES,
              denominator: 1n << (((T - 1n) * (T - 1n)) / 2n),
            };
            const leak = sum(delta1, beyond);
            const total = {
              numerator: factor.numerator * leak.numerator,
              denominator: factor.denominator * leak.denominator,
            };
            expect(atMost(total, rationalOf('delta', delta))).toBe(true);
          }
        }
      }
    });
  });

  it('would be more on a coarse lattice', () => {
    const { numerator, denominator } = noisePlan(stageTask('dca')).variances.M;
    expect(VALUES * (T * T + 6n) * denominator).toBeGreaterThan(24n * numerator);
  });

  it.each([
    [{ numerator: 2n ** 80n, denominator: 1n }, 1, 0],
    [{ numerator: 2n ** 80n - 1n, denominator: 1n }, 1, 1],
    [{ numerator: 1n, denominator: 1n }, 100, 40],
    [{ numerator: 1n, denominator: 3n }, 1, 41],
    [{ numerator: 1n, denominator: 1n }, 2 ** -20, 50],
  ])('takes the coarsest lattice that is fine enough', (sigmaSquared, epsilon, bits) => {
    expect(latticeBitsFor(sigmaSquared, epsilon)).toBe(bits);
  });
});

function sum(a: Rational, b: Rational): Rational {
  return {
    numerator: a.numerator * b.denominator + b.numerator * a.denominator,
    denominator: a.denominator * b.denominator,
  };
}
