/** The statistics of `npm run bench:timing`, on durations that were made up: no test depends on how fast anything is. */

import jstat from '@eigenveil/testbed/goodness/jstat';
import { generator, normal } from '@eigenveil/testbed/random';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wrongAt } from '../../speed/timing/controls.ts';
import { measureOperation } from '../../speed/timing/measure.ts';
import { faultsOf, readingOf } from '../../speed/timing/verdict.ts';
import { compareClasses, keptFractions, moments, welch } from '../../speed/timing/welch.ts';

/** Gives standard normal numbers, the same for the same seed. */
function normals(seed: number): () => number {
  const next = generator(seed);
  return () => normal(next);
}

/** Durations of both classes in turns. */
function samplesOf(count: number, timeOf: (which: 0 | 1, index: number) => number) {
  const classes = Uint8Array.from({ length: count }, (_, i) => i % 2);
  return { classes, times: Float64Array.from(classes, (which, i) => timeOf(which as 0 | 1, i)) };
}

describe("Welch's t", () => {
  test('of small samples is what a hand computes', () => {
    // Means 2 and 6, variances 1 and 4, so t = 4 / sqrt(1/3 + 4/3).
    const { t, difference, standardError } = welch(Float64Array.of(1, 2, 3), Float64Array.of(4, 6, 8));
    expect(difference).toBe(4);
    expect(standardError).toBeCloseTo(Math.sqrt(5 / 3), 14);
    expect(t).toBeCloseTo(4 / Math.sqrt(5 / 3), 14);
    expect(moments(Float64Array.of(2, 4, 4, 4, 5, 5, 7, 9))).toEqual({ mean: 5, variance: 32 / 7 });
  });

  test('of unequal counts and variances is what SciPy 1.17 computes (ttest_ind with equal_var=False)', () => {
    const a = Float64Array.of(27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6);
    const b = Float64Array.of(27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8);
    expect(welch(a, b).t).toBeCloseTo(2.2380267154762366, 10);
  });

  test('of classes of one size squared is the F of a one-way analysis of variance', () => {
    const samples = fc.array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), {
      minLength: 8,
      maxLength: 40,
    });
    fc.assert(
      fc.property(samples, (values) => {
        const half = values.length >> 1;
        const [a, b] = [values.slice(0, half), values.slice(half, 2 * half)];
        fc.pre(moments(Float64Array.from(a)).variance + moments(Float64Array.from(b)).variance > 1e-3);
        const { t } = welch(Float64Array.from(a), Float64Array.from(b));
        const f = jstat.anovafscore(a, b);
        expect(Math.abs(t * t - f)).toBeLessThanOrEqual(1e-6 * (1 + f));
      }),
    );
  });

  test('of equal classes that never vary is 0', () => {
    expect(welch(Float64Array.of(3, 3), Float64Array.of(3, 3)).t).toBe(0);
  });
});

describe('two classes', () => {
  test('that are alike are not told apart', () => {
    for (let seed = 1; seed <= 5; seed += 1) {
      const noise = normals(seed);
      const comparison = compareClasses(samplesOf(4000, () => 100 + noise()));
      expect(readingOf(comparison)).toBe('no difference seen');
      expect(comparison.counts).toEqual([2000, 2000]);
      expect(Math.abs(comparison.difference)).toBeLessThan(comparison.visible);
    }
  });

  test('whose means differ are told apart, with the sign and size of the difference', () => {
    const noise = normals(1);
    const { t, difference, order, medians } = compareClasses(
      samplesOf(20_000, (which) => 100 + noise() + 0.5 * which),
    );
    // Over all samples t is 0.5 / sqrt(2 / 10,000) = 35, give or take one.
    expect(t).toBeGreaterThan(30);
    expect(order).toBe(1);
    expect(difference).toBeGreaterThan(0.2);
    expect(medians[1] - medians[0]).toBeCloseTo(0.5, 1);
  });

  test('that differ by less than rare interruptions hide show when the tail is cropped', () => {
    const noise = normals(2);
    const next = generator(3);
    const samples = samplesOf(
      20_000,
      (which) => 100 + noise() + 0.3 * which + (next() < 0.05 ? 50_000 * next() : 0),
    );
    const [a, b] = ([0, 1] as const).map((which) =>
      samples.times.filter((_, i) => samples.classes[i] === which),
    );
    expect(Math.abs(welch(a!, b!).t)).toBeLessThan(4.5);
    const { t, kept } = compareClasses(samples);
    expect(t).toBeGreaterThan(10);
    expect(kept).toBeLessThan(0.97);
  });

  test('whose means agree but whose variances differ show in the second order', () => {
    // Uniform on [-1, 1] or at its ends: the lines across the tail do not move the means apart.
    const next = generator(5);
    const samples = samplesOf(20_000, (which) => {
      const u = 2 * next() - 1;
      return 100 + (which === 0 ? u : Math.sign(u));
    });
    const { order, t } = compareClasses({ ...samples });
    expect(Math.abs(t)).toBeGreaterThan(10);
    expect(order).toBe(2);
  });

  test('with too few samples are refused', () => {
    expect(() => compareClasses(samplesOf(99, () => 1))).toThrow(/at least 50 in each class, got 50 and 49/);
  });

  test('are looked at as a whole first, then ever closer to it', () => {
    const [whole, ...croppings] = keptFractions();
    expect(whole).toBe(1);
    expect(croppings[0]).toBeCloseTo(0.2929, 4);
    expect(croppings.at(-1)).toBeCloseTo(1 - 2 ** -10, 12);
    expect(croppings).toEqual(croppings.toSorted((x, y) => x - y));
  });
});

describe('a run', () => {
  const positive = { name: 'leaks', kind: 'positive control' as const, t: -60 };
  const negative = { name: 'alike', kind: 'negative control' as const, t: 2 };
  const operation = { name: 'decryption', kind: 'operation' as const, t: 1000 };

  test('whose controls are as they must be is valid, whatever its operations show', () => {
    expect(faultsOf([positive, negative, operation])).toEqual([]);
  });

  test('that misses what leaks, tells equal classes apart or has no controls is not', () => {
    expect(faultsOf([{ ...positive, t: 9.9 }, negative])).toEqual([
      expect.stringMatching(/"leaks" expected \|t\| above 10, got 9.9/),
    ]);
    expect(faultsOf([positive, { ...negative, t: -10.1 }])).toEqual([
      expect.stringMatching(/"alike" expected \|t\| of at most 10, got 10.1/),
    ]);
    expect(faultsOf([operation])).toHaveLength(2);
  });

  test.each([
    [4.5, 'no difference seen'],
    [-4.6, 'suspicious'],
    [10, 'suspicious'],
    [-10.1, 'differs'],
  ] as const)('reads |t| of %d as %s', (t, reading) => {
    expect(readingOf({ t })).toBe(reading);
  });
});

test('an operation gets inputs of both classes, each used once, and as many samples as its slowness allows', async () => {
  const made: number[] = [];
  let [called, closed] = [0, 0];
  const { times, classes } = await measureOperation(
    {
      name: 'x',
      kind: 'operation',
      classes: ['a', 'b'],
      slowness: 4,
      open: async () => ({
        prepare(which) {
          made.push(which);
          const call = made.length;
          return async () => {
            called += 1;
            expect(call).toBe(called);
          };
        },
        close: () => {
          closed += 1;
        },
      }),
    },
    4001,
    () => undefined,
  );
  expect(times).toHaveLength(1001);
  expect([...classes]).toEqual(made.slice(-1001));
  expect(new Set(classes)).toEqual(new Set([0, 1]));
  expect([called, closed]).toEqual([made.length, 1]);
});

test('a wrong token differs from the secret in one place', () => {
  for (const [secret, position, wrong] of [
    ['AAAA', 0, 'BAAA'],
    ['CDEF', 3, 'CDEA'],
  ] as const)
    expect(wrongAt(secret, position)).toBe(wrong);
});
