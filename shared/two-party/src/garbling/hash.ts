/**
 * The hash of half-gates: TMMO(x, i) = pi(pi(x) ^ i) ^ pi(x) with pi = AES-128 under a chunk's key (Guo, Katz, Wang, Yu,
 * "Efficient and Secure Multiparty Computation from Fixed-Key Block Ciphers", IEEE S&P 2020).
 *
 * Why keys change. With pi an ideal permutation TMMO is tweakable circular correlation robust, and so half-gates are
 * secure, up to about (p q + q^2) / 2^128 times a small constant, p being the adversary's AES computations and q the hashes
 * under one key. One key for a whole computation of 2^34 gates would leave some 92 bits: an adversary compares
 * every AES result of its own with every gate (Guo, Katz, Wang, Weng, Yu, "Better Concrete Security for Half-Gates
 * Garbling", CRYPTO 2020, shows such an attack on the hashes of that time). Hence a fresh key for every chunk
 * of C = 2^12 gates, so q = 4C = 2^14 hashes. Chunks' keys are random, so an AES computation is about one chunk,
 * whatever their number, unless two chunks have the same key, and for N chunks the advantage stays below about
 *
 *   (2 p q + N q^2) / 2^128  +  N^2 / 2^129  =  p / 2^113 + N / 2^100 + N^2 / 2^129.
 *
 * At N = 2^22 chunks, 2^34 gates: 113 bits against offline work p, and less than 2^-77 for the rest. The argument needs keys that do
 * not depend on what the adversary asked before: the garbler draws each key from the CSPRNG when the chunk begins and sends
 * it with the chunk. Nothing of the key is secret; delta and the labels that the evaluator does not hold are. These are the
 * leading terms of both papers' bounds put together here, not a theorem of either: constants may differ by a few bits.
 *
 * Why tweaks still differ within a chunk. Gates may share inputs; with equal key and tweak their tables would cancel
 * to known differences that reveal delta. A tweak is the running number of the half-gate and never returns in a session.
 */
import { type Cipheriv, createCipheriv } from 'node:crypto';

/** Gates under one AES key. */
export const CHUNK_GATES = 2 ** 12;
/** Both rows of a half-gates table. */
export const TABLE_BYTES = 32;

/** AES-128 over many blocks at once, in place of a permutation. */
export class Permutation {
  #cipher: Cipheriv | undefined;

  setKey(key: Uint8Array): void {
    this.#cipher = createCipheriv('aes-128-ecb', key, null);
    this.#cipher.setAutoPadding(false);
  }

  /** Encrypts `length` bytes at `from` and writes the result to `to`. */
  apply(memory: Uint8Array<ArrayBuffer>, from: number, length: number, to: number): void {
    if (this.#cipher === undefined) throw new RangeError('a key expected before the first block');
    const output = this.#cipher.update(memory.subarray(from, from + length));
    memory.set(output, to);
    // Every call makes a new buffer. Giving it back at once, not at the next garbage collection, lets the allocator use the
    // same memory, warm in the cache, for the next: three times faster. Only for a buffer that nothing else shares.
    if (output.byteLength === output.buffer.byteLength) output.buffer.transfer(0);
  }
}
