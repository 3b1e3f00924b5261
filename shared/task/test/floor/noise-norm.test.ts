/** The forecast of the noise on the total scatter. */
import { expect, test } from 'vitest';
import { largestScatter, noiseNorm, noisePlanOf, rowsToStandOut } from '../../src/index.ts';

const task = {
  method: { kind: 'pca' },
  features: Array.from({ length: 9 }, (_, i) => ({ name: `f${i}`, min: 0, max: 1 })),
  labellings: [],
  fractionBits: 14,
  maximumOwners: 10,
  maximumSamplesPerOwner: 50,
  keyBits: 3072,
  statisticalSecurityBits: 40,
  differentialPrivacy: {
    epsilon: 1,
    delta: 1e-6,
    neighbours: 'add-remove',
    clippingNorm: 2,
    noise: 'servers',
    honestOwners: null,
    dataIndependentRanges: true,
  },
} as const;
const labelling = { column: 'label', classes: ['a', 'b'] };

test('without differential privacy there is no noise, and MDR has no S̄', () => {
  for (const other of [
    { ...task, differentialPrivacy: null },
    { ...task, method: { kind: 'mdr', ridge: 1 }, labellings: [labelling, { ...labelling, column: 'sex' }] },
  ] as const) {
    expect(noiseNorm(other, 1)).toBeUndefined();
    expect(largestScatter(other)).toBeUndefined();
  }
});

test('around a mean of zero it is that of a Gaussian symmetric matrix, √(2d) deviations of its diagonal', () => {
  const deviation = noisePlanOf(task)!.deviations.R / 4 ** 14;
  expect(noiseNorm(task, 0)).toBeCloseTo(Math.sqrt(18) * deviation, 6);
});

test('it grows with the mean of the rows without a jump, and with the classes whose sums are noisy', () => {
  const lengths = Array.from({ length: 41 }, (_, i) => i / 20);
  const norms = lengths.map((length) => noiseNorm(task, length)!);
  for (const [i, norm] of norms.entries()) {
    expect(norm).toBeGreaterThanOrEqual(norms[Math.max(0, i - 1)]!);
    expect(norm).toBeLessThan(1.1 * norms[Math.max(0, i - 1)]!);
  }
  expect(norms.at(-1)! / norms[0]!).toBeGreaterThan(1.5);
  const lda = (classes: string[]) =>
    noiseNorm({ ...task, method: { kind: 'lda', ridge: 1 }, labellings: [{ column: 'label', classes }] }, 1)!;
  expect(lda(['a', 'b', 'c', 'd'])).toBeGreaterThan(1.1 * lda(['a', 'b']));
});

test('the largest scatter is that of all rows that there is room for, at the clipping norm', () => {
  expect(largestScatter(task)).toBe(10 * 50 * 4);
});

test('a component stands out once its eigenvalue is as large as the noise', () => {
  expect(rowsToStandOut(100, 0.3)).toBe(334);
});
