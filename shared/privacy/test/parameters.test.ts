/** Properties over arbitrary parameters: exact fractions, monotone calibrations, refusals. */

import { bitLength } from '@eigenveil/platform';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dpDeltaOfZcdp } from '../src/calibration/zcdp.ts';
import { calibrateAnalyticGaussian, dpDeltaOfGaussian, rhoOfBudget, systemRandomness } from '../src/index.ts';
import { RandomBits } from '../src/random/randomness.ts';
import { integerSqrt, rationalOf } from '../src/rational.ts';

const refused = expect.objectContaining({ code: 'ERR_DP_PARAMETER' });

const epsilons = fc.double({ min: -4, max: 1.5, noNaN: true }).map((exponent) => 10 ** exponent);
const deltas = fc.double({ min: -15, max: -0.1, noNaN: true }).map((exponent) => 10 ** exponent);
const sensitivities = fc.double({ min: -3, max: 9, noNaN: true }).map((exponent) => 10 ** exponent);
const naturals = fc.bigInt({ min: 1n, max: 1n << 240n });

describe('integers and fractions', () => {
  it('a double is exactly its fraction', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), (value) => {
        const { numerator, denominator } = rationalOf('value', value);
        expect((denominator & (denominator - 1n)) === 0n).toBe(true);
        // Divided by powers of two that a double holds, in two steps.
        const digits = bitLength(denominator) - 1;
        const half = Math.floor(digits / 2);
        expect(Number(numerator) / 2 ** half / 2 ** (digits - half)).toBe(value);
      }),
    );
    for (const value of [-1, Number.NaN, Infinity]) expect(() => rationalOf('value', value)).toThrow(refused);
  });

  it('integer roots and lengths are exact', () => {
    fc.assert(
      fc.property(naturals, (value) => {
        const root = integerSqrt(value);
        expect(root * root <= value && value < (root + 1n) * (root + 1n)).toBe(true);
        expect(integerSqrt(value * value)).toBe(value);
        expect(integerSqrt(value * value - 1n)).toBe(value - 1n);
        expect(bitLength(value)).toBe(value.toString(2).length);
      }),
    );
    expect([integerSqrt(0n), integerSqrt(1n), bitLength(0n)]).toEqual([0n, 1n, 0]);
  });

  it('uniform integers stay below their bound, and take its last digit into account', () => {
    const random = new RandomBits(systemRandomness);
    fc.assert(fc.property(naturals, (bound) => random.below(bound) < bound));
    const seen = new Set(Array.from({ length: 300 }, () => random.below(5n)));
    expect([...seen].sort()).toEqual([0n, 1n, 2n, 3n, 4n]);
  });
});

describe('calibrations', () => {
  it('give less noise for a larger epsilon or delta, and keep what they promise', () => {
    fc.assert(
      fc.property(epsilons, deltas, (epsilon, dpDelta) => {
        const budget = { epsilon, dpDelta };
        const noise = (change: Partial<typeof budget>) => [
          calibrateAnalyticGaussian({ sensitivity: 1, ...budget, ...change }),
          1 / rhoOfBudget({ ...budget, ...change }),
        ];
        const [sigma, inverse] = noise({}) as [number, number];
        expect(dpDeltaOfGaussian({ sigma, sensitivity: 1, epsilon })).toBeLessThanOrEqual(dpDelta);
        expect(dpDeltaOfZcdp(1 / inverse, epsilon)).toBeLessThanOrEqual(dpDelta * (1 + 1e-9));
        // The bound by zCDP is never below the continuous equality.
        expect(inverse / 2).toBeGreaterThan(sigma ** 2 * (1 - 1e-9));
        for (const less of [noise({ epsilon: epsilon * 1.5 }), noise({ dpDelta: dpDelta ** 0.9 })]) {
          less.forEach((value, i) => {
            expect(value).toBeLessThan([sigma, inverse][i]!);
          });
        }
      }),
      { numRuns: 60 },
    );
  });

  it('end at an epsilon and a delta of any size', () => {
    for (const epsilon of [1e-9, 1e3, 1e9]) {
      for (const dpDelta of [1e-300, 1e-12, 1 - 1e-9]) {
        const budget = { epsilon, dpDelta };
        const sigma = calibrateAnalyticGaussian({ sensitivity: 1, ...budget });
        expect(sigma).toBeGreaterThan(0);
        expect(rhoOfBudget(budget)).toBeGreaterThan(0);
      }
    }
  });

  it('are proportional to the sensitivity', () => {
    fc.assert(
      fc.property(epsilons, deltas, sensitivities, (epsilon, dpDelta, sensitivity) => {
        const ratio = (
          calibrate: (parameters: { sensitivity: number; epsilon: number; dpDelta: number }) => number,
        ) =>
          calibrate({ sensitivity, epsilon, dpDelta }) /
          (sensitivity * calibrate({ sensitivity: 1, epsilon, dpDelta }));
        expect(ratio(calibrateAnalyticGaussian)).toBeCloseTo(1, 9);
      }),
    );
  });

  it('refuse what is out of range, by name', () => {
    const good = { sensitivity: 1, epsilon: 1, dpDelta: 1e-6 };
    for (const epsilon of [0, -1, Number.NaN]) {
      expect(() => calibrateAnalyticGaussian({ ...good, epsilon })).toThrow('"epsilon"');
      expect(() => rhoOfBudget({ epsilon, dpDelta: 1e-6 })).toThrow(refused);
    }
    for (const dpDelta of [0, 1, -1, Number.NaN]) {
      expect(() => calibrateAnalyticGaussian({ ...good, dpDelta })).toThrow('"dpDelta"');
      expect(() => rhoOfBudget({ epsilon: 1, dpDelta })).toThrow(refused);
    }
    for (const sensitivity of [0, -1, Infinity, Number.NaN]) {
      expect(() => calibrateAnalyticGaussian({ ...good, sensitivity })).toThrow('"sensitivity"');
      expect(() => dpDeltaOfZcdp(sensitivity, 1)).toThrow(refused);
    }
  });
});
