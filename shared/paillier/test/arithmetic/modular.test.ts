import { bitLength } from '@eigenveil/platform';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gcd, Modulus } from '../../src/arithmetic/modular.ts';
import { randomBelow, randomBits, randomUnit } from '../../src/arithmetic/random.ts';

const modulus = fc.bigInt({ min: 3n, max: 1n << 700n }).map((m) => m | 1n);

describe('Barrett reduction', () => {
  it('divides as BigInt does', () => {
    fc.assert(
      fc.property(modulus, fc.bigInt({ min: 0n, max: 1n << 1410n }), (m, raw) => {
        const x = raw % (16n * m * m);
        expect(new Modulus(m).divide(x)).toEqual({ quotient: x / m, remainder: x % m });
        expect(new Modulus(m).reduce(x)).toBe(x % m);
      }),
    );
  });

  it('divides at the edges of its range', () => {
    // Moduli at both ends of even and odd lengths, where the estimate of the quotient is worst.
    for (const bits of [8n, 9n, 64n, 65n, 1023n, 1024n]) {
      for (const m of [(1n << (bits - 1n)) + 1n, (1n << bits) - 1n]) {
        const top = 16n * m * m - 1n;
        for (const x of [0n, 1n, m - 1n, m, m + 1n, m * m - 1n, m * m, top]) {
          expect(new Modulus(m).divide(x)).toEqual({ quotient: x / m, remainder: x % m });
          expect(new Modulus(m).reduce(x)).toBe(x % m);
        }
      }
    }
  });
});

describe('gcd', () => {
  it('divides both and is the greatest', () => {
    const factor = fc.bigInt({ min: 1n, max: 1n << 200n });
    fc.assert(
      fc.property(factor, factor, factor, (a, b, c) => {
        const common = gcd(a * c, b * c);
        expect((a * c) % common).toBe(0n);
        expect((b * c) % common).toBe(0n);
        expect(common % c).toBe(0n);
      }),
    );
  });
});

describe('random integers', () => {
  it('stay below their bound and reach every value', () => {
    for (const [draw, expected] of [
      [() => randomBelow(5n), [0n, 1n, 2n, 3n, 4n]],
      [() => randomUnit(5n), [1n, 2n, 3n, 4n]],
      [() => randomBits(2), [0n, 1n, 2n, 3n]],
    ] as const) {
      const seen = new Set(Array.from({ length: 500 }, draw));
      expect([...seen].sort()).toEqual(expected);
    }
  });

  it('reach their full length', () => {
    for (const bits of [1, 7, 8, 9, 130]) {
      const longest = Math.max(...Array.from({ length: 200 }, () => bitLength(randomBits(bits))));
      expect(longest).toBe(bits);
    }
  });
});
