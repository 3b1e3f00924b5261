/** Long integers and their residues modulo the primes of a ring. */

import { inverseOf } from './primes.ts';
import type { Ring } from './ring.ts';
import { firstWords } from './words.ts';

const WORD_BITS = 16;
/**
 * Fraction bits with which residues are added up to a fraction of q. Each 1/q_i is off by half a unit of the last at most, and is
 * multiplied by a residue below 2^30: a sum of 14 is off by 14·2^29 such units at most.
 */
const GUARD_BITS = 112n;

/**
 * Returns residues of signed integers in [−2^bits, 2^bits), by prime. Words of 16 bits times residues of 30 add up exactly in
 * doubles: 2^7 of them are below 2^53.
 * @throws RangeError for an integer with more bits
 */
export function residuesOf(
  { primes }: Pick<Ring, 'primes'>,
  values: readonly bigint[],
  bits: number,
): Uint32Array[] {
  const longs = Math.ceil((bits + 1) / 64);
  const offset = 1n << BigInt(bits);
  const held = new BigUint64Array(longs * values.length);
  for (const [i, value] of values.entries()) {
    let rest = value + offset;
    if (BigInt.asUintN(bits + 1, rest) !== rest)
      throw new RangeError(`"values" expected integers of ${bits} bits and a sign, got one with more`);
    for (let k = 0; k < longs; k += 1) {
      held[longs * i + k] = BigInt.asUintN(64, rest);
      rest >>= 64n;
    }
  }
  const words = new Uint16Array(held.buffer);
  const count = 4 * longs;
  return primes.map((prime) => {
    const q = BigInt(prime);
    const powers = Float64Array.from({ length: count }, (_, k) => Number((1n << BigInt(WORD_BITS * k)) % q));
    const less = prime - Number(offset % q);
    return Uint32Array.from({ length: values.length }, (_, i) => {
      let sum = less;
      for (let k = 0; k < count; k += 1) sum += words[count * i + k]! * powers[k]!;
      return sum % prime;
    });
  });
}

/** Returns residues of round(q·x/2^ringBits) for x modulo 2^ringBits. */
export function fromRing(ring: Ring, values: readonly bigint[], ringBits: number): Uint32Array[] {
  const bits = BigInt(ringBits);
  const half = 1n << (bits - 1n);
  const scaled = values.map((value) => (ring.modulus * BigInt.asUintN(ringBits, value) + half) >> bits);
  return residuesOf(ring, scaled, 30 * ring.limbs + 1);
}

/**
 * Returns round(2^ringBits·y/q) modulo 2^ringBits for y in [0, q) given by residues: the sum of fractions c_i/q_i, without y. It rounds as
 * the exact number does, except where that lies within 14·2^−83 of half a unit: for uniform residues, of probability 2^−78.
 */
export function toRing(primes: readonly number[], lanes: readonly Uint32Array[], ringBits: number): bigint[] {
  const modulus = primes.reduce((product, prime) => product * BigInt(prime), 1n);
  const scale = 1n << (BigInt(ringBits) + GUARD_BITS);
  const parts = primes.map((prime) => {
    const q = BigInt(prime);
    const factor = Number(inverseOf(modulus / q, q));
    return { prime, high: factor >>> 15, low: factor & 0x7fff, unit: (scale + q / 2n) / q };
  });
  return Array.from({ length: lanes[0]!.length }, (_, i) => {
    let sum = 1n << (GUARD_BITS - 1n);
    for (const [limb, { prime, high, low, unit }] of parts.entries()) {
      const word = lanes[limb]![i]!;
      const part = (((word * high) % prime) * 0x8000 + word * low) % prime;
      sum += BigInt(part) * unit;
    }
    return BigInt.asUintN(ringBits, sum >> GUARD_BITS);
  });
}

/** Returns the bytes of numbers, at most N of them, by prime, 30 bits each. */
export function encodeWords(ring: Ring, lanes: readonly Uint32Array[]): Uint8Array<ArrayBuffer> {
  return ring.scope(() => {
    const polynomial = ring.polynomial();
    for (const [limb, lane] of lanes.entries()) ring.coefficients(polynomial, limb).set(lane);
    return ring.bytes(polynomial, lanes.length, firstWords(lanes[0]!.length)).slice();
  });
}

/**
 * Returns `count` numbers by each of the first `limbs` primes.
 * @throws ERR_CHANNEL_MESSAGE for another length, or a word that is not below its prime
 */
export function decodeWords(ring: Ring, bytes: Uint8Array, count: number, limbs: number): Uint32Array[] {
  return ring.scope(() => {
    const polynomial = ring.polynomial();
    ring.read(polynomial, bytes, limbs, firstWords(count));
    return Array.from({ length: limbs }, (_, limb) => ring.coefficients(polynomial, limb).slice(0, count));
  });
}
