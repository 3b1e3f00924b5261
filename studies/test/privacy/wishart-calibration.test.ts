/** The Wishart mechanism's calibration against integrals and sums that do not share its formulas. */

import { calibrateAnalyticGaussian } from '@eigenveil/privacy';
import { integrate } from '@eigenveil/testbed/goodness/integrate';
import { describe, expect, it } from 'vitest';
import { GAMMA_ERROR, gammaLowerTail, gammaUpperTail } from '../../privacy/mechanisms/gamma.ts';
import {
  calibrateWishart,
  deltaOfAdding,
  deltaOfRemoving,
  dpDeltaOfWishart,
} from '../../privacy/mechanisms/wishart-calibration.ts';

const grid = (epsilons: readonly number[], deltas: readonly number[]) =>
  epsilons.flatMap((epsilon) => deltas.map((dpDelta) => ({ epsilon, dpDelta })));
const GRID = grid([0.01, 0.1, 0.5, 1, 2, 5, 10], [1e-15, 1e-9, 1e-6, 1e-3, 0.1, 0.5]);
const EXTREMES = grid([1e-9, 1e3, 1e9], [1e-300, 1e-12, 1 - 1e-9]);

describe('gamma tails', () => {
  it.each([1, 2, 7, 19, 20, 21, 60, 150])('of integer shape %d are Poisson sums', (a) => {
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

  it.each([1.5, 9.5, 20.5, 500, 40_000.5])('of shape %d are integrals', (a) => {
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
      const upper = between(z, most) / (between(least, z) + between(z, most));
      expect(Math.abs(gammaUpperTail(a, z) / upper - 1)).toBeLessThan(1e-11);
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

  it.each(EXTREMES)('keeps delta: epsilon $epsilon, delta $dpDelta', (budget) => {
    const shape = { dimension: 2, degreesOfFreedom: 12 };
    const scale = calibrateWishart({ ...shape, ...budget });
    const { epsilon, dpDelta } = budget;
    expect(dpDeltaOfWishart({ ...shape, scale, epsilon })).toBeLessThanOrEqual(dpDelta);
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
