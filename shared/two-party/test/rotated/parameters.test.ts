/**
 * Ring lengths, their limit, and the computed distance of the data user's view from its simulation.
 *
 * @claims S-56
 */
import { describe, expect, it } from 'vitest';
import { rotatedDistance, rotatedParameters, rotatedRingBits } from '../../src/rotated/parameters.ts';
import { turningPlan } from '../../src/rotated/turning.ts';
import { settingOf } from './settings.ts';

function task(features: number, maximumOwners = 16, maximumSamplesPerOwner = 1024) {
  return settingOf({ rows: [], features, components: 1, task: { maximumOwners, maximumSamplesPerOwner } })
    .task;
}

describe('rotatedRingBits', () => {
  it.each([
    [1, 16, 1024, 28 + 28 + 2 * 76 + 0 + 2],
    [8, 16, 1024, 28 + 28 + 2 * 79 + 3 + 2],
    [50, 16, 1024, 28 + 28 + 2 * 82 + 6 + 2],
    [64, 16, 1025, 30 + 28 + 2 * 82 + 6 + 2],
    [65, 16, 1024, 28 + 28 + 2 * 83 + 7 + 2],
    [200, 16, 2 ** 17, 42 + 28 + 2 * 84 + 8 + 2],
  ])('is that of the formula for %i features, %i owners of %i samples', (d, owners, samples, expected) => {
    expect(rotatedRingBits(task(d, owners, samples))).toBe(expected);
  });

  it('refuses a ring of more than 256 bits', () => {
    expect(rotatedRingBits(task(50, 2 ** 14, 2 ** 14))).toBe(256);
    expect(() =>
      settingOf({
        rows: [],
        features: 50,
        components: 1,
        task: { maximumOwners: 2 ** 15, maximumSamplesPerOwner: 2 ** 14 },
      }),
    ).toThrow(expect.objectContaining({ code: 'ERR_TASK_RANGE' }));
  });

  it('refuses more than 400 features, and more than 200 of a correlation matrix', () => {
    const refused = expect.objectContaining({ code: 'ERR_TASK_RANGE' });
    expect(rotatedRingBits(task(400))).toBe(237);
    expect(() => settingOf({ rows: [], features: 401, components: 1 })).toThrow(refused);
    const correlation = { method: { kind: 'pca', scale: 'correlation' } } as const;
    expect(() => rotatedRingBits({ ...task(200), ...correlation })).not.toThrow();
    expect(() => rotatedRingBits({ ...task(201), ...correlation })).toThrow(refused);
  });

  it('leaves the mask far below a unit of T, and noise and flood their fraction bits', () => {
    for (const d of [1, 2, 8, 50, 200, 255, 256, 257, 400]) {
      const { maskBits, rotationBits, noiseBits, floodBits, ringBits } = rotatedParameters(task(d));
      expect(maskBits + Math.log2(d)).toBeLessThanOrEqual(2 * rotationBits - 4);
      expect(noiseBits).toBeGreaterThan(100);
      expect(floodBits).toBeGreaterThan(100);
      expect(maskBits).toBeLessThan(ringBits - 36);
    }
  });
});

describe('shares of the CSP', () => {
  it('are shorter than the ring for every task', { tags: ['long'] }, () => {
    for (const d of [1, 4, 50]) {
      for (const [owners, samples] of [
        [2, 1],
        [16, 1024],
        [2 ** 10, 2 ** 11],
      ] as const) {
        const { shareBits, ringBits } = rotatedParameters({
          ...task(d, owners, samples),
          statisticalSecurityBits: 128,
        });
        expect(Math.max(shareBits.R, shareBits.V) + 1).toBeLessThan(ringBits);
      }
    }
  });
});

describe('products', () => {
  it('have room in a modulus for every task', async () => {
    for (const d of [1, 2, 3, 34, 200, 400]) {
      for (const [owners, samples] of [
        [2, 1],
        [2 ** 10, 2 ** 11],
        // The widest rings with 34 features, 200 and 400, of 256 bits.
        [2 ** 14, 2 ** (d > 200 ? 8 : d > 100 ? 11 : 14)],
      ] as const) {
        for (const statisticalSecurityBits of [40, 128]) {
          const wide = { ...task(d, owners, samples), statisticalSecurityBits };
          for (const components of new Set([1, d])) {
            const program = settingOf({ rows: [], features: d, components }).program;
            const { products } = await turningPlan(wide, program);
            // Six, and more where R or V are in digits.
            expect(products.length).toBeGreaterThanOrEqual(6);
          }
        }
      }
    }
  });
});

describe('rotatedDistance', () => {
  const title = 'is at most 2^−38 for';
  it(`${title} numbers of features and components, those about powers of two among them`, () =>
    isSmall([1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65, 100, 128, 129, 200, 256, 257, 400]));
  it(`${title} every supported number`, { tags: ['long'] }, () =>
    isSmall(Array.from({ length: 400 }, (_, i) => i + 1)),
  );

  function isSmall(sizes: readonly number[]) {
    for (const d of sizes) {
      const parameters = rotatedParameters(task(d));
      for (const components of new Set([1, Math.max(1, d - 2), d])) {
        expect(rotatedDistance(parameters, components).total).toBeLessThan(2 ** -38);
      }
    }
  }

  it('grows with every source of error', () => {
    const parameters = rotatedParameters(task(50));
    const { total } = rotatedDistance(parameters, 15);
    expect(rotatedDistance(parameters, 48).total).toBeGreaterThan(total);
    expect(rotatedDistance({ ...parameters, rotationBits: 70 }, 15).total).toBeGreaterThan(2 ** -38);
    // The mask of a bound on the trace alone would not hide what products are off by.
    const { maskBits, hiddenBits, ringBits, rotationBits } = parameters;
    const narrow = maskBits - hiddenBits + (ringBits - 2 * rotationBits - 2);
    expect(rotatedDistance({ ...parameters, maskBits: narrow }, 15).total).toBeGreaterThan(2 ** -38);
    const { total: sum, ...parts } = rotatedDistance(parameters, 15);
    expect(Object.values(parts).reduce((a, b) => a + b)).toBe(sum);
  });
});
