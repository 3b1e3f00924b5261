/**
 * Sources of random bytes, the system or a secret that they follow from; and words, coins and integers out of
 * them.
 */

import { bitLength, hmacSha256Hasher, randomBytes } from '@eigenveil/platform';

/** `length` uniform bytes, independent of all bytes given before. The caller may overwrite them. */
export type RandomSource = (length: number) => Uint8Array;

/** The system's CSPRNG: what every release of real data draws its noise from. */
export const systemRandomness: RandomSource = randomBytes;

const BLOCK_BYTES = 32;

/**
 * The blocks HMAC-SHA-256(key, 0), HMAC-SHA-256(key, 1), …: to whoever does not know the key they are as good
 * as random (Bellare, "New proofs for NMAC and HMAC", 2006). So that what must be drawn once is the same
 * however often it is drawn. A key is for one draw alone.
 * @param key of 32 bytes, secret and uniform
 */
export function keyedRandomness(key: Uint8Array): RandomSource {
  let block = 0;
  return (length) => {
    const bytes = new Uint8Array(length);
    for (let from = 0; from < length; from += BLOCK_BYTES, block += 1) {
      const digest = hmacSha256Hasher(key).update(`eigenveil/1 randomness\0${block}`).digest();
      bytes.set(digest.subarray(0, length - from), from);
    }
    return bytes;
  };
}

/**
 * One call of the CSPRNG costs as much as some hundred bytes of its output; a single draw needs only a few.
 */
const FIRST_CHUNK_BYTES = 64;
const LARGEST_CHUNK_BYTES = 4096;

export class RandomBits {
  readonly #source: RandomSource;
  #chunk: DataView = new DataView(new ArrayBuffer(0));
  #offset = 0;
  #chunkBytes = FIRST_CHUNK_BYTES;
  #coins = 0;
  #coinsLeft = 0;

  constructor(source: RandomSource) {
    this.#source = source;
  }

  /** Draws uniformly from [0, 2^32). */
  word(): number {
    if (this.#offset + 4 > this.#chunk.byteLength) {
      const bytes = this.#source(this.#chunkBytes);
      this.#chunkBytes = Math.min(2 * this.#chunkBytes, LARGEST_CHUNK_BYTES);
      this.#chunk = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      this.#offset = 0;
    }
    const word = this.#chunk.getUint32(this.#offset, true);
    this.#offset += 4;
    return word;
  }

  coin(): boolean {
    if (this.#coinsLeft === 0) {
      this.#coins = this.word();
      this.#coinsLeft = 32;
    }
    this.#coinsLeft--;
    return ((this.#coins >>> this.#coinsLeft) & 1) === 1;
  }

  /** Draws uniformly from [0, 2^count); count >= 0. */
  bits(count: number): bigint {
    let value = 0n;
    let missing = count;
    for (; missing >= 32; missing -= 32) value = (value << 32n) | BigInt(this.word());
    return missing === 0 ? value : (value << BigInt(missing)) | BigInt(this.word() >>> (32 - missing));
  }

  /**
   * Draws uniformly from [0, bound), by rejection; bound >= 1. `length` is the bit length of bound − 1, for
   * callers that know it.
   */
  below(bound: bigint, length = bitLength(bound - 1n)): bigint {
    for (;;) {
      const candidate = this.bits(length);
      if (candidate < bound) return candidate;
    }
  }
}
