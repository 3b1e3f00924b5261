/** C₁ beyond double precision, and truncated shares. */

import { generator } from '@eigenveil/testbed/random';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rehearsedMatrix } from '../../src/rotated/decomposition.ts';
import { type Matrix, multiplySigned, transpose } from '../../src/rotated/matrices.ts';
import { eigenpairsOf, whiten } from '../../src/rotated/pencil/whitening.ts';
import { truncateCsp, truncateUser } from '../../src/rotated/truncation.ts';

const FRACTION = 180;
const BITS = { fraction: FRACTION, least: 10, root: 200, normalised: 90 };

/** A positive definite matrix, all of whose digits count, whose eigenvalues fall by `ratio` from one to the next. */
function positive(d: number, ratio: number, seed: number): Matrix {
  const next = generator(seed);
  const digits = () => BigInt(Math.floor(next() * 2 ** 50));
  const rows = Array.from({ length: 3 * d }, () =>
    Array.from({ length: d }, (_, j) => {
      const scale = BigInt(Math.round(2 ** 40 / ratio ** (j / 2)));
      return (((digits() << 60n) + digits() - (1n << 109n)) * scale) >> 40n;
    }),
  );
  // Entries of 2^109 each: 2^110 is a unit of the rows, 2^30 their size.
  return multiplySigned(transpose(rows), rows).map((row) =>
    row.map((entry) => (entry << BigInt(FRACTION + 60)) >> 220n),
  );
}

describe('whitening', () => {
  it.each([1, 2, 34, 200])('takes the matrix of a rehearsal, of %i features', (d) => {
    const matrix = rehearsedMatrix(d, FRACTION);
    expect(whiten(matrix, eigenpairsOf(matrix, FRACTION), { ...BITS, least: -8 })).toBeDefined();
  });

  it.each([
    [1, 1, 100],
    [4, 10, 100],
    [8, 10, 95],
    [6, 100, 75],
  ])('of %i features, eigenvalues falling by %f, is right to %i bits', (d, ratio, right) => {
    const B = positive(d, ratio, 3 + d);
    const pairs = eigenpairsOf(B, FRACTION);
    const { root, normalised } = whiten(B, pairs, BITS)!;
    const product = multiplySigned(multiplySigned(root, B), transpose(root));
    const one = 1n << BigInt(2 * BITS.root + FRACTION);
    const largest = product
      .flatMap((row, i) => row.map((entry, j) => (i === j ? entry - one : entry)))
      .map((entry) => Math.abs(Number(entry)) / Number(one));
    expect(Math.max(...largest)).toBeLessThan(2 ** -right);
    // C̃ is C₁ at another scale, of norm just below 1.
    const square = multiplySigned(normalised, transpose(normalised)).map((row) =>
      row.map((entry) => Number(entry) * 2 ** (-2 * BITS.normalised)),
    );
    expect(Math.max(...square.map((row, i) => row[i]!))).toBeLessThan(1);
    const least = pairs.values.at(-1)!;
    for (const [i, row] of root.entries()) {
      for (const [j, entry] of row.entries()) {
        const wanted = Number(entry) * 2 ** -BITS.root * Math.sqrt(least);
        expect(Math.abs(Number(normalised[i]![j]!) * 2 ** -BITS.normalised - wanted)).toBeLessThan(1e-9);
      }
    }
  });

  it('finds nothing for a matrix that is not positive definite, or whose eigenpairs are not these', () => {
    const B = positive(3, 2, 5);
    const negative = B.map((row) => row.map((entry) => -entry));
    expect(whiten(negative, eigenpairsOf(negative, FRACTION), BITS)).toBeUndefined();
    expect(whiten(B, eigenpairsOf(positive(3, 2, 6), FRACTION), BITS)).toBeUndefined();
  });
});

describe('truncated shares', () => {
  it('add up to the value to less than a unit, over the integers', () => {
    const cases = fc.record({
      x: fc.bigInt(-(1n << 100n), 1n << 100n),
      u: fc.bigInt(1n << 150n, (1n << 200n) - (1n << 150n)),
      bits: fc.integer({ min: 1, max: 120 }),
    });
    fc.assert(
      fc.property(cases, ({ x, u, bits }) => {
        const [[own]] = truncateUser([[u]], { cut: bits }) as [[bigint]];
        const [[other]] = truncateCsp([[BigInt.asUintN(200, x - u)]], { ring: 200, cut: bits }) as [[bigint]];
        const error = ((own + other) << BigInt(bits)) - x;
        expect(error < 1n << BigInt(bits) && -error < 1n << BigInt(bits)).toBe(true);
        expect(own >= 0n && own < 1n << BigInt(200 - bits)).toBe(true);
        expect(other <= 0n && -other <= 1n << BigInt(200 - bits)).toBe(true);
      }),
    );
  });

  it('are off by the whole ring where the data user’s share wraps', () => {
    const [[own]] = truncateUser([[0n]], { cut: 4 }) as [[bigint]];
    const [[other]] = truncateCsp([[16n]], { ring: 10, cut: 4 }) as [[bigint]];
    expect(own + other).toBe(1n - (1n << 6n));
  });
});
