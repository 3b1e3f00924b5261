/** Sensitivities against a search over all neighbours. */
import { describe, expect, it } from 'vitest';
import { sensitivityOf } from '../src/noise.ts';
import { binaryTree, flat, privelet, type Strategy, tree } from '../src/strategy.ts';
import { strategyMatrix, transposed } from './exact.ts';

const l1 = (change: readonly bigint[]) =>
  change.reduce((sum, value) => sum + (value < 0n ? -value : value), 0n);
const l2 = (change: readonly bigint[]) => change.reduce((sum, value) => sum + value * value, 0n);

/** The largest change of the coefficients of so many histograms, over every way a row can differ. */
function found(strategy: Strategy, features: number, neighbours: 'add-remove' | 'replace') {
  const columns = transposed(strategyMatrix(strategy));
  const single =
    neighbours === 'add-remove'
      ? columns
      : columns.flatMap((mine) => columns.map((other) => mine.map((value, i) => value - other[i]!)));
  let changes = single;
  for (let feature = 1; feature < features; feature += 1) {
    changes = changes.flatMap((some) => single.map((more) => [...some, ...more]));
  }
  const largest = (of: (change: readonly bigint[]) => bigint) =>
    Number(changes.map(of).reduce((a, b) => (a > b ? a : b)));
  return { l1: largest(l1), l2Squared: largest(l2) };
}

const CASES: readonly (readonly [Strategy, number])[] = [
  ...[
    flat(1),
    flat(5),
    binaryTree(0),
    privelet(0),
    binaryTree(5),
    privelet(5),
    tree([3, 3]),
    tree([4, 2, 4]),
  ].map((strategy) => [strategy, 1] as const),
  ...[flat(3), binaryTree(2), privelet(2), tree([3])].map((strategy) => [strategy, 2] as const),
  [privelet(1), 3],
];

describe.each(['add-remove', 'replace'] as const)('%s', (neighbours) => {
  it.each(CASES)('%o, %i features', (strategy, features) => {
    expect(sensitivityOf(strategy, features, neighbours)).toEqual(found(strategy, features, neighbours));
  });
});

it('is what the theory says of d features and 2^h bins', () => {
  for (const [d, h] of [
    [1, 10],
    [34, 12],
  ] as const) {
    expect(sensitivityOf(privelet(h), d, 'add-remove')).toEqual({ l1: d * (h + 1), l2Squared: d * (h + 1) });
    expect(sensitivityOf(privelet(h), d, 'replace')).toEqual({ l1: 2 * d * h, l2Squared: d * (2 * h + 2) });
    expect(sensitivityOf(binaryTree(h), d, 'replace')).toEqual({ l1: 2 * d * h, l2Squared: 2 * d * h });
  }
  expect(() => sensitivityOf(privelet(2), 0, 'replace')).toThrow(/features/);
});
