import { modPow } from 'bigint-crypto-utils';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Exponentiator } from '../../src/arithmetic/exponentiation.ts';
import { selfTest, usesBigintFallback } from '../../src/index.ts';
import { testKey } from '../keys.ts';

const { p, publicKey } = testKey(512);
const modulus = publicKey.nSquared;
const exponentiator = new Exponentiator(modulus);

describe('exponentiation in OpenSSL', () => {
  it('equals plain BigInt arithmetic', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: modulus - 1n }),
        fc.bigInt({ min: 0n, max: modulus * modulus }),
        (base, exponent) => {
          expect(exponentiator.power(base, exponent)).toBe(modPow(base, exponent, modulus));
        },
      ),
      { numRuns: 30 },
    );
  });

  it.each([
    ['0', 0n],
    ['1', 1n],
    ['2, with a result of few bits', 2n],
    ['m - 2', modulus - 2n],
    ['m - 1', modulus - 1n],
  ])('takes the base %s', (_, base) => {
    for (const exponent of [0n, 1n, 2n, 3n, 65536n, 65537n]) {
      expect(exponentiator.power(base, exponent)).toBe(modPow(base, exponent, modulus));
    }
  });

  it('gives results of 1 and m - 1, which OpenSSL does not hand out', () => {
    const power = new Exponentiator(p * p);
    const order = p * (p - 1n);
    expect(power.power(5n, order)).toBe(1n);
    // Half the order: +1 for squares, -1 for the others.
    const signs = [2n, 3n, 5n, 7n, 11n, 13n, 17n, 19n].map((base) => power.power(base, order / 2n));
    expect(signs).toEqual(
      [2n, 3n, 5n, 7n, 11n, 13n, 17n, 19n].map((base) => modPow(base, order / 2n, p * p)),
    );
    expect(new Set(signs)).toEqual(new Set([1n, p * p - 1n]));
  });

  it('says so where OpenSSL refuses', () => {
    expect(() => new Exponentiator(p * p).power(p, 5n)).toThrow(
      expect.objectContaining({ code: 'ERR_OPENSSL_EXPONENTIATION' }),
    );
    expect(() => new Exponentiator(101n).power(2n, 5n)).toThrow(
      expect.objectContaining({ code: 'ERR_OPENSSL_EXPONENTIATION' }),
    );
  });

  it('passes its self-test and stays in OpenSSL where a fallback is allowed', () => {
    selfTest({ allowBigintFallback: false });
    selfTest({ allowBigintFallback: true });
    expect(usesBigintFallback()).toBe(false);
  });
});
