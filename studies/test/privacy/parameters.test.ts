/** Properties of the mechanisms' calibrations over arbitrary parameters: monotone, proportional, and what is refused by name. */

import { systemRandomness } from '@eigenveil/privacy';
import { rationalOf } from '@eigenveil/privacy/parts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  calibrateDiscreteLaplace,
  calibrateLaplace,
  gaussianMechanism,
  laplaceMechanism,
} from '../../privacy/mechanisms/additive.ts';
import { secondMomentSensitivity, symmetricGaussianNoise } from '../../privacy/mechanisms/matrices.ts';
import { calibrateWishart, dpDeltaOfWishart } from '../../privacy/mechanisms/wishart-calibration.ts';

const refused = expect.objectContaining({ code: 'ERR_DP_PARAMETER' });

const epsilons = fc.double({ min: -4, max: 1.5, noNaN: true }).map((exponent) => 10 ** exponent);
const deltas = fc.double({ min: -15, max: -0.1, noNaN: true }).map((exponent) => 10 ** exponent);
const sensitivities = fc.double({ min: -3, max: 9, noNaN: true }).map((exponent) => 10 ** exponent);
const naturals = fc.bigInt({ min: 1n, max: 1n << 240n });

describe('calibrations', () => {
  it('of Wishart noise give less for a larger epsilon or delta, and keep what they promise', () => {
    const wishart = { dimension: 5, degreesOfFreedom: 40 };
    fc.assert(
      fc.property(epsilons, deltas, (epsilon, dpDelta) => {
        const scaleOf = (change: { epsilon?: number; dpDelta?: number }) =>
          calibrateWishart({ ...wishart, epsilon, dpDelta, ...change });
        const scale = scaleOf({});
        expect(dpDeltaOfWishart({ ...wishart, scale, epsilon })).toBeLessThanOrEqual(dpDelta);
        expect(scaleOf({ epsilon: epsilon * 1.5 })).toBeLessThan(scale);
        expect(scaleOf({ dpDelta: dpDelta ** 0.9 })).toBeLessThan(scale);
      }),
      { numRuns: 60 },
    );
    for (const epsilon of [1e-9, 1e3, 1e9]) {
      for (const dpDelta of [1e-300, 1e-12, 1 - 1e-9]) {
        const shape = { dimension: 2, degreesOfFreedom: 12 };
        const scale = calibrateWishart({ ...shape, epsilon, dpDelta });
        expect(dpDeltaOfWishart({ ...shape, scale, epsilon })).toBeLessThanOrEqual(dpDelta);
      }
    }
  });

  it('of Laplace noise are proportional to the sensitivity', () => {
    fc.assert(
      fc.property(epsilons, sensitivities, (epsilon, sensitivity) => {
        const ratio =
          calibrateLaplace({ sensitivity, epsilon }) / calibrateLaplace({ sensitivity: 1, epsilon });
        expect(ratio / sensitivity).toBeCloseTo(1, 12);
      }),
    );
    fc.assert(
      fc.property(epsilons, naturals, (epsilon, sensitivity) => {
        const { numerator, denominator } = calibrateDiscreteLaplace({ sensitivity, epsilon });
        const exact = rationalOf('epsilon', epsilon);
        expect(numerator * exact.numerator).toBe(sensitivity * exact.denominator * denominator);
      }),
    );
  });

  it('refuse what is out of range, by name', () => {
    const wishart = { dimension: 2, degreesOfFreedom: 5, epsilon: 1, dpDelta: 1e-6 };
    for (const epsilon of [0, -1, Number.NaN]) {
      expect(() => calibrateLaplace({ sensitivity: 1, epsilon })).toThrow(refused);
      expect(() => calibrateDiscreteLaplace({ sensitivity: 1n, epsilon })).toThrow(refused);
      expect(() => calibrateWishart({ ...wishart, epsilon })).toThrow(refused);
    }
    for (const dpDelta of [0, 1, -1, Number.NaN]) {
      expect(() => calibrateWishart({ ...wishart, dpDelta })).toThrow(refused);
    }
    for (const sensitivity of [0, -1, Infinity, Number.NaN]) {
      expect(() => calibrateLaplace({ sensitivity, epsilon: 1 })).toThrow(refused);
    }
    expect(() => calibrateDiscreteLaplace({ sensitivity: -1n, epsilon: 1 })).toThrow(refused);
    for (const scale of [-1, Number.NaN, Infinity]) {
      expect(() => gaussianMechanism(systemRandomness, [1], { sigma: scale })).toThrow(refused);
      expect(() => laplaceMechanism(systemRandomness, [1], { scale })).toThrow(refused);
    }
    expect(() => symmetricGaussianNoise(systemRandomness, 0, { sigma: 1 })).toThrow('"dimension"');
    expect(() => secondMomentSensitivity(1.5, 'replace')).toThrow(refused);
  });
});
