/** Products in doubles are those in big integers, at every length and edge of a ring. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rowProducts, upperRowProducts } from '../../src/rotated/limbs.ts';
import { multiplyMatrices, transpose, upperProduct } from '../../src/rotated/matrices.ts';

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
