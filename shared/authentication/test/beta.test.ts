/** Tails of F and binomial distributions against those of Student, of χ², and sums of terms. */
import jstat from '@eigenveil/testbed/goodness/jstat';
import { describe, expect, it } from 'vitest';
import { binomialTail, fTail } from '../src/drift.ts';

describe('fTail', () => {
  it('is that of Student and of χ², where F is their square or quotient', () => {
    for (const t of [0.1, 1, 3, 9]) {
      expect(fTail(t ** 2, 1, 1)).toBeCloseTo(1 - (2 / Math.PI) * Math.atan(t), 12);
      expect(fTail(t ** 2, 1, 2)).toBeCloseTo(1 - t / Math.sqrt(t ** 2 + 2), 12);
      expect(fTail(t, 0.7, 31) + fTail(1 / t, 31, 0.7)).toBeCloseTo(1, 12);
    }
    for (const freedom of [0.5, 2, 20]) {
      const square = 1 - jstat.chisquare.cdf(1.7 * freedom, freedom);
      expect(Math.abs(fTail(1.7, freedom, 1e6) - square)).toBeLessThan(1e-5);
    }
  });

  it('keeps its digits far out', () => {
    // With two degrees of freedom in the numerator there is a closed form.
    for (const x of [0, 0.5, 10, 1e4])
      for (const m of [2, 9.5, 95])
        expect(fTail(x, 2, m) / Math.exp((-m / 2) * Math.log1p((2 * x) / m))).toBeCloseTo(1, 9);
  });
});

describe('binomialTail', () => {
  it('is the sum of its terms', () => {
    const [n, p] = [30, 0.07];
    let [term, below] = [(1 - p) ** n, 0];
    for (let hits = 0; hits <= n; hits += 1) {
      expect(binomialTail(hits, n, p)).toBeCloseTo(1 - below, 12);
      below += term;
      term *= (((n - hits) / (hits + 1)) * p) / (1 - p);
    }
    expect(binomialTail(n + 1, n, p)).toBe(0);
  });
});
