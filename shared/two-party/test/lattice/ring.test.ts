import { predictableRandomness } from '@eigenveil/testbed/random';
import { describe, expect, it, vi } from 'vitest';
import { primesFor } from '../../src/lattice/primes.ts';
import { fromRing, residuesOf, toRing } from '../../src/lattice/residues.ts';
import { type Polynomial, Ring } from '../../src/lattice/ring.ts';
import { publicPolynomial } from '../../src/lattice/samplers.ts';
import { LEAST_PRIME_BITS } from '../../src/lattice/sizes.ts';

/** The part of the WebAssembly interface that this file uses, which the type library of the language does not declare. */
declare const WebAssembly: { Memory: { prototype: { grow(pages: number): number } } };

const ring = Ring.of(8192, 3);
const n = ring.degree;

/** A product of sparse polynomials by their definition. */
function schoolbook(left: ReadonlyMap<number, number>, right: readonly number[], prime: number): number[] {
  const product = new Array<bigint>(n).fill(0n);
  for (const [i, a] of left) {
    for (let j = 0; j < n; j += 1) {
      const term = BigInt(a) * BigInt(right[j]!);
      product[(i + j) % n]! += i + j >= n ? -term : term;
    }
  }
  return product.map((value) => Number(((value % BigInt(prime)) + BigInt(prime)) % BigInt(prime)));
}

function copy(polynomial: Polynomial): number[][] {
  return ring.primes.map((_, limb) => [...ring.coefficients(polynomial, limb)]);
}

describe('Ring', () => {
  it('has primes below 2^30 that are 1 modulo 2^15', () => {
    const primes = primesFor(14);
    expect(new Set(primes).size).toBe(14);
    for (const prime of primes) {
      expect(prime % 2 ** 15).toBe(1);
      expect(Math.log2(prime)).toBeGreaterThan(LEAST_PRIME_BITS);
      for (let d = 3; d * d <= prime; d += 2) if (prime % d === 0) throw new Error(`${prime} is no prime`);
    }
  });

  it.each(['random', 'largest'] as const)('multiplies as the definition does, %s coefficients', (kind) => {
    ring.scope(() => {
      const right = ring.polynomial();
      const random = publicPolynomial(ring, new Uint8Array(32), kind);
      for (const [limb, prime] of ring.primes.entries()) {
        const words = ring.coefficients(random, limb);
        ring.coefficients(right, limb).set(kind === 'random' ? words : words.map(() => prime - 1));
      }
      const before = copy(right);
      const left = ring.polynomial();
      const sparse = new Map([
        [0, 5],
        [1, ring.primes[2]! - 1],
        [4097, 123_456_789],
        [n - 1, ring.primes[2]! - 2],
      ]);
      for (let limb = 0; limb < ring.limbs; limb += 1)
        for (const [i, value] of sparse) ring.coefficients(left, limb)[i] = value;
      ring.forward(left);
      ring.forward(right);
      const sum = ring.polynomial();
      ring.multiplyAdd(sum, left, right);
      ring.multiplyAdd(sum, left, right);
      ring.inverse(sum);
      for (const [limb, prime] of ring.primes.entries()) {
        const expected = schoolbook(sparse, before[limb]!, prime).map((value) => (2 * value) % prime);
        expect([...ring.coefficients(sum, limb)]).toEqual(expected);
      }
    });
  });

  it('turns by powers of X, adds, subtracts and lifts', () => {
    ring.scope(() => {
      const small = ring.small();
      ring.entries(small).set([-21, 21, 0, 1]);
      const p = ring.polynomial();
      ring.lift(p, small);
      const prime = ring.primes[1]!;
      for (const exponent of [0, 1, 4, n - 2, n, n + 7, 2 * n - 1]) {
        ring.scope(() => {
          const sum = ring.polynomial();
          ring.addSmall(sum, small);
          ring.addTurned(sum, p, exponent);
          const expected = new Array<number>(n).fill(0);
          for (const [i, entry] of ring.entries(small).entries()) {
            const place = (i + exponent) % (2 * n);
            expected[i]! += entry;
            expected[place % n]! += place < n ? entry : -entry;
          }
          expect([...ring.coefficients(sum, 1)]).toEqual(expected.map((entry) => (entry + prime) % prime));
        });
      }
      const none = ring.polynomial();
      ring.subtract(none, p);
      ring.subtract(none, p);
      expect([...ring.coefficients(none, 1).subarray(0, 4)]).toEqual([42, prime - 42, 0, prime - 2]);
    });
  });

  it('rescales as exact division does, rounded', () => {
    const random = predictableRandomness('7');
    const values = [0n, 1n, -1n, ring.modulus / 2n, -ring.modulus / 2n].concat(
      Array.from({ length: 40 }, () => BigInt(`0x${Buffer.from(random(11)).toString('hex')}`) - (1n << 87n)),
    );
    const residues = residuesOf(ring, values, 90);
    const dropped = BigInt(ring.primes[2]!);
    const [first, second] = ring.rescaleWords(residues, 2);
    for (const [i, value] of values.entries()) {
      const rest = ((value % dropped) + dropped) % dropped;
      const centred = rest > dropped / 2n ? rest - dropped : rest;
      const exact = (value - centred) / dropped;
      for (const [lane, prime] of [
        [first!, BigInt(ring.primes[0]!)],
        [second!, BigInt(ring.primes[1]!)],
      ] as const)
        expect(BigInt(lane[i]!)).toBe(((exact % prime) + prime) % prime);
    }
  });

  it('packs and unpacks, and refuses what it has not made', () => {
    ring.scope(() => {
      const p = publicPolynomial(ring, new Uint8Array(32), 'packed');
      const bytes = ring.bytes(p, 2);
      expect(bytes.length).toBe(2 * ((n * 30) / 8));
      const q = ring.polynomial();
      ring.read(q, bytes, 2);
      expect(copy(q).slice(0, 2)).toEqual(copy(p).slice(0, 2));
      expect(() => ring.read(q, bytes.subarray(1), 2)).toThrow(
        expect.objectContaining({ code: 'ERR_CHANNEL_MESSAGE' }),
      );
      bytes.fill(0xff, 0, 4);
      expect(() => ring.read(q, bytes, 2)).toThrow(expect.objectContaining({ code: 'ERR_CHANNEL_MESSAGE' }));
    });
  });

  it('ends scopes in the reverse order alone', async () => {
    const own = Ring.of(8192, 1);
    const first = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    const waiting = (until: Promise<void>) =>
      own.scopeOf(() => {
        own.small();
        return until;
      });
    const [outer, inner] = [waiting(first.promise), waiting(second.promise)];
    const refused = expect(outer).rejects.toThrow('the one that began last');
    first.resolve();
    await refused;
    second.resolve();
    await inner;
  });

  it('leaves nothing in its memory', () => {
    const address = ring.scope(() => {
      const p = publicPolynomial(ring, new Uint8Array(32), 'secret');
      return p;
    });
    expect(ring.coefficients(address, 0).every((word) => word === 0)).toBe(true);
  });

  it('leaves nothing in its memory where there is no more of it, and goes on', () => {
    const full = Ring.of(8192, 1);
    const grow = vi.spyOn(WebAssembly.Memory.prototype, 'grow').mockImplementation(() => {
      throw new RangeError('no more memory');
    });
    let first: Polynomial | undefined;
    const exhaust = () => {
      first = full.polynomial();
      full.coefficients(first, 0).fill(1);
      for (;;) full.polynomial();
    };
    try {
      expect(() => full.scope(exhaust)).toThrow('no more memory');
    } finally {
      grow.mockRestore();
    }
    expect(full.coefficients(first!, 0).every((word) => word === 0)).toBe(true);
    expect(full.scope(() => full.polynomial())).toBe(first);
  });

  it('lifts all integers of 30 bits', () => {
    const signed = [-(2 ** 29), 2 ** 29 - 1, -1, 0];
    ring.scope(() => {
      const small = ring.small();
      ring.entries(small).set(signed);
      const p = ring.polynomial();
      ring.lift(p, small);
      for (const [limb, prime] of ring.primes.entries()) {
        const expected = signed.map((value) => (value + prime) % prime);
        expect([...ring.coefficients(p, limb).subarray(0, 4)]).toEqual(expected);
      }
    });
  });
});

describe('residues', () => {
  it('goes to fractions of q and back', () => {
    const random = predictableRandomness('3');
    const values = [0n, 1n, (1n << 60n) - 1n, 1n << 59n].concat(
      Array.from({ length: 50 }, () => BigInt(`0x${Buffer.from(random(8)).toString('hex')}`) >> 4n),
    );
    const lanes = fromRing(ring, values, 60);
    expect(toRing(ring.primes, lanes, 60)).toEqual(values);
  });

  it('rounds any residues as the exact quotient does', () => {
    const random = predictableRandomness('4');
    const values = Array.from(
      { length: 200 },
      () => BigInt.asUintN(89, BigInt(`0x${Buffer.from(random(12)).toString('hex')}`)) % ring.modulus,
    );
    const shares = toRing(ring.primes, residuesOf(ring, values, 90), 50);
    const exact = values.map((value) =>
      BigInt.asUintN(50, ((value << 51n) + ring.modulus) / (2n * ring.modulus)),
    );
    expect(shares).toEqual(exact);
  });

  it('rounds as the exact quotient does within 2^−75 of half a unit', () => {
    const primes = primesFor(14);
    const modulus = primes.reduce((product, prime) => product * BigInt(prime), 1n);
    const random = predictableRandomness('5');
    const bits = 228n;
    const near = modulus >> (bits + 75n);
    const values = Array.from({ length: 100 }, (_, i) => {
      const unit = BigInt(`0x${Buffer.from(random(28)).toString('hex')}`);
      return (((2n * unit + 1n) * modulus) >> (bits + 1n)) + (i % 2 === 0 ? near : -near);
    });
    const lanes = primes.map((prime) => Uint32Array.from(values, (value) => Number(value % BigInt(prime))));
    const exact = values.map((value) =>
      BigInt.asUintN(228, ((value << (bits + 1n)) + modulus) / (2n * modulus)),
    );
    expect(toRing(primes, lanes, 228)).toEqual(exact);
  });
});
