/** Products in doubles are those in big integers, at every length and edge of a ring. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rowProducts, signedLimbsOf, upperRowProducts } from '../../src/rotated/limbs.ts';
import { multiplyMatrices, transpose } from '../../src/rotated/matrices.ts';
import { upperProduct } from '../support/views.ts';

const matrix = (rows: number, columns: number, bits: number) => {
  const most = 2n ** BigInt(bits);
  const entry = fc.oneof(
    fc.constantFrom(0n, 1n, -1n, most - 1n, -most),
    fc.bigInt({ min: -most, max: most }),
  );
  const row = fc.array(entry, { minLength: columns, maxLength: columns });
  return fc.array(row, { minLength: rows, maxLength: rows });
};

it('are those of the reference', () => {
  const cases = fc
    .tuple(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 40 }))
    .chain(([ring, rows, n]) =>
      fc.record({
        ring: fc.constant(ring),
        left: matrix(rows, n, ring + 5),
        right: matrix(rows + 1, n, ring + 5),
      }),
    );
  fc.assert(
    fc.property(cases, ({ ring, left, right }) => {
      expect(rowProducts(left, right, ring)).toEqual(multiplyMatrices(left, transpose(right), ring));
      expect(upperRowProducts(left, left, ring)).toEqual(upperProduct(left, left, ring));
    }),
  );
});

it('are exact where all limbs are full, of as many features as there may be', () => {
  const row = new Array<bigint>(10_000).fill(2n ** 66n - 1n);
  expect(rowProducts([row], [row], 66)).toEqual([[10_000n]]);
});

it('hold each entry with its sign, at every place where words of memory meet', () => {
  const cases = fc
    .tuple(fc.integer({ min: 2, max: 31 }), fc.integer({ min: 1, max: 8 }))
    .chain(([limbBits, count]) => {
      const most = 2n ** BigInt(limbBits * count - 1);
      const entry = fc.oneof(
        fc.constantFrom(0n, 1n, -1n, most - 1n, -most),
        fc.bigInt({ min: -most, max: most - 1n }),
      );
      return fc.record({
        limbBits: fc.constant(limbBits),
        count: fc.constant(count),
        row: fc.array(entry, { minLength: 1, maxLength: 5 }),
      });
    });
  fc.assert(
    fc.property(cases, ({ limbBits, count, row }) => {
      const limbs = signedLimbsOf(row, limbBits, count);
      const sums = row.map((_, i) =>
        limbs.reduce((sum, limb, k) => sum + (BigInt(limb[i]!) << BigInt(limbBits * k)), 0n),
      );
      expect(sums).toEqual(row);
      for (const limb of limbs.slice(0, -1)) expect(Math.min(...limb)).toBeGreaterThanOrEqual(0);
    }),
  );
});
