/** Random bytes that follow from a secret. */
import { hmacSha256Hasher } from '@eigenveil/platform';
import type { RandomSource } from './source.ts';

const BLOCK_BYTES = 32;

/**
 * The blocks HMAC-SHA-256(key, 0), HMAC-SHA-256(key, 1), …: to whoever does not know the key they are as good as random (Bellare, "New proofs for NMAC and HMAC", 2006). So
 * that what is to be drawn once is the same however often it is drawn. A key is for one draw alone.
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
