/** Ranges from noisy counts: levels that the noise allows, edges, and refusals. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toNumber } from '../src/fraction.ts';
import { calibrateRelease, noiseMoments } from '../src/noise.ts';
import { attainableLevel, LARGEST_LEVEL, prefixDeviation, privateRange } from '../src/private-range.ts';
import { type NoisyHistogram, privateQuantile, quantileEdge } from '../src/quantiles.ts';
import { intervalError, quantileError, quantileErrors } from '../src/restoration.ts';
import { flat, privelet, tree } from '../src/strategy.ts';

const NOISE = { kind: 'laplace', scale: { numerator: 3n, denominator: 1n } } as const;
/** 1,000 rows of a bin each, and nothing before and behind them. */
const counts = Array.from({ length: 64 }, (_, i) => (i >= 20 && i < 30 ? 100 : 0));
const histogram: NoisyHistogram = { strategy: flat(64), noise: NOISE, servers: 2, counts };

describe('the deviation of a cumulative count', () => {
  it('is the root of its mean square over all edges', () => {
    for (const strategy of [flat(64), privelet(6), tree([8, 8])]) {
      const { variance } = noiseMoments(NOISE, 2);
      const errors = Array.from({ length: 64 }, (_, i) =>
        toNumber(intervalError(strategy, { from: 0, to: i + 1 })),
      );
      const mean = errors.reduce((a, b) => a + b, 0) / 64;
      expect(prefixDeviation({ strategy, noise: NOISE, servers: 2 })).toBeCloseTo(
        Math.sqrt(variance * mean),
        9,
      );
    }
  });

  it('is that of 24 d rows at N = 1,024 and ε = 1, so that 0.005 needs nearly 10,000 rows for each feature', () => {
    const strategy = privelet(10);
    const noise = calibrateRelease(strategy, {
      features: 8,
      neighbours: 'add-remove',
      budget: { epsilon: 1 },
    });
    const deviation = prefixDeviation({ strategy, noise, servers: 2 });
    expect((deviation / 8).toFixed(0)).toBe('24');
    const { level, rowsNeeded } = attainableLevel({ asked: 0.005, deviation, rows: 768 });
    expect(level).toBeGreaterThan(LARGEST_LEVEL);
    expect(rowsNeeded).toBe(Math.ceil(400 * deviation));
  });
});

describe('a level', () => {
  it('is what is asked, or what the noise allows', () => {
    expect(attainableLevel({ asked: 0.01, deviation: 5, rows: 2000 }).level).toBe(0.01);
    expect(attainableLevel({ asked: 0.01, deviation: 5, rows: 500 }).level).toBe(0.02);
    expect(attainableLevel({ asked: 0.01, deviation: 0, rows: 1 })).toEqual({ level: 0.01, rowsNeeded: 0 });
    for (const rows of [0, -3]) {
      expect(attainableLevel({ asked: 0.01, deviation: 5, rows }).level).toBe(Infinity);
    }
    for (const asked of [0, 0.5, -1, Number.NaN]) {
      expect(() => attainableLevel({ asked, deviation: 1, rows: 1 })).toThrow(/asked/);
    }
  });
});

describe('a range', () => {
  const at = (of: Partial<NoisyHistogram>, rows: number, lower = 0.05, upper = 0.95) =>
    privateRange({ ...histogram, ...of }, { lower, upper, rows });

  it('goes from the bin of the low quantile to that of the high one', () => {
    // 2 · deviation = 69 rows of 100,000.
    expect(at({}, 100_000)).toEqual({ from: 20, to: 30, below: 0.05, above: expect.closeTo(0.05, 12) });
    expect(at({}, 100_000, 0.15, 0.85)).toMatchObject({ from: 21, to: 29 });
    expect(at({}, 100_000, 0.15, 0.79)).toBeUndefined();
  });

  it('moves inwards as far as the noise asks for, and is refused where that is too far', () => {
    const twice = 2 * prefixDeviation(histogram);
    expect(at({}, twice / 0.19)).toMatchObject({ from: 21, to: 29, below: expect.closeTo(0.19, 12) });
    expect(at({}, twice / 0.201)).toBeUndefined();
    expect(at({}, 0)).toBeUndefined();
    // Without any row among its own, whatever others count.
    expect(at({ counts: counts.map(() => 0) }, 100_000)).toBeUndefined();
  });

  it('has a bin at least, whatever the noise is', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -40, max: 40 }), { minLength: 64, maxLength: 64 }),
        fc.double({ min: 0.001, max: 0.2, noNaN: true }),
        (noisy, level) => {
          const found = at({ counts: noisy }, 1e6, level, 1 - level);
          if (found === undefined) return;
          expect(found.from).toBeGreaterThanOrEqual(0);
          expect(found.from).toBeLessThan(found.to);
          expect(found.to).toBeLessThanOrEqual(64);
        },
      ),
    );
  });
});

it('has errors of all quantiles at once, and estimates that lie in their intervals', () => {
  for (const strategy of [flat(16), privelet(4), tree([4, 4])]) {
    const all = quantileErrors(strategy);
    for (let to = 0; to <= 16; to += 1) expect(all(to, 0.3)).toBe(quantileError(strategy, to, 0.3));
  }
  expect(quantileEdge(counts, 0.5)).toBe(25);
  expect(quantileEdge(counts, 0.51)).toBe(26);
  expect(privateQuantile(histogram, { q: 0.51, confidence: 0.9 })!.estimate).toBe(26);
  expect(quantileEdge([5, 4, -8], 0.999)).toBe(1);
  // Monotone counts end at 1/2, below 1 row.
  expect(quantileEdge([0, -1, 2], 0.999)).toBe(3);
  expect(quantileEdge([1, -1], 0.5)).toBeUndefined();
  expect(() => quantileEdge(counts, 1)).toThrow(/q/);
});
