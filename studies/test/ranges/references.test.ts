/** References for strategies against brute force, and what mean errors come to for many bins. */
import { averageError, binaryTree, privelet, type Strategy, toNumber, tree } from '@eigenveil/release';
import { Matrix } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import { plainTreeAverage, squareRootErrors } from '../../ranges/references.ts';

type Restoration = 'plain tree' | 'consistent tree' | 'privelet';

/** The number of nodes that an interval is the sum of: the fewest. */
function plainTreeError({ fanouts }: Strategy, from: number, to: number): number {
  // A node that lies in the interval is one of the sum unless its parent does, too.
  let size = 1;
  const inside = () => Math.max(0, Math.floor(to / size) - Math.ceil(from / size));
  let nodes = inside();
  for (const fanout of fanouts) {
    size *= fanout;
    nodes -= (fanout - 1) * inside();
  }
  return nodes;
}

describe('a tree that is not made consistent', () => {
  it.each([binaryTree(0), binaryTree(3), binaryTree(6), tree([3, 3, 3]), tree([16, 8]), tree([5, 2, 7])])(
    'has the mean that brute force finds: %o',
    (strategy) => {
      let [nodes, intervals] = [0n, 0n];
      for (let from = 0; from < strategy.bins; from += 1) {
        for (let to = from + 1; to <= strategy.bins; to += 1) {
          nodes += BigInt(plainTreeError(strategy, from, to));
          intervals += 1n;
        }
      }
      const { numerator, denominator } = plainTreeAverage(strategy);
      expect(numerator * intervals).toBe(nodes * denominator);
    },
  );

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
        expect(plainTreeError(strategy, from, to)).toBe(greedy(from, to));
    }
  });
});

/**
 * The limits of means over intervals for trees of one fan-out f and m = log_f N: slope · m + constant.
 * From Σ_k ψ_k s_k = 1/c_m, the mean is E|I|/c_m + Σ_k
 * (−ψ_k) T_k, T_k the mean of Σ_v |v ∩ I| (s − |v ∩ I|), which comes to (s² − 1)/3 for s far below N, and to
 * s² (1/3 − s/6N) for s near N. With −ψ_k = (f − 1)²/((s − 1)(fs − 1)) the sum is
 *   m (f − 1)²/3f + (f − 1)/3f − (f − 1)/6 + (f − 1)²(f + 1)/3f · Σ_{j >= 2} 1/(f^j − 1),
 * for f = 2 h/6 + (E − 1)/2 with Erdős and Borwein's constant E = 1.6067. Privelet has −ψ_k = 4^−k/2, hence
 * h/6 + 1/36. Without consistency every interval is the sum of the fewest nodes: (f − 1) m − 2(f + 1)/3 of
 * them.
 */
function asymptoteOf(restoration: Restoration, f = 2) {
  if (restoration === 'privelet') return { slope: 1 / 6, constant: 1 / 36 };
  if (restoration === 'plain tree') return { slope: f - 1, constant: (-2 / 3) * (f + 1) };
  const slope = (f - 1) ** 2 / (3 * f);
  let tail = 0;
  for (let power = f * f; 1 / power > Number.EPSILON / 8; power *= f) tail += 1 / (power - 1);
  return { slope, constant: (f - 1) / (3 * f) - (f - 1) / 6 + slope * (f + 1) * tail };
}

/**
 * The limit of log₂³N (Laplace noise) or log₂²N (Gaussian) over the mean error of an interval. The sensitivity of one
 * row more or less, m + 1, enters squared with Laplace noise.
 */
const accuracyIndex = (restoration: Restoration, noise: 'laplace' | 'gaussian', fanout = 2) =>
  Math.log2(fanout) ** (noise === 'laplace' ? 3 : 2) / asymptoteOf(restoration, fanout).slope;

describe('many bins', () => {
  const mean = (restoration: Restoration, fanout: number, height: number) => {
    const strategy =
      restoration === 'privelet' ? privelet(height) : tree(new Array<number>(height).fill(fanout));
    const isPlain = restoration === 'plain tree';
    return toNumber(isPlain ? plainTreeAverage(strategy) : averageError(strategy, 'ranges'));
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
    const squared = new Matrix(L).mmul(new Matrix(L)).to2DArray();
    expect(squared).toEqual(L.map((_, i) => L.map((_unused, j) => expect.closeTo(Number(j <= i), 12))));
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
});
