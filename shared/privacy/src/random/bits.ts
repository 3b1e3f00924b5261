/** Words, coins and integers out of a byte source that is asked for larger pieces. */

import { bitLength } from '../rational.ts';
import type { RandomSource } from './source.ts';

/** One call of the CSPRNG costs as much as some hundred bytes of its output; a single draw needs only a few. */
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

  /** Uniform in [0, 2^32). */
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

  /** Uniform in [0, 2^count); count >= 0. */
  bits(count: number): bigint {
    let value = 0n;
    let missing = count;
    for (; missing >= 32; missing -= 32) value = (value << 32n) | BigInt(this.word());
    return missing === 0 ? value : (value << BigInt(missing)) | BigInt(this.word() >>> (32 - missing));
  }

  /** Uniform in [0, bound), by rejection; bound >= 1. `length` is the bit length of bound − 1, for callers that know it. */
  below(bound: bigint, length = bitLength(bound - 1n)): bigint {
    for (;;) {
      const candidate = this.bits(length);
      if (candidate < bound) return candidate;
    }
  }
}
