/**
 * The tweakable correlation-robust hash TMMO, H(x, i) = π(π(x) ⊕ i) ⊕ π(x), for a whole chunk per call (Guo,
 * Katz, Wang, Yu, "Efficient and secure multiparty computation from fixed-key block ciphers", IEEE S&P 2020).
 * π is AES-128 under a key that is drawn afresh for each chunk of at most 2^12 tweaks (Guo, Katz, Wang, Weng,
 * Yu, CRYPTO 2020, on why).
 *
 * Assumption: AES-128 as an ideal cipher. The receiver knows t_i and looks for H(t_i ⊕ Δ, i), where 127 bits of Δ are
 * unknown. Its p evaluations of π under one key must hit one of the 2^12 inputs t_i ⊕ Δ, or one of the inner values.
 * Each is at random except for Δ: at most 2 · 2^12 · p / 2^127. Inputs that collide among themselves add 2 · 2^24 / 2^127
 * per chunk. Chunks have different keys, so p counts once: p · 2^−114 + N · 2^−114 for N transfers.
 */
import { createCipheriv } from 'node:crypto';
import { BLOCK_BYTES } from '../../src/oblivious-transfer/hash.ts';

export const CHUNK_BLOCKS = 2 ** 12;
const BLOCK_WORDS = 4;

/**
 * Hashes 16-byte blocks with tweaks first, first + 1, …, all below 2^32; at most 2^12 blocks under one key.
 */
export function hashChunk(key: Uint8Array, blocks: Uint8Array, first: number): Uint8Array {
  if (blocks.length > CHUNK_BLOCKS * BLOCK_BYTES) {
    throw new RangeError(
      `"blocks" expected at most ${CHUNK_BLOCKS} blocks, got ${blocks.length / BLOCK_BYTES}`,
    );
  }
  const cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false);
  const inner = wordsOf(cipher.update(blocks));
  const tweaked = inner.slice();
  for (let w = 0, i = first; w < tweaked.length; w += BLOCK_WORDS, i += 1) tweaked[w] = tweaked[w]! ^ i;
  const outer = wordsOf(cipher.update(new Uint8Array(tweaked.buffer)));
  for (let w = 0; w < outer.length; w += 1) outer[w] = outer[w]! ^ inner[w]!;
  return new Uint8Array(outer.buffer, outer.byteOffset, outer.byteLength);
}

/** The words of a buffer that belongs to nobody else; copied where they do not lie on word boundaries. */
function wordsOf(bytes: Buffer): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes);
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
}
