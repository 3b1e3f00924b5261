/**
 * From correlated rows to masks: a tree of two levels per digit, all of whose leaves but the one at the digit the chooser
 * learns, and their expansion, with TMMO(x, i) = π(π(x) ⊕ i) ⊕ π(x), π being AES-128 under a chunk's key, as the hash H (Guo,
 * Katz, Wang, Yu, "Efficient and secure multiparty computation from fixed-key block ciphers", IEEE S&P 2020).
 *
 * The tree is that of Guo, Yang, Wang, Zhang, Xie, Liu, Zhao, "Half-Tree: Halving the Cost of Tree
 * Expansion in COT and DPF" (EUROCRYPT 2023): a right child is the left one plus the parent. A digit uses two
 * transfers with rows q, q′ of the correlator. Nodes n₀ = q and n₁ = q ⊕ Δ; leaves H(n_a, i) and n_a ⊕ H(n_a, i). The chooser
 * holds one node, and from g = H(n₀, i) ⊕ H(n₁, i) ⊕ q′ and its second row one leaf of the other. The leaf x that it
 * misses is the XOR of the three others and Δ. Every leaf is expanded to H(x, i′), H(x, i′ + 1), …, of which π(x)
 * is computed once; the four leaves of a digit share their tweaks.
 *
 * Security. What the chooser sees of hidden things is H(n, i) for one node n = (known) ⊕ Δ, perhaps with that node added, and
 * H(x, i′ + k) for one leaf x = (known) ⊕ Δ. Each is one query to the oracle of tweakable circular correlation robustness,
 * H(w ⊕ Δ, i) ⊕ b·Δ, whose w may depend on earlier answers; tweaks count up within a chunk, so none is asked twice. All
 * masks of hidden leaves are therefore random to the chooser, and so is whatever they mask. To the correlator nothing is sent
 * but the corrections of the extension, what answers their check, and the challenge of check.ts.
 *
 * Bound, with AES as an ideal cipher: q ≤ 2^14 hashes under one key, p evaluations of AES by the adversary, Δ of 127 unknown
 * bits. As in garbling/hash.ts the leading terms are (2pq + Nq²) / 2^127 + N² / 2^129 for N chunks, since keys are random and an
 * evaluation is about one of them: p / 2^112 + N / 2^99 + N² / 2^129. A decomposition of 50 features and 15 components has 4,517
 * chunks, one of 200 has 2^17.9. The argument needs keys that do not depend on what the adversary asked before: the correlator draws
 * them from the CSPRNG and reveals each with its chunk. These are the leading terms of the papers' bounds put together, not a
 * theorem of either: constants may differ by a few bits.
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
