/** Random words and integers from a source of random bytes, drawn in large pieces because a call to the source costs microseconds. */
import type { RandomSource } from '../oblivious-transfer/randomness.ts';

const PIECE_BYTES = 16_384;

export class RandomBits {
  readonly #source: RandomSource;
  #piece = Buffer.alloc(0);
  #next = 0;

  constructor(source: RandomSource) {
    this.#source = source;
  }

  /** A uniform integer in [0, 2^32). */
  word(): number {
    return this.#take(4).readUInt32LE();
  }

  /** A uniform integer in [0, bound), 1 <= bound <= 2^16. */
  below(bound: number): number {
    const limit = 2 ** 32 - (2 ** 32 % bound);
    for (;;) {
      const word = this.word();
      if (word < limit) return word % bound;
    }
  }

  /** A uniform integer in [0, 2^bits), bits >= 1. */
  integer(bits: number): bigint {
    const bytes = this.#take(Math.ceil(bits / 8));
    return BigInt.asUintN(bits, BigInt(`0x${bytes.toString('hex')}`));
  }

  #take(length: number): Buffer {
    if (this.#next + length > this.#piece.length) {
      this.#piece = Buffer.from(this.#source(Math.max(PIECE_BYTES, length)));
      this.#next = 0;
    }
    const taken = this.#piece.subarray(this.#next, this.#next + length);
    this.#next += length;
    return taken;
  }
}
