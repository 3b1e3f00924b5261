/** Calibrations against integrals and sums that do not share their formulas, and against published values. */

import jstat from 'jstat';
import { describe, expect, it } from 'vitest';
import { GAMMA_ERROR, gammaLowerTail, gammaUpperTail } from '../src/calibration/gamma.ts';
import { MILLS_ERROR, millsRatio, normalDensity } from '../src/calibration/normal.ts';
import { deltaOfAdding, deltaOfRemoving } from '../src/calibration/wishart.ts';
import {
  calibrateAnalyticGaussian,
  calibrateClassicGaussian,
  calibrateDiscreteGaussian,
  calibrateWishart,
  dpDeltaOfGaussian,
  dpDeltaOfWishart,
  dpDeltaOfZcdp,
  epsilonOfZcdp,
  type Rational,
  rhoOfBudget,
  rhoOfDiscreteGaussian,
} from '../src/index.ts';
import { deltaBySum, discreteGaussian } from './goodness.ts';
import { integrate } from './integrate.ts';

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

  it.each([1, 2, 7, 19, 20, 21, 60, 150])('gamma tails of integer shape %d are Poisson sums', (a) => {
    for (const factor of [0.05, 0.4, 0.9, 1, 1.1, 1.6, 3]) {
      const y = a * factor;
      const term = (n: number) => {
        let product = Math.exp(-y);
        for (let i = 1; i <= n; i++) product *= y / i;
        return product;
      };
      let upper = 0;
      for (let n = a - 1; n >= 0; n--) upper += term(n);
      let lower = 0;
      for (let n = a + 600; n >= a; n--) lower += term(n);
      if (y >= a - 1) expect(Math.abs(gammaUpperTail(a, y) / upper - 1)).toBeLessThan(GAMMA_ERROR);
      if (y <= a + 1) expect(Math.abs(gammaLowerTail(a, y) / lower - 1)).toBeLessThan(GAMMA_ERROR);
    }
  });

  it.each([1.5, 9.5, 20.5, 500, 40_000.5])('gamma tails of shape %d are integrals', (a) => {
    // In w = √y, where half-integer shapes are smooth at zero; relative to the peak, so that nothing overflows.
    const peak = (2 * a - 1) * Math.log(Math.sqrt(a)) - a;
    const density = (w: number) => (w === 0 ? 0 : Math.exp((2 * a - 1) * Math.log(w) - w * w - peak));
    const between = (from: number, to: number) => integrate(density, Math.sqrt(from), Math.sqrt(to));
    const least = Math.max(0, Math.sqrt(a) - 8) ** 2;
    const most = (Math.sqrt(a) + 8) ** 2;
    for (const deviations of [-5, -2, -0.5, 0]) {
      const y = a + deviations * Math.sqrt(a);
      if (y <= 0) continue;
      const total = between(least, y) + between(y, most);
      expect(Math.abs(gammaLowerTail(a, y) / (between(least, y) / total) - 1)).toBeLessThan(1e-11);
      const z = a + 1 - deviations * Math.sqrt(a);
      expect(
        Math.abs(gammaUpperTail(a, z) / (between(z, most) / (between(least, z) + between(z, most))) - 1),
      ).toBeLessThan(1e-11);
    }
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

describe('Wishart', () => {
  it.each([
    { k: 5, scale: 30, epsilon: 1 },
    { k: 8, scale: 0.7, epsilon: 0.2 },
    { k: 30, scale: 0.5, epsilon: 0.5 },
    { k: 30, scale: 4, epsilon: 0.3 },
    { k: 400, scale: 0.2, epsilon: 1 },
    { k: 20_000, scale: 0.1, epsilon: 0.1 },
  ])('gives the delta of two shifted chi-squares: $k, $scale, $epsilon', ({ k, scale, epsilon }) => {
    const d = 3;
    const m = k - d + 1;
    // Densities of s χ²_m over t = w², by a numerical normalisation; the shift is one.
    const peak = m / 2 - 1;
    const log = (t: number) =>
      t <= 0 ? -Infinity : peak * Math.log(t / scale / (2 * peak)) - t / scale / 2 + peak;
    const middle = Math.sqrt(scale * m);
    const reach = 10 * Math.sqrt(scale);
    const over = (f: (t: number) => number) =>
      integrate((w) => 2 * w * f(w * w), Math.max(0, middle - reach), middle + reach + 2, 200_000);
    const total = over((t) => Math.exp(log(t)));
    const without = over((t) => Math.max(0, Math.exp(log(t)) - Math.exp(epsilon + log(t - 1)))) / total;
    const withRow = over((t) => Math.max(0, Math.exp(log(t - 1)) - Math.exp(epsilon + log(t)))) / total;
    const [removing, adding] = [deltaOfRemoving, deltaOfAdding].map((f) =>
      f(m / 2, 1 / (2 * scale), epsilon),
    );
    expect(removing! / without).toBeCloseTo(1, 4);
    expect(Math.abs(adding! - withRow)).toBeLessThan(1e-4 * withRow + 1e-14);
    const dpDelta = dpDeltaOfWishart({ dimension: d, degreesOfFreedom: k, scale, epsilon });
    expect(dpDelta).toBe(Math.max(removing!, adding!));
  });

  it('says that d + 1 degrees of freedom hide no row, whatever the scale or epsilon', () => {
    for (const epsilon of [0.5, 3, 50]) {
      const scale = 3 / (2 * epsilon);
      const dpDelta = dpDeltaOfWishart({ dimension: 6, degreesOfFreedom: 7, scale, epsilon });
      expect(dpDelta).toBeCloseTo(-Math.expm1(-epsilon / 3), 10);
    }
  });

  it.each(GRID)('keeps delta and is tight: epsilon $epsilon, delta $dpDelta', (budget) => {
    const shape = { dimension: 4, degreesOfFreedom: 60 };
    const scale = calibrateWishart({ ...shape, ...budget });
    const at = (factor: number) =>
      dpDeltaOfWishart({ ...shape, scale: scale * factor, epsilon: budget.epsilon });
    expect(at(1)).toBeLessThanOrEqual(budget.dpDelta);
    expect(at(1 - 1e-6)).toBeGreaterThan(budget.dpDelta);
  });

  it('leaves, at an epsilon of any size, what only one of the two sets can give', () => {
    for (const epsilon of [30, 700, 5_000]) {
      for (const k of [3, 4, 20]) {
        const dpDelta = dpDeltaOfWishart({ dimension: 2, degreesOfFreedom: k, scale: 0.5, epsilon });
        expect(dpDelta).toBeGreaterThanOrEqual(gammaLowerTail((k - 1) / 2, 1) * (1 - 1e-12));
        if (epsilon >= 700) expect(dpDelta / gammaLowerTail((k - 1) / 2, 1)).toBeCloseTo(1, 9);
      }
    }
  });

  it('nears symmetric Gaussian noise as the degrees of freedom grow', () => {
    const budget = { epsilon: 1, dpDelta: 1e-6 };
    const sigma = calibrateAnalyticGaussian({ sensitivity: 1, ...budget });
    const deviations = [50, 500, 5_000, 500_000].map((m) => {
      const scale = calibrateWishart({ dimension: 2, degreesOfFreedom: m, ...budget });
      return scale * Math.sqrt(2 * m);
    });
    expect(deviations).toEqual([...deviations].sort((a, b) => b - a));
    expect(deviations.at(-1)! / sigma).toBeGreaterThan(1);
    expect(deviations.at(-1)! / sigma).toBeLessThan(1.01);
  });
});
