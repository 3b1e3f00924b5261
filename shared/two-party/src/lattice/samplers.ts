/**
 * Draws the polynomials of ring LWE. Ternary and binomial coefficients take the same work whatever they are; uniform words are drawn
 * again while they are not below their prime, which does not depend on those that are.
 */
import { createHash } from 'node:crypto';
import type { RandomSource } from '../oblivious-transfer/randomness.ts';
import type { Polynomial, Ring, Small } from './ring.ts';
import { SMALL_BITS } from './security.ts';

function wordsFrom(random: RandomSource, count: number): Uint32Array<ArrayBuffer> {
  const bytes = random(4 * count);
  const isOwn = bytes.buffer instanceof ArrayBuffer && bytes.byteOffset % 4 === 0;
  // A copy is memory that is touched for the first time, which takes longer than the draw.
  if (isOwn) return new Uint32Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, count);
  return new Uint32Array(Uint8Array.from(bytes).buffer);
}

/** Fills with −1, 0 and 1, each of probability 1/3 to 2^−60. */
export function ternary(ring: Ring, small: Small, random: RandomSource): void {
  const words = wordsFrom(random, 2 * ring.degree);
  const entries = ring.entries(small);
  for (let i = 0; i < entries.length; i += 1) {
    // ⌊3·(a 2^32 + b)/2^64⌋, in doubles that hold each part exactly.
    const carry = Math.floor((words[2 * i]! * 3) / 2 ** 32);
    entries[i] = Math.floor((words[2 * i + 1]! * 3 + carry) / 2 ** 32) - 1;
  }
}

/** Fills with centred binomial integers of 42 bits: from −21 to 21, of deviation √10.5 = 3.24. */
export function binomial(ring: Ring, small: Small, random: RandomSource): void {
  const words = wordsFrom(random, 2 * ring.degree);
  const entries = ring.entries(small);
  for (let i = 0; i < entries.length; i += 1) {
    entries[i] = ones(words[2 * i]! & 0x1fffff) - ones(words[2 * i + 1]! & 0x1fffff);
  }
}

/** The number of bits that are 1. */
function ones(word: number): number {
  let sum = word - ((word >>> 1) & 0x55555555);
  sum = (sum & 0x33333333) + ((sum >>> 2) & 0x33333333);
  return Math.imul((sum + (sum >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/**
 * Fills with uniform integers in [−2^(bits − 1), 2^(bits − 1)).
 * @throws RangeError for more than SMALL_BITS: shifts by a negative number would leave −1 and 0, which hide nothing
 */
export function uniformSmall(ring: Ring, small: Small, bits: number, random: RandomSource): void {
  if (!(bits >= 1 && bits <= SMALL_BITS))
    throw new RangeError(`"bits" expected 1 to ${SMALL_BITS}, got ${bits}`);
  const words = wordsFrom(random, ring.degree);
  const entries = ring.entries(small);
  for (let i = 0; i < entries.length; i += 1) entries[i] = (words[i]! | 0) >> (32 - bits);
}

/** Returns uniform words below a prime of 30 bits. */
export function uniformWords(prime: number, count: number, random: RandomSource): Uint32Array {
  const words = new Uint32Array(count);
  for (let have = 0; have < count; ) {
    // A prime of 29.95 bits or more takes at least 96 of a hundred.
    const drawn = wordsFrom(random, Math.ceil((count - have) * 1.05) + 64);
    for (let i = 0; i < drawn.length && have < count; i += 1) {
      const candidate = drawn[i]! & 0x3fffffff;
      if (candidate < prime) words[have++] = candidate;
    }
  }
  return words;
}

/** Returns a uniform polynomial that both ends know, as a transform: SHAKE-128 of a seed and a label (FIPS 202). */
export function publicPolynomial(ring: Ring, seed: Uint8Array, label: string): Polynomial {
  const polynomial = ring.polynomial();
  for (const [limb, prime] of ring.primes.entries()) {
    let part = 0;
    const random: RandomSource = (length) => {
      const hash = createHash('shake128', { outputLength: length }).update(seed);
      return hash.update(`${label} ${limb} ${part++}`).digest();
    };
    ring.coefficients(polynomial, limb).set(uniformWords(prime, ring.degree, random));
  }
  return polynomial;
}
