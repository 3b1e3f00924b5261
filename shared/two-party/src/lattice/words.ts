/** Signed integers of a few bits side by side in bytes, little endian, in two's complement. */

export function signedBytes(count: number, bits: number): number {
  return Math.ceil((count * bits) / 8);
}

/** @param bits at most 31; each value must fit */
export function packSigned(values: Int32Array, bits: number): Uint8Array {
  const bytes = new Uint8Array(signedBytes(values.length, bits));
  const mask = 2 ** bits - 1;
  let held = 0;
  let count = 0;
  let at = 0;
  for (let i = 0; i < values.length; i += 1) {
    held += (values[i]! & mask) * 2 ** count;
    count += bits;
    while (count >= 8) {
      bytes[at++] = held % 256;
      held = Math.floor(held / 256);
      count -= 8;
    }
  }
  if (count > 0) bytes[at] = held;
  return bytes;
}

export function unpackSigned(bytes: Uint8Array, count: number, bits: number): Int32Array {
  const values = new Int32Array(count);
  const whole = 2 ** bits;
  let held = 0;
  let have = 0;
  let at = 0;
  for (let i = 0; i < count; i += 1) {
    while (have < bits) {
      held += bytes[at++]! * 2 ** have;
      have += 8;
    }
    const value = held % whole;
    values[i] = value >= whole / 2 ? value - whole : value;
    held = Math.floor(held / whole);
    have -= bits;
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
