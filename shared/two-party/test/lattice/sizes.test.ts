import { describe, expect, it } from 'vitest';
import { type Packing, packingOf, resultPlaces, userPlaces } from '../../src/lattice/packing.ts';
import { latticePlan } from '../../src/lattice/planning.ts';
import { largestLimbs, primalSecurityBits, SMALL_BITS } from '../../src/lattice/security.ts';
import {
  HIDING_BITS,
  LEAST_PRIME_BITS,
  type ProductSize,
  productBytes,
  proofBytes,
  slackOf,
} from '../../src/lattice/sizes.ts';

const square: ProductSize = {
  ...{ rows: 34, inner: 34, columns: 34, part: 'whole', ringBits: 228, factorBits: 82, rowBits: 82 },
  ...{ errorBits: 0, junkBits: 7, call: 0 },
};

describe('security', () => {
  // Table 1 of the HomomorphicEncryption.org standard, 128 bits, ternary secrets.
  it.each([
    [1024, 27],
    [2048, 54],
    [4096, 109],
    [8192, 218],
    [16384, 438],
    [32768, 881],
  ])('is 128 bits for N = %i and a modulus of %i bits', (degree, bits) => {
    expect(primalSecurityBits(degree, bits)).toBeGreaterThan(127);
    expect(primalSecurityBits(degree, bits)).toBeLessThan(132);
    // Two bits of modulus in a hundred are worth more than a bit of security.
    expect(primalSecurityBits(degree, bits * 1.05)).toBeLessThan(126.5);
  });

  it('is 133 bits and more for the longest moduli in use', () => {
    expect([largestLimbs(8192), largestLimbs(16384)]).toEqual([7, 14]);
    expect(primalSecurityBits(8192, 210)).toBeCloseTo(133.6, 1);
    expect(primalSecurityBits(16384, 420)).toBeCloseTo(134.3, 1);
  });
});

describe('packing', () => {
  const cases: [number, number, number, number][] = [
    [9, 7, 5, 1],
    [9, 7, 5, 8],
    [40, 300, 60, 256],
    [3, 1, 5000, 4],
  ];
  it.each(cases)(
    '%i × %i by %i in %i classes has each entry once, each in its class',
    (rows, inner, columns, classes) => {
      const packing = packingOf({ rows, inner, columns, part: 'whole' }, 8192, classes);
      const seen = new Set<string>();
      const each = (
        count: number,
        of: (packing: Packing, block: number, i: number) => ReturnType<typeof userPlaces>,
      ) => {
        seen.clear();
        for (let block = 0; block < packing.blocks; block += 1) {
          for (let i = 0; i < count; i += 1) {
            const places = of(packing, block, i);
            expect(new Set(places.map(({ coefficient }) => coefficient)).size).toBe(places.length);
            for (const { row, column, coefficient } of places) {
              expect(coefficient).toBeLessThan(8192);
              seen.add(`${row} ${column}`);
            }
          }
        }
        return seen.size;
      };
      expect(each(packing.ciphertexts, userPlaces)).toBe(inner * columns);
      expect([...userPlaces(packing, 0, 0)].every(({ coefficient }) => coefficient % classes === 0)).toBe(
        true,
      );
      expect(each(packing.answers, resultPlaces)).toBe(rows * columns);
      expect(resultPlaces(packing, 0, 0).every((it) => it.coefficient % classes === it.row)).toBe(true);
    },
  );
});

describe('a plan', () => {
  // Its own errors decide of the first two, and others' rows of the last.
  it.each([
    [[square, { ...square, call: 1, part: 'upper', errorBits: 90, junkBits: 90 } as const]],
    [[{ ...square, errorBits: 60 }]],
  ])('gives each product room for its errors and those that it is to bear', (sizes) => {
    const { products, statements } = latticePlan(sizes);
    const [statement] = statements;
    expect(statement!.products).toEqual([...sizes.keys()]);
    expect((2 * statement!.degree) / statement!.classes).toBeGreaterThanOrEqual(
      2 ** (110 / statement!.repetitions),
    );
    const slack = slackOf(statement!);
    for (const { up, down, floodBits, degree, packing, errorBits, junkBits, rowBits } of products) {
      const unit = up * LEAST_PRIME_BITS - square.ringBits;
      const hidden = Math.log2(degree * (2 ** slack.errorBits + 21 * 2 ** slack.secretBits));
      expect(floodBits).toBeGreaterThanOrEqual(hidden + HIDING_BITS + Math.log2(34 * 34) - 1.01);
      expect(floodBits - unit).toBeLessThan(errorBits);
      expect(
        slack.errorBits + rowBits + Math.log2((packing.classes - 1) * Math.sqrt(34)) - unit,
      ).toBeLessThanOrEqual(junkBits!);
      expect(down * LEAST_PRIME_BITS - square.ringBits + errorBits).toBeGreaterThan(8);
      expect(up).toBeLessThanOrEqual(largestLimbs(degree));
    }
  });

  it('gives products of one call one key, but none to two that are proved together', () => {
    const scalar = { ...square, rows: 595, inner: 1, columns: 1, call: 0 };
    const { statements, keys, keyOf } = latticePlan([square, square, scalar, { ...square, call: 1 }]);
    expect(statements.map(({ products: numbers }) => numbers.toSorted())).toEqual([[2], [0, 1, 3]]);
    expect(keyOf).toEqual([0, 1, 0, 2]);
    expect(keys).toHaveLength(3);
  });

  it('proves products together that have other sides, where their ciphertexts are as many', () => {
    const scalar = { ...square, rows: 64, inner: 1, columns: 1, errorBits: 60, junkBits: 60 };
    const column = { ...square, columns: 1, errorBits: 60, junkBits: 60 };
    const { statements, products } = latticePlan([scalar, column]);
    expect(statements.map(({ products: numbers }) => numbers)).toEqual([[0, 1]]);
    expect(new Set(products.map(({ up, packing }) => `${up} ${packing.classes}`)).size).toBe(1);
  });

  it('has bytes as its messages have', () => {
    const { products, statements } = latticePlan([square]);
    expect(productBytes(products[0]!)).toBeGreaterThan(2e6);
    expect(productBytes(products[0]!)).toBeLessThan(4e6);
    expect(proofBytes(statements[0]!)).toBeLessThan(2e6);
  });

  it.each([34, 200, 400, 600])('has masks of proofs that fit into a residue, for %i features', (side) => {
    const one = { ...square, rows: side, inner: side, columns: side };
    const plan = latticePlan([one, { ...one, call: 1, part: 'upper', errorBits: 90, junkBits: 90 }]);
    for (const { secretMaskBits, errorMaskBits } of plan.statements)
      expect(Math.max(secretMaskBits, errorMaskBits)).toBeLessThanOrEqual(SMALL_BITS);
  });

  it('refuses a product that needs a longer modulus than is secure, in words that say what helps', () => {
    const refusal = expect.objectContaining({
      code: 'ERR_TASK_RANGE',
      message: expect.stringContaining('fewer samples'),
    });
    expect(() => latticePlan([{ ...square, ringBits: 360 }])).toThrow(refusal);
  });
});
