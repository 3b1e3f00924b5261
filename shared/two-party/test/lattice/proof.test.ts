import { createHash } from 'node:crypto';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { type Claim, prove, type Sent, verify, type Witness } from '../../src/lattice/proof.ts';
import { type Polynomial, Ring } from '../../src/lattice/ring.ts';
import { publicPolynomial } from '../../src/lattice/samplers.ts';
import { drawError, drawSecret, sampleOf } from '../../src/lattice/samples.ts';
import { ERROR_BOUND, proofBytes, proofSizes, type Statement } from '../../src/lattice/sizes.ts';
import { a, aKey, honest, statement as one, ring as other, seed } from './attacking.ts';
import { encoded, exponentsOf, hashed, opened, sum, turned, uniform } from './forging.ts';

const degree = 8192;
const classes = 16;
const ring = Ring.of(degree, 4);
const random = predictableRandomness('21');

/** A statement with honest samples under two secrets. */
function made(): { claim: Claim; witnesses: Witness[]; sent: Sent } {
  const statement: Statement = {
    ...{ products: [0, 1], degree, classes, ciphertexts: 2 },
    ...proofSizes(degree, classes, 2, 2),
  };
  const seed = new Uint8Array(32).fill(9);
  const publics = ['key', '0', '1'].map((label) => publicPolynomial(ring, seed, label));
  const witnesses: Witness[] = [];
  const sent = statement.products.map(() => {
    const secret = drawSecret(ring, random);
    const errors = publics.map(() => drawError(ring, random));
    witnesses.push({ secret: secret.small, errors });
    return publics.map((a, i) => sampleOf(ring, a, secret, errors[i]!));
  });
  return { claim: { statement, publics, context: Uint8Array.of(1, 2, 3) }, witnesses, sent };
}

const { claim, witnesses, sent } = made();
const draws = (attempt: number) => predictableRandomness(`try ${attempt}`);
const proof = prove(ring, claim, witnesses, draws);

/** Runs with a coefficient changed, and puts it back. */
function withChanged<T>(polynomial: Polynomial, at: number, by: number, run: () => T): T {
  for (const [limb, prime] of ring.primes.entries()) {
    const words = ring.coefficients(polynomial, limb);
    words[at] = (words[at]! + by) % prime;
  }
  try {
    return run();
  } finally {
    for (const [limb, prime] of ring.primes.entries()) {
      const words = ring.coefficients(polynomial, limb);
      words[at] = (words[at]! + prime - by) % prime;
    }
  }
}

describe('the proof of form', () => {
  it('holds, with the length that was announced', () => {
    expect(proof.length).toBe(proofBytes(claim.statement));
    expect(verify(ring, claim, sent, proof)).toBe(true);
  });

  it('is the same for the same draws', () => {
    expect(Buffer.from(prove(ring, claim, witnesses, draws)).equals(proof)).toBe(true);
  });

  it('says nothing of class 0 of ciphertexts', () => {
    withChanged(sent[1]![2]!, 3 * classes, 12_345_678, () => {
      expect(verify(ring, claim, sent, proof)).toBe(true);
    });
  });

  it.each([
    ['a key', 0, 0, 3],
    ['the other secret’s key, in class 0', 1, 0, 2 * classes],
    ['a ciphertext outside class 0', 0, 1, 3 * classes + 1],
    ['the last ciphertext outside class 0', 1, 2, degree - 1],
  ])('fails for %s that is not short, with answers of an honest prover', (_, secret, polynomial, at) => {
    withChanged(sent[secret]![polynomial]!, at, 500_000_000, () => {
      const forged = prove(ring, claim, witnesses, draws);
      expect(verify(ring, claim, sent, forged)).toBe(false);
    });
  });

  it('fails for another context, and for any change of itself', () => {
    expect(verify(ring, { ...claim, context: Uint8Array.of(1, 2, 4) }, sent, proof)).toBe(false);
    for (const at of [0, 31, 32, 70_000, proof.length - 1]) {
      const changed = proof.slice();
      changed[at]! ^= 1;
      expect(verify(ring, claim, sent, changed)).toBe(false);
    }
  });

  it('refuses an answer that is longer than an honest one, with bits that it has room for', () => {
    const user = honest();
    const publics = [aKey, a];
    const sent = [user.key, user.sent];
    const shorts = [user.secret.small, ...user.errors].map((small) => other.entries(small).slice());
    const holds = (maskOf: (bits: number, i: number) => Int32Array): boolean => {
      const hash = createHash('sha256').update(seed);
      const bits = [one.secretMaskBits, one.errorMaskBits, one.errorMaskBits];
      const masks = Array.from({ length: one.repetitions }, () => {
        const drawn = bits.map(maskOf);
        hashed(hash, opened(other, { publics, sent }, drawn, one.classes));
        return drawn;
      });
      const digest = hash.digest();
      const exponents = exponentsOf(one, digest, one.repetitions);
      const answers = masks.map((drawn, r) =>
        drawn.map((mask, i) => sum(mask, turned(shorts[i]!, exponents[r]!), i === 0 ? 1 : -1)),
      );
      return verify(other, { statement: one, publics, context: seed }, [sent], encoded(one, digest, answers));
    };
    const inside = (bits: number) => uniform(other, bits - 1, random);
    expect(holds(inside)).toBe(true);
    for (const [place, shift] of [1, ERROR_BOUND, ERROR_BOUND].entries()) {
      for (const sign of [1, -1]) {
        // Every mask is so long that what is added leaves the range for some, and the bits for none.
        const edge = (bits: number) =>
          new Int32Array(other.degree).fill(sign * (2 ** (bits - 1) - 1 - shift));
        expect(holds((bits, i) => (i === place ? edge(bits) : inside(bits)))).toBe(false);
      }
    }
  });
});
