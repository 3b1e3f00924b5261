/** Covariances and the errors of intervals, in exact rationals. */

import { RandomBits } from '@eigenveil/privacy/parts';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { type Fraction, toNumber } from '../src/fraction.ts';
import { commonHeight, covarianceByHeight, intervalError, quantileError } from '../src/restoration.ts';
import { binaryTree, flat, privelet, type Strategy, tree } from '../src/strategy.ts';
import { dot, leastSquares, type Over, publishedBoost, publishedPrivelet, strategyMatrix } from './exact.ts';

const same = (a: Fraction, b: Fraction) => a.numerator * b.denominator === b.numerator * a.denominator;

/** BBᵀ entry by entry, and from it the error of every interval. */
function checkAll(strategy: Strategy, { matrix, denominator }: Over): void {
  const phi = covarianceByHeight(strategy);
  const squared = denominator ** 2n;
  const covariances = matrix.map((row, i) => matrix.slice(i).map((other) => dot(row, other)));
  let wrong = 0;
  covariances.forEach((own, i) => {
    own.forEach((numerator, apart) => {
      const expected = phi[commonHeight(strategy, i, i + apart)]!;
      if (!same({ numerator, denominator: squared }, expected)) wrong += 1;
    });
  });
  for (let from = 0; from < strategy.bins; from += 1) {
    let error = 0n;
    for (let to = from + 1; to <= strategy.bins; to += 1) {
      for (let i = from; i < to - 1; i += 1) error += 2n * covariances[i]![to - 1 - i]!;
      error += covariances[to - 1]![0]!;
      if (!same(intervalError(strategy, { from, to }), { numerator: error, denominator: squared }))
        wrong += 1;
    }
  }
  expect(wrong).toBe(0);
}

/** The same in doubles that hold every integer on the way: entries of 2^h B and their sums stay below 2^53. */
function checkPrivelet(height: number): void {
  const strategy = privelet(height);
  const { matrix } = publishedPrivelet(height);
  const rows = matrix.map((row) => row.map(Number));
  const { bins } = strategy;
  let wrong = 0;
  for (let from = 0; from < bins; from += 1) {
    const sum = new Float64Array(bins);
    for (let to = from + 1; to <= bins; to += 1) {
      const row = rows[to - 1]!;
      let squares = 0;
      for (let c = 0; c < bins; c += 1) {
        const value = sum[c]! + row[c]!;
        sum[c] = value;
        squares += value * value;
      }
      const { numerator, denominator } = intervalError(strategy, { from, to });
      if (numerator * BigInt(bins) ** 2n !== BigInt(squares) * denominator) wrong += 1;
    }
  }
  expect(wrong).toBe(0);
}

describe('against BBᵀ', () => {
  it.each([
    flat(1),
    flat(6),
    tree([5]),
    tree([3, 3]),
    tree([4, 2, 2]),
    tree([2, 4, 2]),
    privelet(4),
    binaryTree(4),
  ])('of least squares, every entry and every interval: %o', (strategy) =>
    checkAll(strategy, leastSquares(strategyMatrix(strategy))),
  );

  it('of Boost as published', () => {
    for (const height of [0, 1, 2, 3, 4]) checkAll(binaryTree(height), publishedBoost(2, height));
    checkAll(tree([3, 3, 3]), publishedBoost(3, 3));
  });

  it.each([
    [2, 5],
    [2, 6],
    [2, 7],
    [2, 8],
    [4, 4],
    [16, 2],
  ])(
    'of Boost as published, every interval for N up to 256: fan-out %i, height %i',
    { tags: ['long'] },
    (fanout, height) =>
      checkAll(tree(new Array<number>(height).fill(fanout)), publishedBoost(fanout, height)),
  );

  it('of Privelet as published, every interval for N up to 256', () => {
    for (let height = 0; height <= 8; height += 1) checkPrivelet(height);
  });
});

it('has the recursion of the published theorem', () => {
  for (const height of [1, 2, 5, 10, 20, 40]) {
    const phi = covarianceByHeight(privelet(height));
    const [h, four] = [BigInt(height), 4n];
    expect(same(phi[0]!, { numerator: four ** h + 2n, denominator: 3n * four ** h })).toBe(true);
    expect(phi[height]!.numerator).toBe(0n);
    for (let k = 1; k < height; k += 1) {
      const kth = BigInt(k);
      const closed = { numerator: 2n * (four ** kth - four ** h), denominator: 3n * four ** (h + kth) };
      expect(same(phi[k]!, closed)).toBe(true);
      const { numerator, denominator } = phi[k]!;
      const next = {
        numerator: 2n * four ** kth * numerator + denominator,
        denominator: 2n * four ** kth * denominator,
      };
      expect(same(phi[k + 1]!, next)).toBe(true);
    }
  }
});

/** What a coefficient has in the sum over an interval, from the definition of B: only those of nodes at its ends are not 0. */
function priveletByNodes(height: number, from: bigint, to: bigint): Fraction {
  // In units of 4^−h.
  let numerator = (to - from) ** 2n;
  const part = (low: bigint, size: bigint) => {
    const [least, most] = [low > from ? low : from, low + size < to ? low + size : to];
    return most > least ? most - least : 0n;
  };
  for (let k = 1n; k <= BigInt(height); k += 1n) {
    const size = 1n << k;
    const ends = new Set([from / size, (to - 1n) / size]);
    for (const node of ends) {
      const difference = part(node * size, size / 2n) - part(node * size + size / 2n, size / 2n);
      numerator += (difference << (BigInt(height) - k)) ** 2n;
    }
  }
  return { numerator, denominator: 4n ** BigInt(height) };
}

/** Algorithm 3 as it is outlined: pairs of bins by the height of their ancestor, for any covariances by height. */
function byPairs(strategy: Strategy, from: bigint, to: bigint): Fraction {
  const phi = covarianceByHeight(strategy);
  const { denominator } = phi[0]!;
  let numerator = (to - from) * phi[0]!.numerator;
  let size = 1n;
  for (const [i, fanout] of strategy.fanouts.entries()) {
    const below = size;
    size *= BigInt(fanout);
    // Pairs below one node of this size, less those below one of its children; bins of one node first.
    const pairs = (of: bigint) => {
      const [first, last] = [from / of, (to - 1n) / of];
      if (first === last) return (to - from) ** 2n;
      return ((first + 1n) * of - from) ** 2n + (last - first - 1n) * of * of + (to - last * of) ** 2n;
    };
    numerator += phi[i + 1]!.numerator * (pairs(size) - (below === 1n ? to - from : pairs(below)));
  }
  return { numerator, denominator };
}

it('is exact for random intervals of up to 2^40 bins', () => {
  const bits = new RandomBits(predictableRandomness('intervals'));
  for (let run = 0; run < 300; run += 1) {
    const height = 10 + (run % 31);
    const [a, b] = [bits.bits(height), bits.bits(height)];
    const [from, to] = a < b ? [a, b + 1n] : [b, a + 1n];
    const interval = { from: Number(from), to: Number(to) };
    const wavelet = intervalError(privelet(height), interval);
    expect(same(wavelet, priveletByNodes(height, from, to))).toBe(true);
    const boost = binaryTree(height);
    expect(same(intervalError(boost, interval), byPairs(boost, from, to))).toBe(true);
    const mixed = tree([2, 8, ...new Array<number>(Math.ceil((height - 4) / 2)).fill(4)]);
    expect(same(intervalError(mixed, interval), byPairs(mixed, from, to))).toBe(true);
  }
});

it('knows the error of what decides a quantile', () => {
  for (const strategy of [tree([4, 2, 2]), privelet(4), flat(16)]) {
    const { matrix, denominator } = leastSquares(strategyMatrix(strategy));
    for (const q of [0.25, 0.5]) {
      for (const to of [0, 1, 7, 16]) {
        const weights = matrix[0]!.map((_, c) =>
          matrix.reduce(
            (sum, row, bin) => sum + (Number(bin < to) - q) * (Number(row[c]!) / Number(denominator)),
            0,
          ),
        );
        const expected = weights.reduce((sum, weight) => sum + weight ** 2, 0);
        expect(quantileError(strategy, to, q)).toBeCloseTo(expected, 12);
      }
    }
  }
});

it('turns fractions of any size into the nearest doubles', () => {
  expect(toNumber({ numerator: 1n, denominator: 3n })).toBe(1 / 3);
  expect(toNumber({ numerator: -7n << 3000n, denominator: 2n << 3000n })).toBe(-3.5);
  expect(toNumber({ numerator: 0n, denominator: 5n })).toBe(0);
  expect(toNumber({ numerator: 1n, denominator: 1n << 1070n })).toBe(2 ** -1070);
  expect(toNumber({ numerator: 1n << 1000n, denominator: 1n })).toBe(2 ** 1000);
});

it('refuses what is no interval or bin', () => {
  const wrong = [
    () => intervalError(privelet(2), { from: -1, to: 2 }),
    () => intervalError(privelet(2), { from: 3, to: 2 }),
    () => intervalError(privelet(2), { from: 0, to: 5 }),
    () => commonHeight(privelet(2), 0, 4),
  ];
  for (const call of wrong) expect(call).toThrow(expect.objectContaining({ code: 'ERR_DP_PARAMETER' }));
});
