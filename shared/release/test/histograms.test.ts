/** What follows from noisy counts: monotone cumulative counts, quantiles with their intervals, the number of rows. */

import { lowerRate } from '@eigenveil/testbed/goodness/audit';
import { SAMPLES } from '@eigenveil/testbed/goodness/samples';
import { predictableRandomness } from '@eigenveil/testbed/random';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calibrateRelease, noiseSampler, type ReleaseBudget } from '../src/noise.ts';
import { monotoneCumulative, type NoisyHistogram, privateQuantile } from '../src/quantiles.ts';
import { restore } from '../src/restoration.ts';
import { coefficientsOf, flat, privelet, type Strategy, tree } from '../src/strategy.ts';

const sums = (counts: readonly number[]) =>
  counts.map((_, i) => counts.slice(0, i + 1).reduce((a, b) => a + b, 0));
const distance = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, value, i) => sum + (value - b[i]!) ** 2, 0);

describe('monotone cumulative counts', () => {
  const counts = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 30 });

  it('have known answers', () => {
    expect(monotoneCumulative([-2, 5, -1, 4])).toEqual([0, 2.5, 2.5, 6]);
    expect(monotoneCumulative([3, 0, 2])).toEqual([3, 3, 5]);
    expect(monotoneCumulative([3, -1, -1])).toEqual([2, 2, 2]);
    expect(monotoneCumulative([-3, 1, 1])).toEqual([0, 0, 0]);
    expect(monotoneCumulative([])).toEqual([]);
  });

  it('are the projection: monotone, at least 0, and at an obtuse angle to every other such sequence', () => {
    fc.assert(
      fc.property(counts, fc.array(fc.nat(40), { minLength: 30, maxLength: 30 }), (noisy, steps) => {
        const projected = monotoneCumulative(noisy);
        expect(projected.every((value, i) => value >= (projected[i - 1] ?? 0))).toBe(true);
        const other = sums(steps.slice(0, noisy.length));
        const away = sums(noisy).map((value, i) => value - projected[i]!);
        const along = away.reduce((sum, value, i) => sum + value * (other[i]! - projected[i]!), 0);
        expect(along).toBeLessThan(1e-6);
        // So they are never farther from the truth.
        expect(distance(projected, other)).toBeLessThan(distance(sums(noisy), other) + 1e-6);
      }),
    );
  });

  it('leave true counts as they are', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50), { minLength: 1 }), (truth) => {
        expect(monotoneCumulative(truth)).toEqual(sums(truth));
      }),
    );
  });
});

function noisyHistogram(
  strategy: Strategy,
  budget: ReleaseBudget,
  truth: readonly number[],
  seed: string,
): NoisyHistogram {
  const noise = calibrateRelease(strategy, { features: 1, neighbours: 'add-remove', budget });
  const servers = 2;
  const draws = [1, 2].map((server) => noiseSampler(predictableRandomness(`${seed} ${server}`), noise));
  const coefficients = coefficientsOf(strategy, truth.map(BigInt)).map((value) =>
    Number(draws.reduce((sum, draw) => sum + draw(), value)),
  );
  return { strategy, noise, servers, counts: restore(strategy, coefficients) };
}

/** Ten rows in each of the middle bins, one in some others. */
const TRUTH = Array.from({ length: 64 }, (_, i) => (i >= 20 && i < 44 ? 40 : i % 3));
const ROWS = TRUTH.reduce((a, b) => a + b, 0);
const trueEdge = (q: number) => sums(TRUTH).findIndex((value) => value >= q * ROWS) + 1;

describe('quantiles', () => {
  const STRATEGIES: readonly (readonly [Strategy, ReleaseBudget])[] = [
    [flat(64), { epsilon: 1 }],
    [privelet(6), { epsilon: 1 }],
    [tree([8, 8]), { epsilon: 1, dpDelta: 1e-6 }],
    [privelet(6), { epsilon: 1, dpDelta: 1e-6 }],
  ];

  for (const { title, tags, of } of SAMPLES)
    describe(title, { tags }, () => {
      it.each(STRATEGIES)(
        'lie in their interval as often as is promised: %o, %o',

        (strategy, budget) => {
          const runs = of(150, 40);
          for (const q of [0.1, 0.5]) {
            let hits = 0;
            for (let run = 0; run < runs; run += 1) {
              const found = privateQuantile(noisyHistogram(strategy, budget, TRUTH, `quantile ${q} ${run}`), {
                q,
                confidence: 0.8,
              });
              expect(found!.least).toBeLessThanOrEqual(found!.estimate);
              expect(found!.estimate).toBeLessThanOrEqual(found!.largest);
              if (found!.least <= trueEdge(q) && trueEdge(q) <= found!.largest) hits += 1;
            }
            // Missed by no more than chance: 1 − 0.8 lies above what the misses prove.
            expect(lowerRate(runs - hits, runs)).toBeLessThan(0.2);
          }
        },
      );
    });

  it('are exact without noise to speak of, and intervals grow with noise and confidence', () => {
    const strategy = privelet(6);
    const exact: NoisyHistogram = {
      strategy,
      noise: { kind: 'laplace', scale: { numerator: 1n, denominator: 1000n } },
      servers: 2,
      counts: TRUTH,
    };
    for (const q of [0.0055, 0.25, 0.5, 0.99]) {
      const edge = trueEdge(q);
      expect(privateQuantile(exact, { q, confidence: 0.95 })).toEqual({
        estimate: edge,
        least: edge,
        largest: edge,
      });
    }
    const width = (epsilon: number, confidence: number) => {
      const noise = calibrateRelease(strategy, {
        features: 1,
        neighbours: 'add-remove',
        budget: { epsilon },
      });
      const { least, largest } = privateQuantile({ ...exact, noise }, { q: 0.5, confidence })!;
      return largest - least;
    };
    expect(width(1, 0.95)).toBeGreaterThan(0);
    expect(width(0.5, 0.95)).toBeGreaterThan(width(1, 0.95));
    expect(width(1, 0.9999)).toBeGreaterThan(width(1, 0.95));
  });

  it('keep an edge up to the tail of all servers’ noise, and no further', () => {
    // D_1 = (a − b)/2 of two bins, with half a coefficient's variance from each server; so is its fourth of squared scales.
    const chernoff = (y: number) =>
      Math.min(
        ...Array.from(
          { length: 999 },
          (_, i) => Math.exp((-y * (i + 1)) / 1000) / (1 - ((i + 1) / 1000) ** 2),
        ),
      );
    // The least y whose bound is 0.05, by bisection.
    let [low, high] = [1, 16];
    while (high - low > 1e-6) {
      const middle = (low + high) / 2;
      if (chernoff(middle) > 0.05) low = middle;
      else high = middle;
    }
    const cases = [
      [
        { kind: 'gaussian', sigmaSquared: { numerator: 400n, denominator: 1n }, latticeBits: 50 },
        1.6449 * Math.sqrt(400 + 1 / 12),
      ],
      [{ kind: 'laplace', scale: { numerator: 20n, denominator: 1n } }, high * 20],
    ] as const;
    for (const [noise, z] of cases) {
      const least = (difference: number) =>
        privateQuantile(
          { strategy: flat(2), noise, servers: 2, counts: [1000 - difference, 1000 + difference] },
          { q: 0.5, confidence: 0.9 },
        )!.least;
      expect(least(z * 0.999)).toBe(1);
      expect(least(z * 1.001)).toBe(2);
    }
  });

  it('are not to be had of no rows, and of too few only with an interval that says so', () => {
    const few = {
      ...noisyHistogram(privelet(6), { epsilon: 1 }, TRUTH, 'few'),
      counts: new Array<number>(64).fill(0),
    };
    expect(privateQuantile(few, { q: 0.5, confidence: 0.9 })).toBeUndefined();
    const one = privateQuantile({ ...few, counts: [1, ...few.counts.slice(1)] }, { q: 0.5, confidence: 0.9 });
    expect(one).toMatchObject({ least: 1, largest: 64 });
  });

  it('are asked for with levels inside of 0 and 1', () => {
    const histogram = noisyHistogram(flat(64), { epsilon: 1 }, TRUTH, 'levels');
    for (const levels of [
      { q: 0, confidence: 0.9 },
      { q: 1, confidence: 0.9 },
      { q: 0.5, confidence: 1 },
      { q: 0.5, confidence: 0 },
    ]) {
      expect(() => privateQuantile(histogram, levels)).toThrow(/expected a number in \(0, 1\)/);
    }
    expect(() => privateQuantile({ ...histogram, counts: [1] }, { q: 0.5, confidence: 0.5 })).toThrow(
      /counts/,
    );
  });
});
