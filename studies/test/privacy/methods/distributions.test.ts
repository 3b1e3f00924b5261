import { predictableRandomness } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { calibrateLaplace } from '../../../privacy/mechanisms/additive.ts';
import { hpdpContributions } from '../../../privacy/methods/hpdp.ts';
import type { PcaSetting } from '../../../privacy/methods/method.ts';
import { drawPiecewise, piecewise, piecewiseLow } from '../../../privacy/methods/piecewise.ts';
import { RealDraws } from '../../../privacy/random/real.ts';

/** Kolmogorov and Smirnov's distance times √n: above 1.95 in one of a thousand tests of a true distribution. */
function distance(samples: readonly number[], cumulative: (x: number) => number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const n = sorted.length;
  const gaps = sorted.map((x, i) => Math.max(cumulative(x) - i / n, (i + 1) / n - cumulative(x)));
  return Math.max(...gaps) * Math.sqrt(n);
}
const CRITICAL = 1.95;

describe('the noise of HPDP', () => {
  const laplace = (scale: number) => (x: number) =>
    x < 0 ? Math.exp(x / scale) / 2 : 1 - Math.exp(-x / scale) / 2;

  const addsUp = (sites: number) => {
    const setting: PcaSetting = { components: 1, epsilon: 0.5, dpDelta: 1e-5, clippingNorm: 1 };
    // Rows of zeros: 1,830 entries of nothing but noise.
    const rows = Array.from({ length: sites }, () => [new Array<number>(60).fill(0)]);
    const scale = calibrateLaplace({ sensitivity: 30.5, epsilon: 0.5 });
    const contributions = hpdpContributions(predictableRandomness(`hpdp ${sites}`), rows, setting);
    const samples = contributions[0]!.map(
      (_, i) => Number(contributions.reduce((sum, own) => sum + own[i]!, 0n)) / 2 ** 32,
    );
    expect(distance(samples, laplace(scale))).toBeLessThan(CRITICAL);
    expect(distance(samples, laplace(1.4 * scale))).toBeGreaterThan(CRITICAL);
  };

  it.each([1])('adds up to one Laplace noise over %i sites', addsUp);
  it.each([3, 10])('adds up to one Laplace noise over %i sites', { tags: ['long'] }, addsUp);
});

describe.each([0.1, 1, 4])('the piecewise mechanism with ε = %f', (epsilon) => {
  const mechanism = piecewise(epsilon);
  const { bound, width, inside } = mechanism;
  const high = inside / width;
  const low = (1 - inside) / (bound + 1);

  it('has two densities that differ by a factor of exp(ε)', () => {
    expect(high / low).toBeCloseTo(Math.exp(epsilon), 9);
  });

  it.each([-1, -0.3, 0, 0.6, 1])('for %f its interval lies within the bound and its mean is that', (t) => {
    const from = piecewiseLow(mechanism, t);
    expect(from).toBeGreaterThanOrEqual(-bound - 1e-12);
    expect(from + width).toBeLessThanOrEqual(bound + 1e-12);
    const integral = (a: number, b: number) => (b * b - a * a) / 2;
    expect(low * integral(-bound, bound) + (high - low) * integral(from, from + width)).toBeCloseTo(t, 10);
  });

  it.each([-1, 0.25, 1])('draws what its densities say, for %f', (t) => {
    const draws = new RealDraws(predictableRandomness(`piecewise ${epsilon} ${t}`));
    const samples = Array.from({ length: 4000 }, () => drawPiecewise(draws, mechanism, t));
    const from = piecewiseLow(mechanism, t);
    const cumulative = (x: number) =>
      low * (x + bound) + (high - low) * Math.min(width, Math.max(0, x - from));
    expect(distance(samples, cumulative)).toBeLessThan(CRITICAL);
    expect(samples.every((x) => Math.abs(x) <= bound)).toBe(true);
  });
});
