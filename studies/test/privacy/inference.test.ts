import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Difference,
  differenceOf,
  holm,
  intervalOf,
  LEVEL,
  MARGIN,
  meanOf,
  pAbove,
  pairedDifference,
  verdictsOf,
  worstOf,
} from '../../privacy/inference.ts';

const of = (mean: number, error: number, freedom = 1000): Difference => ({ mean, error, freedom });

describe('differences', () => {
  it('of independent means have Welch’s error and degrees of freedom', () => {
    // By hand: variances 1 and 4 of three samples each; 2 (1/3 + 4/3)² / (1/9 + 16/9).
    const found = differenceOf([9, 10, 11], [4, 6, 8])!;
    expect(found.mean).toBe(4);
    expect(found.error).toBeCloseTo(Math.sqrt(5 / 3), 12);
    expect(found.freedom).toBeCloseTo(50 / 17, 12);
    expect(differenceOf([1], [1, 2])).toBeUndefined();
  });

  it('of pairs forget what both samples of a pair share', () => {
    const found = pairedDifference([10, 20, 30], [9, 17, 28])!;
    expect(found.mean).toBe(2);
    expect(found.error).toBeCloseTo(1 / Math.sqrt(3), 12);
    expect(found.freedom).toBe(2);
    expect(() => pairedDifference([1, 2], [1])).toThrow('"others" expected 2 samples, got 1');
  });

  it('have Student’s interval and tail', () => {
    // t of 0.975 with 7 degrees of freedom: 2.3646.
    const [low, high] = intervalOf(of(1, 2, 7));
    expect(low).toBeCloseTo(1 - 2 * 2.364624, 5);
    expect(high).toBeCloseTo(1 + 2 * 2.364624, 5);
    expect(pAbove(of(8, 2, 7), 0)).toBeCloseTo(0.00259495, 7);
    expect(pAbove(of(-8, 2, 7), 0)).toBeCloseTo(1 - 0.00259495, 7);
    expect(pAbove(of(0, 2, 7), 0)).toBeCloseTo(0.5, 6);
  });

  it('without spread are what they are', () => {
    const same = meanOf([3, 3, 3])!;
    expect(intervalOf(same)).toEqual([3, 3]);
    expect([pAbove(same, 2), pAbove(same, 3)]).toEqual([0, 1]);
    expect(verdictsOf([[differenceOf([5, 5], [5, 5])!], [of(0, 0)], [of(-2, 0)]])).toEqual([
      'not behind',
      'not behind',
      'behind',
    ]);
  });
});

describe('Holm’s correction', () => {
  it('multiplies the least by all, the next by one less, and never falls', () => {
    // The example of R's documentation of p.adjust rounds to these.
    expect(holm([0.01, 0.02, 0.03, 0.04, 0.05])).toEqual([0.05, 0.08, 0.09, 0.09, 0.09].map(near));
    expect(holm([0.05, 0.001, 0.4])).toEqual([0.1, 0.003, 0.4].map(near));
    expect(holm([0.6, 0.7])).toEqual([1, 1]);
    expect(holm([])).toEqual([]);
  });

  it('lies between no correction and Bonferroni’s, in the order of the p-values', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1 }), (ps) => {
        const adjusted = holm(ps);
        adjusted.forEach((p, i) => {
          expect(p).toBeGreaterThanOrEqual(ps[i]!);
          expect(p).toBeLessThanOrEqual(Math.min(1, ps.length * ps[i]!));
          adjusted.forEach((other, j) => {
            if (ps[i]! < ps[j]!) expect(p).toBeLessThanOrEqual(other);
          });
        });
      }),
    );
  });
});

const near = (x: number) => expect.closeTo(x, 12);
const verdict = (...settings: Difference[]) => verdictsOf([settings])[0];

describe('verdicts', () => {
  it('are four, and what is not significantly worse may still be open', () => {
    expect([MARGIN, LEVEL]).toEqual([1, 0.05]);
    expect(verdict(of(2.1, 1))).toBe('ahead');
    expect(verdict(of(-0.2, 0.2))).toBe('not behind');
    expect(verdict(of(-2.1, 1))).toBe('behind');
    // Not significantly behind, and yet nothing is known: −3 is as well possible as 1.
    expect(verdict(of(-1, 1))).toBe('open');
    expect(verdict(of(0, 1))).toBe('open');
    expect(verdict(of(0.9, 1))).toBe('open');
  });

  it('say "not behind" of a small but certain loss within the margin, and "behind" of one beyond', () => {
    expect(verdict(of(-0.5, 0.1))).toBe('not behind');
    expect(verdict(of(-1, 0.1))).toBe('behind');
    expect(verdict(of(-1.5, 0.1))).toBe('behind');
  });

  it('need more certainty the more cases a family has', () => {
    const family = (cases: number) => verdictsOf(Array.from({ length: cases }, () => [of(2.2, 1)]));
    expect(family(1)).toEqual(['ahead']);
    expect(new Set(family(40))).toEqual(new Set(['open']));
  });

  it('need every setting to be ahead or not behind, and any one to be behind', () => {
    expect(verdict(of(9, 1), of(9, 1), of(9, 1))).toBe('ahead');
    expect(verdict(of(9, 1), of(0, 0.1), of(9, 1))).toBe('not behind');
    expect(verdict(of(9, 1), of(0, 2), of(9, 1))).toBe('open');
    expect(verdict(of(9, 1), of(-9, 1), of(9, 1))).toBe('behind');
    // Alone it would be; among three settings it is not shown.
    expect(verdict(of(-2.1, 1))).toBe('behind');
    expect(verdict(of(-2.1, 1), of(0, 1), of(0, 1))).toBe('open');
  });

  it('of all together are the worst', () => {
    expect(worstOf(['ahead', 'not behind'])).toBe('not behind');
    expect(worstOf(['ahead', 'open'])).toBe('open');
    expect(worstOf(['open', 'behind', 'ahead'])).toBe('behind');
    expect(worstOf([])).toBe('open');
  });
});
