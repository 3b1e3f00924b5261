/**
 * Two tasks that share a budget keep it together, by noise that adds up as precisions do.
 *
 * @claims P-91
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { calibrateRoundedGaussian, dpDeltaOfGaussian, partOfBudget, restOfBudget } from '../src/index.ts';

const sigmaOf = (epsilon: number, dpDelta: number) =>
  calibrateRoundedGaussian({ sensitivity: 1, epsilon, dpDelta });

const budgets = fc.record({
  epsilon: fc.double({ min: 0.05, max: 20, noNaN: true }),
  dpDelta: fc.double({ min: 1e-12, max: 1e-3, noNaN: true }),
});

test('both together keep the budget, and leave next to nothing of it', () => {
  fc.assert(
    fc.property(budgets, fc.double({ min: 0.05, max: 0.95, noNaN: true }), (budget, share) => {
      const { epsilon, dpDelta } = budget;
      const first = partOfBudget(budget, share);
      const second = restOfBudget(budget, { epsilon: first, dpDelta });
      const precision = sigmaOf(first, dpDelta) ** -2 + sigmaOf(second, dpDelta) ** -2;
      const together = dpDeltaOfGaussian({ sigma: precision ** -0.5, sensitivity: 1, epsilon });
      expect(together).toBeLessThanOrEqual(dpDelta);
      expect(precision * sigmaOf(epsilon, dpDelta) ** 2).toBeGreaterThan(0.995);
      // More than what is left when ε is subtracted.
      expect(first + second).toBeGreaterThan(epsilon);
    }),
    { numRuns: 10 },
  );
});

test('by hand: a third of the precision for the first of two tasks, (1, 10^-5)', () => {
  // σ = 3.7306 for both; √3 σ and √(3/2) σ for each, which are the deviations of these ε.
  const budget = { epsilon: 1, dpDelta: 1e-5 };
  const first = partOfBudget(budget, 1 / 3);
  expect(sigmaOf(1, 1e-5)).toBeCloseTo(3.7306, 3);
  expect(sigmaOf(first, 1e-5)).toBeCloseTo(Math.sqrt(3) * 3.7306, 1);
  expect(sigmaOf(restOfBudget(budget, { epsilon: first, dpDelta: 1e-5 }), 1e-5)).toBeCloseTo(
    Math.sqrt(1.5) * 3.7306,
    1,
  );
});

test('a first task of another δ counts by its own noise', () => {
  const budget = { epsilon: 1, dpDelta: 1e-5 };
  const rest = (dpDelta: number) => restOfBudget(budget, { epsilon: 0.5, dpDelta });
  expect(rest(1e-9)).toBeGreaterThan(rest(1e-5));
});

test('nothing is left of a budget that is spent', () => {
  const budget = { epsilon: 1, dpDelta: 1e-6 };
  for (const epsilon of [1, 2])
    expect(() => restOfBudget(budget, { epsilon, dpDelta: 1e-6 })).toThrow(
      expect.objectContaining({ code: 'ERR_DP_PARAMETER' }),
    );
  for (const share of [0, 1, Number.NaN])
    expect(() => partOfBudget(budget, share)).toThrow(expect.objectContaining({ code: 'ERR_DP_PARAMETER' }));
});
