/**
 * From correlated rows to masks: a tree of a level per bit of a digit, all of whose leaves but the one at the digit the chooser
 * learns, and their expansion. The hash H is TMMO(x, i) = π(π(x) ⊕ i) ⊕ π(x), π being the inverse of AES-128 under a chunk's key (Guo,
 * Katz, Wang, Yu, "Efficient and secure multiparty computation from fixed-key block ciphers", IEEE S&P 2020). The tree is that of Guo,
 * Yang, Wang, Zhang, Xie, Liu, Zhao, "Half-Tree: Halving the Cost of Tree Expansion in COT and DPF" (EUROCRYPT 2023).
 *
 * A digit of b bits uses b transfers with rows q₁ … q_b of the correlator. The first level has the nodes q₁ and q₁ ⊕ Δ; a node n has the children
 * H(n, i) and n ⊕ H(n, i). On every level the XOR of all nodes is Δ. The chooser holds all nodes of a level but one, from the first
 * on. For level j it gets g = q_j ⊕ the XOR of all left children; with its own row j that is the XOR of the children on one side, and so the
 * one sibling that it lacks. The leaf x that it misses is the XOR of all others and Δ. Every leaf is expanded to H(x, i′ + 1) ⊕ i′,
 * H(x, i′ + 2) ⊕ (i′ + 1), …, of which π(x) is computed once. The nodes of a level share their tweak, the leaves of a digit theirs. The last term is
 * public. With it a leaf is what decryption in CBC mode makes of the blocks π(x) ⊕ i′, π(x) ⊕ (i′ + 1), …: the one before is added to each, and with it
 * π(x), in the same pass over memory.
 *
 * Assumptions: AES-128 as an ideal cipher, and keys that do not depend on what the adversary asked before: the correlator draws them from the
 * CSPRNG and reveals each with its chunk. Tweaks count up within a chunk. p evaluations of AES against N chunks then gain at most about
 * p / 2^112 + N / 2^99 + N² / 2^129: leading terms, not a theorem. Why: docs/arguments.md, "Hash of products".
 */
import { createDecipheriv, type Decipheriv } from 'node:crypto';
import { cipherInto } from '../garbling/hash.ts';
import { BLOCK_BYTES } from '../oblivious-transfer/hash.ts';

/** Hashes and node evaluations under one key, at most: an eighth of them are of what the chooser does not know. */
export const CHUNK_HASHES = 2 ** 17;
/** Larger results of a cipher's call come from the system and not from memory that is warm in the cache. */
const SLICE_BYTES = 96 * 1024;

/** π of a chunk, applied in place or from one place to another. */
export class ChunkPermutation {
  readonly #memory: Uint8Array<ArrayBuffer>;
  #alone: Decipheriv | undefined;
  #chained: Decipheriv | undefined;

  constructor(memory: Uint8Array<ArrayBuffer>) {
    this.#memory = memory;
  }

  setKey(key: Uint8Array): void {
    this.#alone = createDecipheriv('aes-128-ecb', key, null).setAutoPadding(false);
    this.#chained = createDecipheriv('aes-128-cbc', key, new Uint8Array(BLOCK_BYTES)).setAutoPadding(false);
  }

  /** π of every block. */
  apply(from: number, length: number, to: number): void {
    this.#update(this.#alone, from, length, to);
  }

  /** π of every block ⊕ the block before it, in place. Of the first one under a key that is zero, of others what the call before had last. */
  chain(from: number, length: number): void {
    this.#update(this.#chained, from, length, from);
  }

  #update(cipher: Decipheriv | undefined, from: number, length: number, to: number): void {
    if (cipher === undefined) throw new RangeError('a key expected before the first block');
    for (let done = 0; done < length; done += SLICE_BYTES) {
      const part = Math.min(SLICE_BYTES, length - done);
      cipherInto(cipher, this.#memory.subarray(from + done, from + done + part), this.#memory, to + done);
    }
  }
}
