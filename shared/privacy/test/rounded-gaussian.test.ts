import { describe, expect, test } from 'vitest';
import {
  calibrateAnalyticGaussian,
  calibrateRoundedGaussian,
  dpDeltaOfGaussian,
  predictableRandomness,
  roundedGaussianSampler,
} from '../src/index.ts';
import { deltaBySum, distribution, pValue } from './goodness.ts';

/** The probability that N(0, σ²) is rounded to y, by the midpoint rule on fine steps. */
function cell(y: number, sigma: number): number {
  const steps = 200;
  let sum = 0;
  for (let i = 0; i < steps; i++) sum += Math.exp(-((y - 0.5 + (i + 0.5) / steps) ** 2) / (2 * sigma ** 2));
  return sum / steps;
}

describe.each([
  [1n, 1n],
  [9n, 4n],
  [400n, 1n],
])('rounded Gaussian noise of variance %i/%i', (numerator, denominator) => {
  const sigma = Math.sqrt(Number(numerator) / Number(denominator));
  const expected = distribution(Math.ceil(9 * sigma), (y) => Math.log(cell(y, sigma)));
  const draw = roundedGaussianSampler(predictableRandomness(`rounded ${sigma}`), {
    sigmaSquared: { numerator, denominator },
  });
  const samples = Array.from({ length: 20_000 }, draw);

  test('is what rounding gives, and not a discrete Gaussian of that variance', () => {
    expect(pValue(samples, expected)).toBeGreaterThan(1e-4);
    const discrete = distribution(Math.ceil(9 * sigma), (y) => -(y * y) / (2 * sigma ** 2));
    if (sigma < 2) expect(pValue(samples, discrete)).toBeLessThan(1e-4);
  });

  test('hides shifts no worse than the continuous noise', () => {
    for (const shift of [1n, 2n, 5n]) {
      for (const epsilon of [0.1, 1, 3]) {
        const exact = dpDeltaOfGaussian({ sigma, sensitivity: Number(shift), epsilon });
        // Both are sums and integrals to nine digits.
        expect(deltaBySum(expected, shift, epsilon)).toBeLessThanOrEqual(exact + 1e-6);
      }
    }
  });
});

test('zero variance draws zeros', () => {
  const draw = roundedGaussianSampler(predictableRandomness('zero'), {
    sigmaSquared: { numerator: 0n, denominator: 1n },
  });
  expect([draw(), draw(), draw()]).toEqual([0n, 0n, 0n]);
});

test('takes hardly more than the continuous noise, and never less', () => {
  for (const epsilon of [0.01, 0.1, 1, 10]) {
    for (const dpDelta of [1e-12, 1e-5, 0.01]) {
      const exact = calibrateAnalyticGaussian({ sensitivity: 1, epsilon, dpDelta });
      const sigma = calibrateRoundedGaussian({ epsilon, dpDelta, values: 2 ** 20 });
      expect(sigma).toBeGreaterThan(exact);
      expect(sigma / exact).toBeLessThan(1 + 1e-8);
    }
  }
});

test.each([
  { epsilon: 1e-9, dpDelta: 1e-5, values: 10 },
  { epsilon: 1, dpDelta: 1e-60, values: 10 },
  { epsilon: 1, dpDelta: 1e-5, values: 2 ** 21 },
  { epsilon: 1000, dpDelta: 1e-5, values: 10 },
])('refuses %j, where the proof does not reach', (parameters) => {
  expect(() => calibrateRoundedGaussian(parameters)).toThrow(
    expect.objectContaining({ code: 'ERR_DP_PARAMETER' }),
  );
});
