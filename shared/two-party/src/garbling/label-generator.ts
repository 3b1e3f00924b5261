/** Pseudorandom labels. */
import { createCipheriv } from 'node:crypto';

/** AES-128 in counter mode under a seed that nobody else ever has. */
export class LabelGenerator {
  readonly #cipher;

  constructor(seed: Uint8Array) {
    this.#cipher = createCipheriv('aes-128-ctr', seed, new Uint8Array(16));
  }

  /** The next `length` bytes of the stream. */
  next(length: number): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(this.#cipher.update(new Uint8Array(length)));
  }
}
