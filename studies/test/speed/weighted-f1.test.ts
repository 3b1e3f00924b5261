import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { weightedF1 } from '../../speed/accuracy/weighted-f1.ts';

describe('weighted F1', () => {
  it('equals examples worked out by hand', () => {
    // Class 0: precision 2/3, recall 2/2, F1 4/5. Class 1: precision 1/1, recall 1/2, F1 2/3.
    expect(weightedF1([0, 0, 1, 1], [0, 0, 0, 1])).toBeCloseTo((2 * (4 / 5) + 2 * (2 / 3)) / 4, 12);
    // Class 0 (3 rows): 2 TP, 1 FP, 1 FN, F1 2/3. Class 1 (2 rows): 1 TP, 1 FP, 1 FN, F1 1/2. Class 2 (1 row): 1 TP, F1 1.
    expect(weightedF1([0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 0, 2])).toBeCloseTo(
      (3 * (2 / 3) + 2 * (1 / 2) + 1) / 6,
      12,
    );
  });

  it('takes 0 for a class that is never predicted', () => {
    // Class 0: precision 3/4, recall 1, F1 6/7.
    expect(weightedF1([0, 0, 0, 1], [0, 0, 0, 0])).toBeCloseTo((3 * (6 / 7)) / 4, 12);
  });

  it('gives no weight to a class that is predicted and does not occur', () => {
    // Class 0: precision 1, recall 1/2, F1 2/3.
    expect(weightedF1([0, 0], [0, 7])).toBeCloseTo(2 / 3, 12);
  });

  it('is 1 where all is right, with one class too, and 0 where all is wrong', () => {
    expect(weightedF1([3, 3], [3, 3])).toBe(1);
    expect(weightedF1([0, 1, 2], [0, 1, 2])).toBe(1);
    expect(weightedF1([0, 1], [1, 0])).toBe(0);
  });

  it('refuses lists of different lengths, and none', () => {
    expect(() => weightedF1([0, 1], [0])).toThrow(RangeError);
    expect(() => weightedF1([], [])).toThrow(RangeError);
  });

  it('lies in [0, 1] and does not depend on names of classes or order of rows', () => {
    const label = fc.integer({ min: 0, max: 3 });
    fc.assert(
      fc.property(fc.array(fc.tuple(label, label), { minLength: 1, maxLength: 40 }), (pairs) => {
        const of = (list: readonly (readonly [number, number])[], name: (label: number) => number) =>
          weightedF1(
            list.map(([actual]) => name(actual)),
            list.map(([, predicted]) => name(predicted)),
          );
        const score = of(pairs, (value) => value);
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
        expect(of(pairs.toReversed(), (value) => 17 - 2 * value)).toBeCloseTo(score, 12);
      }),
    );
  });
});
