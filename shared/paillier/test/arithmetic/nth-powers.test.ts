/** The powers that owners take in browsers are those that OpenSSL gives, and those of plain arithmetic. */
import { modPow } from 'bigint-crypto-utils';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Modulus, ResidueRing } from '../../src/arithmetic/modular.ts';
import { nthPowers as byBigint, FixedExponent } from '../../src/arithmetic/nth-powers.browser.ts';
import { nthPowers as byOpenSsl } from '../../src/arithmetic/nth-powers.ts';
import { standardTestKey } from '../keys.ts';

describe('powers to a fixed exponent', () => {
  const modulus = (1n << 521n) - 1n;
  const modular = new Modulus(modulus);
  const ring = {
    multiply: (a: bigint, b: bigint) => modular.multiply(a, b),
    square: (a: bigint) => modular.multiply(a, a),
  };
  /** Long runs of zeros and ones, beside what is drawn evenly. */
  const exponent = fc
    .array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 20 })), { minLength: 1, maxLength: 12 })
    .map((runs) => BigInt(`0b1${runs.map(([one, length]) => (one ? '1' : '0').repeat(length)).join('')}`));

  it('equal plain exponentiation', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: modulus - 1n }),
        fc.oneof(exponent, fc.bigInt({ min: 1n, max: modulus })),
        (base, power) => {
          expect(new FixedExponent(power).power(ring, base)).toBe(modPow(base, power, modulus));
        },
      ),
    );
  });

  it.each([1n, 2n, 3n, 64n, 127n, 128n, 129n, 255n, 1n << 40n, (1n << 40n) - 1n])('take %s', (power) => {
    for (const base of [0n, 1n, 2n, modulus - 1n])
      expect(new FixedExponent(power).power(ring, base)).toBe(modPow(base, power, modulus));
  });
});

describe.each([512, 1024] as const)('n-th powers mod n^2 under a key of %i bits', (bits) => {
  const { publicKey } = standardTestKey(bits);
  const { n, nSquared } = publicKey;
  const [inBrowsers, inNode] = [byBigint(publicKey), byOpenSsl(publicKey)];

  it('are the same in browsers, in OpenSSL and by plain arithmetic', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: n - 1n }), (r) => {
        const power = modPow(r, n, nSquared);
        expect([inBrowsers(r), inNode(r)]).toEqual([power, power]);
      }),
      { numRuns: (512 * 20) / bits },
    );
  });

  it.each([
    ['1', 1n],
    ['2', 2n],
    ['n - 1', n - 1n],
    ['n - 2', n - 2n],
  ])('take %s', (_, r) => {
    expect(inBrowsers(r)).toBe(modPow(r, n, nSquared));
  });
});

describe('arithmetic in base n', () => {
  const { n, nSquared } = standardTestKey(512).publicKey;
  const ring = new ResidueRing(n);
  const element = fc.oneof(
    fc.bigInt({ min: 0n, max: nSquared - 1n }),
    fc.constantFrom(0n, 1n, n - 1n, n, n + 1n, nSquared - n, nSquared - 1n),
  );

  it('is arithmetic mod n^2', () => {
    fc.assert(
      fc.property(element, element, (a, b) => {
        expect(ring.toInteger(ring.multiply(ring.from(a), ring.from(b)))).toBe((a * b) % nSquared);
        expect(ring.toInteger(ring.square(ring.from(a)))).toBe((a * a) % nSquared);
      }),
    );
  });
});
