/**
 * The hash of half-gates: TMMO(x, i) = π(π(x) ⊕ i) ⊕ π(x) with π = AES-128 under a chunk's key (Guo, Katz,
 * Wang, Yu, "Efficient and Secure Multiparty Computation from Fixed-Key Block Ciphers", IEEE S&P 2020). A
 * fresh key for every chunk of 2^12 gates answers the attack of Guo, Katz, Wang, Weng, Yu, "Better Concrete
 * Security for Half-Gates Garbling" (CRYPTO 2020).
 *
 * Assumptions: AES-128 as an ideal cipher, and keys that do not depend on what the adversary asked before:
 * the garbler draws each from the CSPRNG when the chunk begins and sends it with the chunk. A tweak is the
 * running number of the half-gate and never returns in a session, since with equal key and tweak the tables
 * of gates that share inputs would reveal delta. p evaluations of AES against N chunks then gain at most
 * about p / 2^113 + N / 2^100 + N² / 2^129: leading terms, not a theorem. Why: docs/arguments/primitives.md, "Hash of
 * half-gates".
 */
import { type Cipheriv, createCipheriv, type Decipheriv } from 'node:crypto';

/** Gates under one AES key. */
export const CHUNK_GATES = 2 ** 12;

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
    cipherInto(this.#cipher, memory.subarray(from, from + length), memory, to);
  }
}

/** Encrypts the input and writes the result to a place in memory; it gives as many bytes as it takes. */
export function cipherInto(
  cipher: Cipheriv | Decipheriv,
  input: Uint8Array,
  memory: Uint8Array,
  to: number,
): void {
  const output = cipher.update(input);
  memory.set(output, to);
  // Every call makes a new buffer. Giving it back at once, not at the next garbage collection, lets the
  // allocator use the same memory, warm in the cache, for the next: three times faster. Only for a buffer
  // that nothing else shares.
  if (output.byteLength === output.buffer.byteLength) output.buffer.transfer(0);
}
