/** Proofs of form by a prover that deviates: it commits to what it likes, and looks for hashes that suit it. */
import { createHash, type Hash } from 'node:crypto';
import type { Polynomial, Ring } from '../../src/lattice/ring.ts';
import { uniformSmall } from '../../src/lattice/samplers.ts';
import type { Statement } from '../../src/lattice/sizes.ts';
import type { RandomSource } from '../../src/oblivious-transfer/randomness.ts';

/** The transforms of a′ and the a_k, and what was sent as samples of them. */
export interface Samples {
  readonly publics: readonly Polynomial[];
  readonly sent: readonly Polynomial[];
}

/** Returns uniform integers of this number of bits, sign included. */
export function uniform(ring: Ring, bits: number, random: RandomSource): Int32Array {
  return ring.scope(() => {
    const small = ring.small();
    uniformSmall(ring, small, bits, random);
    return ring.entries(small).slice();
  });
}

export function lifted(ring: Ring, entries: Int32Array): Polynomial {
  const small = ring.small();
  ring.entries(small).set(entries);
  const polynomial = ring.polynomial();
  ring.lift(polynomial, small);
  return polynomial;
}

/** Returns X^exponent·source in Z[X]/(X^N + 1). */
export function turned(source: Int32Array, exponent: number): Int32Array {
  const n = source.length;
  return source.map((_, i) => {
    const from = (((i - exponent) % (2 * n)) + 2 * n) % (2 * n);
    return from < n ? source[from]! : -source[from - n]!;
  });
}

/** Returns left + sign·right. */
export function sum(left: Int32Array, right: Int32Array, sign: 1 | -1 = 1): Int32Array {
  return left.map((entry, i) => entry + sign * right[i]!);
}

/**
 * Returns the commitments that answers z, z_i open: a_i·z + z_i + X^exponent·b_i, outside class 0 but for the first, by public
 * polynomial and prime. Without an exponent they have no b_i.
 */
export function opened(
  ring: Ring,
  { publics, sent }: Samples,
  answers: readonly Int32Array[],
  classes: number,
  exponent?: number,
): Uint32Array[] {
  return publics.flatMap((a, i) =>
    ring.scope(() => {
      const form = lifted(ring, answers[0]!);
      ring.forward(form);
      const total = ring.polynomial();
      ring.multiplyAdd(total, a, form);
      ring.inverse(total);
      ring.add(total, lifted(ring, answers[i + 1]!));
      if (exponent !== undefined) ring.addTurned(total, sent[i]!, exponent);
      return ring.primes.map((_, limb) =>
        ring.coefficients(total, limb).map((word, j) => (i > 0 && j % classes === 0 ? 0 : word)),
      );
    }),
  );
}

export function hashed(hash: Hash, lanes: readonly Uint32Array[]): Hash {
  for (const { buffer, byteOffset, byteLength } of lanes)
    hash.update(new Uint8Array(buffer, byteOffset, byteLength));
  return hash;
}

/** Returns this number of exponents of X, multiples of the classes, as a proof makes them of its hash. */
export function exponentsOf({ classes, degree }: Statement, hash: Uint8Array, count: number): number[] {
  const bytes = createHash('shake256', { outputLength: 2 * count })
    .update(hash)
    .digest();
  const powers = (2 * degree) / classes;
  return Array.from({ length: count }, (_, i) => (bytes.readUInt16LE(2 * i) % powers) * classes);
}

/** Returns the lowest `bits` of integers side by side, the lowest first: bit by bit, not as the product does. */
export function packed(values: Int32Array | Uint32Array, bits: number): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((values.length * bits) / 8));
  for (const [i, value] of values.entries()) {
    for (let bit = 0; bit < bits; bit += 1) {
      const at = i * bits + bit;
      bytes[at >> 3]! |= ((value >> bit) & 1) << (at & 7);
    }
  }
  return bytes;
}

/** Returns the bytes of a proof with this hash and these answers, by repetition. */
export function encoded(
  { classes, secretMaskBits, errorMaskBits }: Statement,
  hash: Uint8Array,
  answers: readonly (readonly Int32Array[])[],
): Uint8Array {
  const parts = answers.flatMap((all) =>
    all.map((one, i) =>
      packed(i > 1 ? one.filter((_, j) => j % classes !== 0) : one, i > 0 ? errorMaskBits : secretMaskBits),
    ),
  );
  return Buffer.concat([hash, ...parts]);
}

/**
 * Adds 1 to coefficient 1 of the last polynomial of `lanes`, and of the short one that it comes from, until a hash suits. Returns it and
 * the number of hashes; no hash where none of the first `most` suits.
 */
export function ground(
  ring: Ring,
  hash: Hash,
  lanes: readonly Uint32Array[],
  short: Int32Array,
  suits: (digest: Uint8Array) => boolean,
  most: number,
): { readonly digest: Uint8Array | undefined; readonly hashes: number } {
  const last = lanes.slice(-ring.limbs);
  const before = hashed(hash, lanes.slice(0, -ring.limbs));
  for (let hashes = 1; hashes <= most; hashes += 1) {
    const digest = hashed(before.copy(), last).digest();
    if (suits(digest)) return { digest, hashes };
    short[1]! += 1;
    for (const [limb, words] of last.entries()) words[1] = (words[1]! + 1) % ring.primes[limb]!;
  }
  return { digest: undefined, hashes: most };
}
