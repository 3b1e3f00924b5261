import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitPowerLaw, quantile, summarise, summariseRatios } from '../../instrument/statistics.ts';

const positive = fc.double({ min: 1e-3, max: 1e6, noNaN: true });

describe('summarise', () => {
  it('interpolates between order statistics', () => {
    // By hand: positions 0.75, 1.5 and 2.25 in 1, 2, 4, 8.
    expect(summarise([8, 1, 4, 2])).toEqual({ median: 3, low: 1.75, high: 5, count: 4 });
    expect(summarise([7])).toEqual({ median: 7, low: 7, high: 7, count: 1 });
  });

  it('lies within the samples, in order, whatever their order', () => {
    fc.assert(
      fc.property(fc.array(positive, { minLength: 1, maxLength: 30 }), (samples) => {
        const { median, low, high } = summarise(samples);
        expect(low).toBeGreaterThanOrEqual(Math.min(...samples));
        expect(median).toBeGreaterThanOrEqual(low);
        expect(high).toBeGreaterThanOrEqual(median);
        expect(high).toBeLessThanOrEqual(Math.max(...samples));
        expect(summarise(samples.toReversed())).toEqual(summarise(samples));
      }),
    );
  });

  it('refuses nothing, and what is no number', () => {
    expect(() => summarise([])).toThrow('"samples" expected at least one, got none');
    expect(() => quantile([1, Number.NaN], 0.5)).toThrow('finite');
    expect(() => quantile([1, Number.POSITIVE_INFINITY], 0.5)).toThrow('finite');
  });
});

describe('summariseRatios', () => {
  it('pairs the samples of a repetition, so that load which hits both cancels', () => {
    const load = [1, 5, 2, 9, 3];
    const ratios = summariseRatios(
      load.map((factor) => 10 * factor),
      load.map((factor) => 2 * factor),
    );
    expect(ratios).toEqual({ median: 5, low: 5, high: 5, count: 5 });
  });

  it('refuses samples without a partner', () => {
    expect(() => summariseRatios([1, 2], [1])).toThrow('"denominators" expected 2 samples');
  });
});

describe('fitPowerLaw', () => {
  it('finds an exact law exactly, with an interval of no width', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -3, max: 3, noNaN: true }),
        fc.double({ min: 0.1, max: 10, noNaN: true }),
        (exponent, factor) => {
          const points = [1, 2, 5, 10, 40].map((x) => ({ x, y: factor * x ** exponent }));
          const fit = fitPowerLaw(points);
          expect(fit.exponent).toBeCloseTo(exponent, 9);
          expect(fit.factor).toBeCloseTo(factor, 6);
          expect(fit.high - fit.low).toBeLessThan(1e-6);
        },
      ),
    );
  });

  it("gives Student's interval: a worked example", () => {
    // ln y = (0, 1, 1, 2) at ln x = (0, 1, 2, 3): slope 0.6, residual sum of squares 0.2, Sxx 5, t(0.975, 2) = 4.302653.
    const fit = fitPowerLaw(
      [0, 1, 1, 2].map((y, x) => ({
        x: Math.exp(x),
        y: Math.exp(y),
      })),
    );
    expect(fit.exponent).toBeCloseTo(0.6, 12);
    expect(fit.high - fit.exponent).toBeCloseTo(4.302653 * Math.sqrt(0.2 / 2 / 5), 5);
    expect(fit.exponent - fit.low).toBeCloseTo(fit.high - fit.exponent, 12);
  });

  it('says that two points leave nothing to judge by', () => {
    const fit = fitPowerLaw([
      { x: 1, y: 1 },
      { x: 10, y: 100 },
    ]);
    expect(fit).toMatchObject({ low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY });
    expect(fit.exponent).toBeCloseTo(2, 12);
  });

  it('refuses what has no logarithm or no slope', () => {
    expect(() => fitPowerLaw([{ x: 0, y: 1 }])).toThrow('positive');
    expect(() =>
      fitPowerLaw([
        { x: 1, y: 1 },
        { x: 2, y: 0 },
      ]),
    ).toThrow('positive');
    expect(() =>
      fitPowerLaw([
        { x: 2, y: 1 },
        { x: 2, y: 3 },
      ]),
    ).toThrow('two different x');
  });
});
