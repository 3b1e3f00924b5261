import { modPow } from 'bigint-crypto-utils';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseComb, FixedBase } from '../../src/arithmetic/fixed-base.ts';
import { testKey } from '../keys.ts';

const { n, nSquared, h } = testKey(512).publicKey;

describe('fixed-base powers', () => {
  it('equal plain exponentiation for every comb that a number of powers may lead to', () => {
    const expected = fc.constantFrom(1, 2, 8, 64, 1000, 100_000);
    fc.assert(
      fc.property(expected, fc.integer({ min: 1, max: 300 }), fc.nat(), (count, exponentBits, seed) => {
        const fixedBase = new FixedBase(n, h!, exponentBits, count);
        const top = (1n << BigInt(exponentBits)) - 1n;
        const middle = (BigInt(seed) ** 9n + BigInt(seed)) & top;
        for (const exponent of [0n, 1n, 2n, 1n << BigInt(exponentBits - 1), top, middle]) {
          if (exponent <= top) expect(fixedBase.power(exponent)).toBe(modPow(h!, exponent, nSquared));
        }
      }),
      { numRuns: 40 },
    );
  });

  it('equal plain exponentiation for bases at the edges', () => {
    for (const base of [1n, 2n, n - 1n, n + 1n, nSquared - 1n]) {
      const fixedBase = new FixedBase(n, base, 64, 10);
      for (const exponent of [0n, 1n, 0xfedcba9876543210n]) {
        expect(fixedBase.power(exponent)).toBe(modPow(base, exponent, nSquared));
      }
    }
  });

  it('refuse a longer exponent', () => {
    const fixedBase = new FixedBase(n, h!, 64, 10);
    expect(() => fixedBase.power(1n << 64n)).toThrow(RangeError);
    expect(() => fixedBase.power(-1n)).toThrow(RangeError);
  });
});

describe('the choice of a comb', () => {
  it('covers the exponent and leaves no sub-table without columns', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2048 }), fc.integer({ min: 1, max: 1e6 }), (bits, expected) => {
        const { teeth, columns, stride, subTables } = chooseComb(bits, expected);
        expect(teeth * columns).toBeGreaterThanOrEqual(bits);
        expect(stride * subTables).toBeGreaterThanOrEqual(columns);
        expect((subTables - 1) * stride).toBeLessThan(columns);
      }),
    );
  });

  it('grows with the number of powers', () => {
    const products = [1, 64, 10_000].map((expected) => {
      const { columns, stride } = chooseComb(1024, expected);
      return columns + stride;
    });
    expect(products[0]).toBeGreaterThan(products[1]!);
    expect(products[1]).toBeGreaterThan(products[2]!);
  });
});
