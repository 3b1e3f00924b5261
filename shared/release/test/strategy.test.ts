/** Strategy matrices and their restorations, entry by entry. */

import { fromRing } from '@eigenveil/testbed/residues';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { restore } from '../src/restoration.ts';
import {
  binaryTree,
  coefficientCount,
  coefficientsOf,
  flat,
  privelet,
  type Strategy,
  tree,
} from '../src/strategy.ts';
import { leastSquares, publishedBoost, publishedPrivelet, strategyMatrix, transposed } from './exact.ts';

const SMALL: readonly Strategy[] = [
  ...[1, 2, 7].map(flat),
  ...[0, 1, 2, 3, 4].flatMap((height) => [binaryTree(height), privelet(height)]),
  ...[[3, 3], [4, 2], [2, 4], [2, 3, 2], [16]].map(tree),
];
const name = ({ kind, fanouts }: Strategy) => `${kind} ${fanouts.join('·')}`;

const units = (length: number) =>
  Array.from({ length }, (_, i) => Array.from({ length }, (_, j) => BigInt(Number(i === j))));

describe.each(SMALL.map((strategy) => [name(strategy), strategy] as const))('%s', (_, strategy) => {
  it('has the matrix of its definition', () => {
    const columns = units(strategy.bins).map((unit) => coefficientsOf(strategy, unit));
    expect(columns).toEqual(transposed(strategyMatrix(strategy)));
    expect(columns[0]).toHaveLength(coefficientCount(strategy));
  });

  it('is restored by least squares', () => {
    const { matrix, denominator } = leastSquares(strategyMatrix(strategy));
    const columns = units(coefficientCount(strategy)).map((unit) => restore(strategy, unit.map(Number)));
    columns.forEach((column, j) => {
      column.forEach((value, i) => {
        expect(value).toBeCloseTo(Number(matrix[i]![j]!) / Number(denominator), 13);
      });
    });
  });

  it('gives counts back without noise, and is applied to shares in any ring', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(1e9), { minLength: strategy.bins, maxLength: strategy.bins }),
        fc.bigInt({ min: 1n << 60n, max: 1n << 90n }),
        fc.array(fc.bigInt({ min: 0n, max: 1n << 90n }), {
          minLength: strategy.bins,
          maxLength: strategy.bins,
        }),
        (counts, modulus, masks) => {
          const whole = counts.map(BigInt);
          const shares = whole.map((count, i) => (((count - masks[i]!) % modulus) + modulus) % modulus);
          const mine = coefficientsOf(strategy, shares);
          const theirs = coefficientsOf(strategy, masks);
          const opened = fromRing(
            mine.map((value, i) => value + theirs[i]!),
            modulus,
          );
          expect(opened).toEqual(coefficientsOf(strategy, whole));
          restore(strategy, opened.map(Number)).forEach((count, i) => {
            expect(Math.abs(count - counts[i]!)).toBeLessThan(1e-4);
          });
        },
      ),
      { numRuns: 20 },
    );
  });
});

it('restores as Hay and others, and as Xiao and others, published it', () => {
  for (const [fanout, height] of [
    [2, 4],
    [3, 2],
    [4, 2],
  ] as const) {
    const strategy = tree(new Array(height).fill(fanout));
    const { matrix, denominator } = publishedBoost(fanout, height);
    const exact = leastSquares(strategyMatrix(strategy));
    expect(matrix.flat().map((value) => value * exact.denominator)).toEqual(
      exact.matrix.flat().map((value) => value * denominator),
    );
  }
  for (const height of [0, 1, 3, 5]) {
    const { matrix, denominator } = publishedPrivelet(height);
    const columns = units(2 ** height).map((unit) => restore(privelet(height), unit.map(Number)));
    expect(columns).toEqual(
      transposed(matrix).map((row) => row.map((value) => Number(value) / Number(denominator))),
    );
  }
});

it('reads residues as integers of either sign', () => {
  expect(fromRing([0n, 1n, 7n, 8n, 15n, 16n, -1n], 16n)).toEqual([0n, 1n, 7n, -8n, -1n, 0n, -1n]);
});

it('refuses what is no strategy, and vectors of another length', () => {
  const wrong = [
    () => flat(0),
    () => flat(1.5),
    () => tree([2, 1]),
    () => tree([2 ** 30, 2 ** 30]),
    () => privelet(-1),
    () => privelet(53),
    () => binaryTree(1.5),
    () => coefficientsOf(privelet(2), [1n, 2n]),
    () => restore(privelet(2), [1, 2, 3]),
    () => restore(flat(2), [1, 2, 3]),
  ];
  for (const call of wrong) expect(call).toThrow(expect.objectContaining({ code: 'ERR_DP_PARAMETER' }));
});
