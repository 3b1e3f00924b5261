/** Mean errors in closed form against brute force, and what they come to for many bins. */
import { describe, expect, it } from 'vitest';
import {
  accuracyIndex,
  asymptoteOf,
  averageError,
  plainTreeAverage,
  plainTreeError,
  squareRootErrors,
} from '../src/averages.ts';
import { type Fraction, toNumber } from '../src/fraction.ts';
import { intervalError } from '../src/restoration.ts';
import { binaryTree, flat, privelet, type Strategy, tree } from '../src/strategy.ts';

const same = (a: Fraction, b: Fraction) => a.numerator * b.denominator === b.numerator * a.denominator;

function bruteForce(strategy: Strategy) {
  let [all, first, count, nodes] = [0n, 0n, 0n, 0];
  for (let from = 0; from < strategy.bins; from += 1) {
    for (let to = from + 1; to <= strategy.bins; to += 1) {
      const { numerator } = intervalError(strategy, { from, to });
      all += numerator;
      nodes += plainTreeError(strategy, { from, to });
      if (from === 0) first += numerator;
      if (to === from + 1) count += numerator;
    }
  }
  const { denominator } = intervalError(strategy, { from: 0, to: 1 });
  const n = BigInt(strategy.bins);
  const queries = (n * (n + 1n)) / 2n;
  return {
    ranges: { numerator: all, denominator: denominator * queries },
    prefixes: { numerator: first, denominator: denominator * n },
    counts: { numerator: count, denominator: denominator * n },
    plain: { numerator: BigInt(nodes), denominator: queries },
  };
}

function checkAgainstBruteForce(strategy: Strategy): void {
  const expected = bruteForce(strategy);
  for (const workload of ['ranges', 'prefixes', 'counts'] as const) {
    expect(same(averageError(strategy, workload), expected[workload])).toBe(true);
  }
  if (strategy.kind === 'tree') expect(same(plainTreeAverage(strategy), expected.plain)).toBe(true);
}

const byHeight = (heights: readonly number[]) =>
  heights.flatMap((h) => [flat(2 ** h), binaryTree(h), privelet(h)]);

describe('the mean over all intervals, prefixes and bins', () => {
  it.each([...byHeight([0, 1, 2, 3, 4, 5, 6, 7]), flat(5), tree([3, 3, 3]), tree([16, 8]), tree([5, 2, 7])])(
    'is that of brute force: %o',
    checkAgainstBruteForce,
  );

  it.each([...byHeight([8, 9, 10]), tree([16, 16, 4])])(
    'is that of brute force for N up to 2^10: %o',
    { tags: ['long'] },
    checkAgainstBruteForce,
  );

  it('has the published closed form', () => {
    for (const h of [0, 1, 2, 5, 10, 20, 40]) {
      const [N, height] = [2n ** BigInt(h), BigInt(h)];
      // [(h/6 + 1/36) N + h/6 + 37/36 + 13/(18 N) + 2/(9 N²)]/(N + 1), over 36 N².
      const numerator = (6n * height + 1n) * N ** 3n + (6n * height + 37n) * N ** 2n + 26n * N + 8n;
      expect(
        same(averageError(privelet(h), 'ranges'), { numerator, denominator: 36n * N ** 2n * (N + 1n) }),
      ).toBe(true);
      expect(same(averageError(flat(2 ** h), 'ranges'), { numerator: N + 2n, denominator: 3n })).toBe(true);
    }
  });

  it('is the number of nodes of a tree that is not made consistent, found another way', () => {
    const strategy = tree([2, 3, 4]);
    const sizes = [1, 2, 6, 24];
    const greedy = (from: number, to: number): number => {
      if (from === to) return 0;
      const size = sizes.findLast((it) => from % it === 0 && from + it <= to)!;
      return 1 + greedy(from + size, to);
    };
    for (let from = 0; from <= 24; from += 1) {
      for (let to = from; to <= 24; to += 1)
        expect(plainTreeError(strategy, { from, to })).toBe(greedy(from, to));
    }
  });
});

describe('many bins', () => {
  const mean = (
    restoration: 'plain tree' | 'consistent tree' | 'privelet',
    fanout: number,
    height: number,
  ) => {
    if (restoration === 'privelet') return toNumber(averageError(privelet(height), 'ranges'));
    const strategy = tree(new Array<number>(height).fill(fanout));
    return toNumber(
      restoration === 'plain tree' ? plainTreeAverage(strategy) : averageError(strategy, 'ranges'),
    );
  };

  it.each([
    ['privelet', 2, 50],
    ['consistent tree', 2, 50],
    ['consistent tree', 3, 30],
    ['consistent tree', 16, 13],
    ['plain tree', 2, 50],
    ['plain tree', 5, 20],
  ] as const)('%s of fan-out %i comes to slope and constant', (restoration, fanout, height) => {
    const { slope, constant } = asymptoteOf(restoration, fanout);
    expect(mean(restoration, fanout, height)).toBeCloseTo(slope * height + constant, 9);
    expect(mean(restoration, fanout, height) - mean(restoration, fanout, height - 1)).toBeCloseTo(slope, 9);
  });

  it('has the constants in closed form', () => {
    expect(asymptoteOf('privelet')).toEqual({ slope: 1 / 6, constant: 1 / 36 });
    // Erdős and Borwein's constant.
    expect(asymptoteOf('consistent tree').slope).toBeCloseTo(1 / 6, 15);
    expect(asymptoteOf('consistent tree').constant).toBeCloseTo(0.606695152415292 / 2, 14);
    expect(asymptoteOf('plain tree')).toEqual({ slope: 1, constant: -2 });
  });

  it('has the published indices, which are reached slowly', () => {
    expect(accuracyIndex('plain tree', 'laplace')).toBe(1);
    expect(accuracyIndex('consistent tree', 'laplace')).toBeCloseTo(6, 12);
    expect(accuracyIndex('privelet', 'laplace')).toBeCloseTo(6, 12);
    expect(accuracyIndex('privelet', 'gaussian')).toBeCloseTo(6, 12);
    const at = (average: number, h: number) => h ** 3 / (average * (h + 1) ** 2);
    expect(at(mean('plain tree', 2, 10), 10).toFixed(2)).toBe('1.03');
    expect(at(mean('consistent tree', 2, 10), 10).toFixed(2)).toBe('4.20');
    expect(at(mean('privelet', 2, 10), 10).toFixed(2)).toBe('4.87');
    // The asymptote alone, as it is published.
    expect(at(10 / 6 + 1 / 36, 10).toFixed(2)).toBe('4.88');
    expect(at(mean('privelet', 2, 40), 40).toFixed(2)).toBe('5.69');
    expect((mean('consistent tree', 2, 10) / mean('privelet', 2, 10)).toFixed(2)).toBe('1.16');
  });

  it('has its best fan-outs at 13 with Laplace noise, and at 2 with Gaussian', () => {
    const best = (noise: 'laplace' | 'gaussian') =>
      Array.from({ length: 40 }, (_, i) => i + 2).reduce((a, b) =>
        accuracyIndex('consistent tree', noise, b) > accuracyIndex('consistent tree', noise, a) ? b : a,
      );
    expect(best('laplace')).toBe(13);
    expect(accuracyIndex('consistent tree', 'laplace', 13)).toBeCloseTo(13.723, 3);
    expect(best('gaussian')).toBe(2);
  });
});

describe('the square-root factorisation', () => {
  it('factors prefix sums, and has the errors of its rows', () => {
    const bins = 9;
    const binomial = (n: number): number => (n === 0 ? 1 : (binomial(n - 1) * (2 * n - 1)) / (2 * n));
    const L = Array.from({ length: bins }, (_, i) =>
      Array.from({ length: bins }, (_, j) => (j <= i ? binomial(i - j) : 0)),
    );
    const squared = L.map((row) =>
      L.map((_, j) => row.reduce((sum, value, k) => sum + value * L[k]![j]!, 0)),
    );
    squared.forEach((row, i) => {
      row.forEach((value, j) => {
        expect(value).toBeCloseTo(Number(j <= i), 12);
      });
    });
    const lengths = (rows: readonly (readonly number[])[]) =>
      rows.reduce((sum, row) => sum + row.reduce((total, value) => total + value ** 2, 0), 0) / rows.length;
    const intervals = L.flatMap((row, i) =>
      [undefined, ...L.slice(0, i)].map((before) => row.map((value, j) => value - (before?.[j] ?? 0))),
    );
    const { l2Squared, prefixes, ranges } = squareRootErrors(bins);
    expect(l2Squared).toBeCloseTo(lengths([L.map((row) => row[0]!)]), 12);
    expect(prefixes).toBeCloseTo(lengths(L), 12);
    expect(ranges).toBeCloseTo(lengths(intervals), 12);
  });

  it('refuses more bins than it has time for', () => {
    expect(() => squareRootErrors(4097)).toThrow(/4,096/);
    expect(() => squareRootErrors(0)).toThrow(/bins/);
  });
});
