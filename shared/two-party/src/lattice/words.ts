/** Integers of a few bits side by side in bytes, little endian, the lowest bits first. */
import { PRIME_BITS } from './security.ts';

/** Bytes of `count` integers. */
export function packedBytes(count: number, bits: number): number {
  return Math.ceil((count * bits) / 8);
}

/** Bytes of `count` residues. */
export const wordBytes = (count: number): number => packedBytes(count, PRIME_BITS);

/** Words of 32 bits for this number of integers, and one that the last may touch. */
const wordsFor = (count: number, bits: number) => new Uint32Array(Math.ceil((count * bits) / 32) + 1);

/** Packs the lowest `bits` of each integer, at most 31. */
export function packed(values: Int32Array | Uint32Array, bits: number): Uint8Array {
  const words = wordsFor(values.length, bits);
  const mask = 2 ** bits - 1;
  for (let i = 0, from = 0; i < values.length; i += 1, from += bits) {
    const value = values[i]! & mask;
    words[from >>> 5]! |= value << (from & 31);
    words[(from >>> 5) + 1]! |= (value >>> 1) >>> (31 - (from & 31)); // a shift by 32 is none
  }
  return new Uint8Array(words.buffer, 0, packedBytes(values.length, bits));
}

/** The integers of packed(), without sign. */
export function unpacked(bytes: Uint8Array, count: number, bits: number): Uint32Array<ArrayBuffer> {
  const words = wordsFor(count, bits);
  new Uint8Array(words.buffer).set(bytes);
  const values = new Uint32Array(count);
  const mask = 2 ** bits - 1;
  for (let i = 0, from = 0; i < count; i += 1, from += bits) {
    const low = words[from >>> 5]! >>> (from & 31);
    const high = (words[(from >>> 5) + 1]! << 1) << (31 - (from & 31));
    values[i] = (low | high) & mask;
  }
  return values;
}

/** Returns the integers in two's complement. */
export function signed(values: Uint32Array, bits: number): Int32Array {
  const numbers = new Int32Array(values.length); // from() calls a function for each: thirty times slower
  for (let i = 0; i < values.length; i += 1) numbers[i] = (values[i]! << (32 - bits)) >> (32 - bits);
  return numbers;
}
