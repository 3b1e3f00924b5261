/**
 * From correlated rows to masks: a tree of two levels per digit, all of whose leaves but the one at the digit the chooser
 * learns, and their expansion. The hash H is TMMO(x, i) = π(π(x) ⊕ i) ⊕ π(x), π being AES-128 under a chunk's key (Guo,
 * Katz, Wang, Yu, "Efficient and secure multiparty computation from fixed-key block ciphers", IEEE S&P 2020). The tree is that of Guo,
 * Yang, Wang, Zhang, Xie, Liu, Zhao, "Half-Tree: Halving the Cost of Tree Expansion in COT and DPF" (EUROCRYPT 2023).
 *
 * A digit uses two transfers with rows q, q′ of the correlator. Nodes n₀ = q and n₁ = q ⊕ Δ; leaves H(n_a, i) and n_a ⊕ H(n_a, i). The chooser
 * holds one node, and from g = H(n₀, i) ⊕ H(n₁, i) ⊕ q′ and its second row one leaf of the other. The leaf x that it
 * misses is the XOR of the three others and Δ. Every leaf is expanded to H(x, i′), H(x, i′ + 1), …, of which π(x)
 * is computed once; the four leaves of a digit share their tweaks.
 *
 * Assumptions: AES-128 as an ideal cipher, and keys that do not depend on what the adversary asked before: the correlator draws them from the
 * CSPRNG and reveals each with its chunk. Tweaks count up within a chunk. p evaluations of AES against N chunks then gain at most about
 * p / 2^112 + N / 2^99 + N² / 2^129: leading terms, not a theorem. Why: docs/arguments.md, "Hash of products".
 */
import { Permutation } from '../garbling/hash.ts';

/** Hashes and node evaluations under one key, at most. */
export const CHUNK_HASHES = 2 ** 14;
/** Larger results of a cipher's call come from the system and not from memory that is warm in the cache. */
const SLICE_BYTES = 96 * 1024;

/** π of a chunk, applied in place or from one place to another. */
export class ChunkPermutation {
  readonly #permutation = new Permutation();
  readonly #memory: Uint8Array<ArrayBuffer>;

  constructor(memory: Uint8Array<ArrayBuffer>) {
    this.#memory = memory;
  }

  setKey(key: Uint8Array): void {
    this.#permutation.setKey(key);
  }

  apply(from: number, length: number, to: number): void {
    for (let done = 0; done < length; done += SLICE_BYTES) {
      const part = Math.min(SLICE_BYTES, length - done);
      this.#permutation.apply(this.#memory, from + done, part, to + done);
    }
  }
}
