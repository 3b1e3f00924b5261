/** Calibrations against integrals and sums that do not share their formulas, and against published values. */

import { integrate } from '@eigenveil/testbed/goodness/integrate';
import jstat from '@eigenveil/testbed/goodness/jstat';
import { describe, expect, it } from 'vitest';
import { MILLS_ERROR, millsRatio, normalDensity } from '../src/calibration/gaussian.ts';
import { dpDeltaOfZcdp } from '../src/calibration/zcdp.ts';
import { calibrateAnalyticGaussian, dpDeltaOfGaussian, epsilonOfZcdp, rhoOfBudget } from '../src/index.ts';

const EPSILONS = [0.01, 0.1, 0.5, 1, 2, 5, 10];
const DELTAS = [1e-15, 1e-9, 1e-6, 1e-3, 0.1, 0.5];
const GRID = EPSILONS.flatMap((epsilon) => DELTAS.map((dpDelta) => ({ epsilon, dpDelta })));

/** E[(1 − e^(ε − L))₊] for the privacy loss L, from where L = ε on. */
function gaussianDeltaByIntegral(sigma: number, epsilon: number): number {
  const h = 1 / sigma;
  const start = epsilon / h + h / 2;
  const from = Math.max(start, h - 39);
  // Beyond the peak at h the integrand falls as exp(−(from − h) u).
  const width = from > h ? 45 / (1 + from - h) : 39 + h - from;
  return integrate((z) => normalDensity(z - h) * -Math.expm1(-h * (z - start)), from, from + width);
}

describe('tails', () => {
  it('Mills ratio is an integral, where jstat has no digits left', () => {
    for (const x of [0, 0.3, 1, 1.9, 1.999999, 2, 2.000001, 2.5, 4, 8, 15, 30, 38]) {
      const reference = integrate((u) => Math.exp(-x * u - (u * u) / 2), 0, 40 / (1 + x));
      // Simpson's rule itself rounds 20,000 times.
      expect(Math.abs(millsRatio(x) / reference - 1)).toBeLessThan(1e-13);
    }
    const byJstat = jstat.erfc(8 / Math.SQRT2) / 2;
    expect(Math.abs(byJstat / (normalDensity(8) * millsRatio(8)) - 1)).toBeGreaterThan(0.01);
  });

  it('Mills ratio keeps its stated error against 200 binary digits', () => {
    const one = 1n << 200n;
    for (const x of [0.25, 0.5, 1, 1.5, 1.9375, 1.99609375, 2, 2.5, 4, 9.75, 38]) {
      const fixed = BigInt(x * 2 ** 10) << 190n;
      let tail = fixed;
      for (let k = 20_000n; k > 0n; k--) tail = fixed + ((k * one) << 200n) / tail;
      const reference = Number(((one << 200n) / tail) >> 100n) / 2 ** 100;
      expect(Math.abs(millsRatio(x) / reference - 1)).toBeLessThan(MILLS_ERROR);
    }
    expect(millsRatio(0)).toBeCloseTo(Math.sqrt(Math.PI / 2), 15);
  });
});

describe('continuous Gaussian', () => {
  it('gives the delta of numerical integration, rounded up', () => {
    for (const epsilon of EPSILONS) {
      for (const sigma of [0.05, 0.3, 1, 3, 10, 100, 1000]) {
        const reference = gaussianDeltaByIntegral(sigma, epsilon);
        if (reference < 1e-280) continue;
        const dpDelta = dpDeltaOfGaussian({ sigma, sensitivity: 1, epsilon });
        expect(dpDelta).toBeGreaterThanOrEqual(Math.min(1, reference * (1 - 1e-11)));
        expect(dpDelta).toBeLessThanOrEqual(reference * (1 + 1e-8));
      }
    }
  });

  it.each(GRID)(
    'analytic sigma keeps delta and is tight: epsilon $epsilon, delta $dpDelta',
    ({ epsilon, dpDelta }) => {
      const sigma = calibrateAnalyticGaussian({ sensitivity: 1, epsilon, dpDelta });
      expect(gaussianDeltaByIntegral(sigma, epsilon)).toBeLessThanOrEqual(dpDelta * (1 + 1e-11));
      expect(gaussianDeltaByIntegral(sigma * (1 - 1e-6), epsilon)).toBeGreaterThan(dpDelta);
    },
  );

  it('knows the published value for epsilon 1 and delta 1e-5', () => {
    expect(calibrateAnalyticGaussian({ sensitivity: 1, epsilon: 1, dpDelta: 1e-5 })).toBeCloseTo(3.73063, 5);
  });
});

describe('zCDP', () => {
  it('is the best of all orders, and never below it', () => {
    for (const rho of [1e-6, 0.01, 0.3, 2]) {
      for (const epsilon of [0.003, 0.5, 2, 9]) {
        let best = Number.POSITIVE_INFINITY;
        for (let exponent = -6; exponent < 7; exponent += 1e-3) {
          const alpha = 1 + 10 ** exponent;
          const bound =
            (Math.exp((alpha - 1) * (alpha * rho - epsilon)) / (alpha - 1)) * (1 - 1 / alpha) ** alpha;
          best = Math.min(best, bound);
        }
        if (best < 1e-280) continue;
        expect(dpDeltaOfZcdp(rho, epsilon) / Math.min(1, best)).toBeGreaterThan(1 - 1e-4);
        expect(dpDeltaOfZcdp(rho, epsilon) / Math.min(1, best)).toBeLessThan(1 + 1e-9);
      }
    }
  });

  it.each(GRID)('converts there and back: epsilon $epsilon, delta $dpDelta', ({ epsilon, dpDelta }) => {
    const rho = rhoOfBudget({ epsilon, dpDelta });
    expect(dpDeltaOfZcdp(rho, epsilon)).toBeLessThanOrEqual(dpDelta);
    expect(dpDeltaOfZcdp(rho * (1 + 1e-9), epsilon)).toBeGreaterThan(dpDelta);
    expect(epsilonOfZcdp(rho, dpDelta) / epsilon).toBeCloseTo(1, 9);
    // Bun and Steinke's conversion, proposition 1.3, is never better.
    expect(epsilon).toBeLessThanOrEqual(rho + 2 * Math.sqrt(rho * Math.log(1 / dpDelta)));
  });
});
