/** Error rates against small samples that were counted by hand, and properties of any samples. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  equalErrorRate,
  equalErrorRates,
  equalErrorThreshold,
  errorRatesAt,
  meansOf,
  operatingPoints,
  weightedEqualErrorRate,
} from '../src/recognition/error-rates.ts';

// Accepted is what is at most the threshold. At 3 one of four users' scores is refused and one of four impostors' accepted.
const known = { genuine: [1, 2, 3, 6], impostor: [2.5, 5, 7, 8] };

const scores = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 40 });

it('a sample that was counted by hand', () => {
  expect(errorRatesAt(known, 3)).toEqual({ fmr: 0.25, fnmr: 0.25 });
  expect(equalErrorRate(known.genuine, known.impostor)).toBe(0.25);
  expect(equalErrorThreshold(known)).toBe(3);
  expect(operatingPoints(known)).toEqual([
    { threshold: 1, fmr: 0, fnmr: 0.75 },
    { threshold: 2, fmr: 0, fnmr: 0.5 },
    { threshold: 2.5, fmr: 0.25, fnmr: 0.5 },
    { threshold: 3, fmr: 0.25, fnmr: 0.25 },
    { threshold: 5, fmr: 0.5, fnmr: 0.25 },
    { threshold: 6, fmr: 0.5, fnmr: 0 },
    { threshold: 7, fmr: 0.75, fnmr: 0 },
    { threshold: 8, fmr: 1, fnmr: 0 },
  ]);
  // Without a common value: on the line from (0, 1/3) at 2 to (1/2, 1/3) at 2.5.
  expect(equalErrorRate([1, 2, 3], [2.5, 4])).toBeCloseTo(1 / 3, 12);
});

it('is 0 for what is apart, 1 for what is apart the wrong way, and a half for the same values', () => {
  expect(equalErrorRate([1, 2], [3, 4])).toBe(0);
  expect(equalErrorRate([3, 4], [1, 2])).toBe(1);
  fc.assert(
    fc.property(scores, (values) => {
      expect(equalErrorRate(values, values)).toBeCloseTo(0.5, 12);
    }),
  );
});

it('counts order alone, and both kinds alike when distances turn round', () => {
  fc.assert(
    fc.property(scores, scores, (genuine, impostor) => {
      const rate = equalErrorRate(genuine, impostor);
      const stretch = (value: number) => Math.log1p(value) - 7;
      expect(equalErrorRate(genuine.map(stretch), impostor.map(stretch))).toBeCloseTo(rate, 12);
      const negative = (value: number) => -value;
      expect(equalErrorRate(impostor.map(negative), genuine.map(negative))).toBeCloseTo(rate, 12);
    }),
  );
});

it('lies between the rates at the threshold that it names and at the one before', () => {
  fc.assert(
    fc.property(scores, scores, (genuine, impostor) => {
      const at = errorRatesAt({ genuine, impostor }, equalErrorThreshold({ genuine, impostor }));
      const rate = equalErrorRate(genuine, impostor);
      expect(rate).toBeGreaterThanOrEqual(at.fnmr - 1e-12);
      expect(rate).toBeLessThanOrEqual(at.fmr + 1e-12);
    }),
  );
});

it('a weight of n counts as n scores, and a weight of 0 as none', () => {
  const weigh = (values: readonly number[], weights: readonly number[]) => ({
    scores: Float64Array.from(values),
    weights: Float64Array.from(weights),
  });
  expect(weightedEqualErrorRate(weigh([1, 2, 3, 6], [1, 3, 0, 2]), weigh([2.5, 5, 7, 8], [1, 1, 0, 2]))).toBe(
    equalErrorRate([1, 2, 2, 2, 6, 6], [2.5, 5, 8, 8]),
  );
});

it('means over windows share no score, and the rest is dropped', () => {
  expect(meansOf([1, 2, 3, 4, 5, 6, 7], 3)).toEqual([2, 5]);
  expect(() => meansOf([1], 0)).toThrow(RangeError);
  const rows = (target: string, source: string, values: readonly number[]) => ({
    target,
    source,
    scores: values,
  });
  // One bad row of five is outweighed; per row, three of eleven impostors' rows are let in at any threshold.
  const comparisons = [
    rows('a', 'a', [1, 1, 1, 1, 9]),
    rows('b', 'b', [1, 1, 1, 1, 9]),
    rows('a', 'b', [0, 8, 8, 8, 8]),
    rows('b', 'a', [0, 8, 8, 8, 8, 0]),
  ];
  expect(equalErrorRates(comparisons).overFive).toBe(0);
  expect(equalErrorRates(comparisons).perSample).toBeCloseTo(3 / 11, 12);
});

it('refuses what has no rate', () => {
  expect(() => equalErrorRate([], [1])).toThrow(RangeError);
  expect(() => equalErrorRate([1], [])).toThrow(RangeError);
  expect(() => equalErrorRate([Number.NaN], [1])).toThrow(RangeError);
  expect(() => errorRatesAt({ genuine: [1], impostor: [] }, 1)).toThrow(RangeError);
});
