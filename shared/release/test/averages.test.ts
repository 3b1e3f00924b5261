/** Mean errors in closed form against brute force. */
import { describe, expect, it } from 'vitest';
import { averageError } from '../src/averages.ts';
import type { Fraction } from '../src/fraction.ts';
import { intervalError } from '../src/restoration.ts';
import { binaryTree, flat, privelet, type Strategy, tree } from '../src/strategy.ts';

const same = (a: Fraction, b: Fraction) => a.numerator * b.denominator === b.numerator * a.denominator;

function bruteForce(strategy: Strategy) {
  let [all, first, count] = [0n, 0n, 0n];
  for (let from = 0; from < strategy.bins; from += 1) {
    for (let to = from + 1; to <= strategy.bins; to += 1) {
      const { numerator } = intervalError(strategy, { from, to });
      all += numerator;
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
  };
}

function checkAgainstBruteForce(strategy: Strategy): void {
  const expected = bruteForce(strategy);
  for (const workload of ['ranges', 'prefixes', 'counts'] as const) {
    expect(same(averageError(strategy, workload), expected[workload])).toBe(true);
  }
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
});
