/** Calibrations against integrals and sums that do not share their formulas, and against published values. */

import { deltaBySum, discreteGaussian } from '@eigenveil/testbed/goodness/goodness';
import { integrate } from '@eigenveil/testbed/goodness/integrate';
import jstat from '@eigenveil/testbed/goodness/jstat';
import { describe, expect, it } from 'vitest';
import { MILLS_ERROR, millsRatio, normalDensity } from '../src/calibration/gaussian.ts';
import {
  calibrateAnalyticGaussian,
  calibrateClassicGaussian,
  calibrateDiscreteGaussian,
  dpDeltaOfGaussian,
  dpDeltaOfZcdp,
  epsilonOfZcdp,
  type Rational,
  rhoOfBudget,
  rhoOfDiscreteGaussian,
} from '../src/index.ts';

const EPSILONS = [0.01, 0.1, 0.5, 1, 2, 5, 10];
const DELTAS = [1e-15, 1e-9, 1e-6, 1e-3, 0.1, 0.5];
const GRID = EPSILONS.flatMap((epsilon) => DELTAS.map((dpDelta) => ({ epsilon, dpDelta })));
const real = ({ numerator, denominator }: Rational): number => Number(numerator) / Number(denominator);

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

  it.each(GRID.filter(({ epsilon }) => epsilon <= 1))(
    'classic sigma is valid but larger: epsilon $epsilon, delta $dpDelta',
    (budget) => {
      const classic = calibrateClassicGaussian({ sensitivity: 3, ...budget });
      expect(classic).toBeGreaterThan(calibrateAnalyticGaussian({ sensitivity: 3, ...budget }));
      expect(classic).toBeCloseTo((3 * Math.sqrt(2 * Math.log(1.25 / budget.dpDelta))) / budget.epsilon, 6);
    },
  );

  it.each([1.0000001, 2, 10, Infinity])('classic calibration is refused for epsilon %d', (epsilon) => {
    expect(() => calibrateClassicGaussian({ sensitivity: 1, epsilon, dpDelta: 1e-5 })).toThrow(
      expect.objectContaining({ code: 'ERR_DP_PARAMETER' }),
    );
  });

  it('is refused for a reason: at epsilon 10 the classic formula gives too little noise', () => {
    const sigma = Math.sqrt(2 * Math.log(1.25 / 1e-3)) / 10;
    expect(dpDeltaOfGaussian({ sigma, sensitivity: 1, epsilon: 10 })).toBeGreaterThan(1e-3);
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

describe('discrete Gaussian', () => {
  it.each([
    { epsilon: 0.3, dpDelta: 1e-6, shift: 1 },
    { epsilon: 1, dpDelta: 1e-9, shift: 1 },
    { epsilon: 1, dpDelta: 1e-5, shift: 40 },
    { epsilon: 4, dpDelta: 1e-3, shift: 1 },
    { epsilon: 20, dpDelta: 1e-6, shift: 1 },
  ])('keeps delta, summed exactly: $epsilon, $dpDelta, shift $shift', ({ epsilon, dpDelta, shift }) => {
    const sigmaSquared = calibrateDiscreteGaussian({
      sensitivitySquared: BigInt(shift) ** 2n,
      epsilon,
      dpDelta,
    });
    const exact = deltaBySum(discreteGaussian(real(sigmaSquared)), BigInt(shift), epsilon);
    expect(exact).toBeLessThanOrEqual(dpDelta);
    expect(exact).toBeGreaterThan(dpDelta / 500);
    expect(deltaBySum(discreteGaussian(real(sigmaSquared) / 2), BigInt(shift), epsilon)).toBeGreaterThan(
      dpDelta,
    );
  });

  it('keeps delta for a vector that shifts in two entries', () => {
    const [epsilon, dpDelta] = [1, 1e-3];
    const sigmaSquared = real(calibrateDiscreteGaussian({ sensitivitySquared: 5n, epsilon, dpDelta }));
    const p = discreteGaussian(sigmaSquared);
    let exact = 0;
    for (const [y, py] of p) {
      for (const [z, pz] of p) {
        const q = (p.get(y - 1n) ?? 0) * (p.get(z - 2n) ?? 0);
        exact += Math.max(0, py * pz - Math.exp(epsilon) * q);
      }
    }
    expect(exact).toBeLessThanOrEqual(dpDelta);
    expect(exact).toBeGreaterThan(dpDelta / 10);
  });

  it('rounds sigma up and rho up, at any size', () => {
    for (const sensitivitySquared of [1n, 3n, 10n ** 9n, (1n << 90n) + 1n, 1n << 236n]) {
      for (const epsilon of [1e-3, 1, 30]) {
        const budget = { epsilon, dpDelta: 1e-9 };
        const sigmaSquared = calibrateDiscreteGaussian({ sensitivitySquared, ...budget });
        const rho = rhoOfDiscreteGaussian({ sensitivitySquared, sigmaSquared });
        expect(rho).toBeLessThanOrEqual(rhoOfBudget(budget));
        expect(rho / rhoOfBudget(budget)).toBeGreaterThan(1 - 1e-11);
        expect(rho / (Number(sensitivitySquared) / 2 / real(sigmaSquared))).toBeCloseTo(1, 14);
      }
    }
  });
});
