/** Bins and quantiles of a histogram as the console shows them. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { drawnBins, quantileWords } from '../../src/methods/figures.ts';

test('are all there, so many together that at most 64 are drawn', () => {
  fc.assert(
    fc.property(
      fc
        .integer({ min: 2, max: 12 })
        .chain((height) =>
          fc.array(fc.integer({ min: -100, max: 100 }), { minLength: 2 ** height, maxLength: 2 ** height }),
        ),
      (counts) => {
        const edges = Array.from({ length: counts.length + 1 }, (_, i) => i * i);
        const drawn = drawnBins(edges, counts);
        expect(drawn).toHaveLength(Math.min(64, counts.length));
        expect([drawn[0]!.from, drawn.at(-1)!.to]).toEqual([0, counts.length ** 2]);
        for (const [i, { from, to, rows }] of drawn.entries()) {
          if (i > 0) expect(from).toBe(drawn[i - 1]!.to);
          const within = counts.slice(Math.sqrt(from), Math.sqrt(to));
          expect(rows).toBe(within.reduce((sum, some) => sum + some, 0));
        }
      },
    ),
    { numRuns: 50 },
  );
});

test('a quantile whose interval is the whole range is not known, and one without rows is not there', () => {
  const range = { min: -10, max: 10 };
  const at = (from: number, to: number) => quantileWords({ q: 0.5, value: 1, from, to }, range);
  expect(at(-10, 10)).toMatch(/^not known: /);
  expect(at(-9.84375, 10)).toBe('1 (-9.844 to 10)');
  expect(at(-10, 9.84375)).toBe('1 (-10 to 9.844)');
  expect(quantileWords(undefined, range)).toBe('too few rows for this noise');
});
