/** Signed integers of a few bits side by side in bytes, little endian, in two's complement. */

export function signedBytes(count: number, bits: number): number {
  return Math.ceil((count * bits) / 8);
}

/** @param bits at most 31; each value must fit */
export function packSigned(values: Int32Array, bits: number): Uint8Array {
  // A value touches five bytes at most.
  const bytes = new Uint8Array(signedBytes(values.length, bits) + 4);
  const mask = 2 ** bits - 1;
  for (let i = 0, from = 0; i < values.length; i += 1, from += bits) {
    const at = from >>> 3;
    const shift = from & 7;
    const value = values[i]! & mask;
    const low = value << shift;
    bytes[at]! |= low;
    bytes[at + 1]! |= low >>> 8;
    bytes[at + 2]! |= low >>> 16;
    bytes[at + 3]! |= low >>> 24;
    bytes[at + 4]! |= shift === 0 ? 0 : value >>> (32 - shift);
  }
  return bytes.subarray(0, -4);
}

/** The values of packSigned(). */
export function unpackSigned(bytes: Uint8Array, count: number, bits: number): Int32Array {
  const values = new Int32Array(count);
  for (let i = 0, from = 0; i < count; i += 1, from += bits) {
    const at = from >>> 3;
    const shift = from & 7;
    const low =
      bytes[at]! | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
    const high = shift === 0 ? 0 : (bytes[at + 4] ?? 0) << (32 - shift);
    values[i] = (((low >>> shift) | high) << (32 - bits)) >> (32 - bits);
  }
  return values;
}

const WORD_BITS = 30;

/** Bytes of `count` words of 30 bits. */
export function wordBytes(count: number): number {
  return Math.ceil((count * WORD_BITS) / 8);
}

/** Packs words below 2^30 side by side: 16 of them take 15 words. */
export function packWords(words: Uint32Array): Uint8Array {
  const groups = Math.ceil(words.length / 16);
  const packed = new Uint32Array(15 * groups);
  for (let group = 0; group < groups; group += 1) {
    const from = 16 * group;
    const to = 15 * group;
    for (let i = 0; i < 15; i += 1) {
      const low = words[from + i] ?? 0;
      const high = words[from + i + 1] ?? 0;
      // Word i has lost its lowest 2i bits to the word before.
      packed[to + i] = (low >>> (2 * i)) | (high << (WORD_BITS - 2 * i));
    }
  }
  return new Uint8Array(packed.buffer, 0, wordBytes(words.length));
}

/** The words of packWords(). */
export function unpackWords(bytes: Uint8Array, count: number): Uint32Array<ArrayBuffer> {
  const groups = Math.ceil(count / 16);
  const packed = new Uint32Array(15 * groups);
  new Uint8Array(packed.buffer).set(bytes);
  const words = new Uint32Array(16 * groups);
  const mask = 2 ** WORD_BITS - 1;
  for (let group = 0; group < groups; group += 1) {
    const from = 15 * group;
    const to = 16 * group;
    words[to] = packed[from]! & mask;
    for (let i = 1; i < 16; i += 1) {
      const low = packed[from + i - 1]! >>> (WORD_BITS - 2 * (i - 1));
      const high = i < 15 ? packed[from + i]! << (2 * i) : 0;
      words[to + i] = (low | high) & mask;
    }
  }
  return words.subarray(0, count) as Uint32Array<ArrayBuffer>;
}
