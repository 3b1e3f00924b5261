/** Where random bytes come from: the system's CSPRNG, or for the laboratory a stream that anybody can repeat. */

import { createCipheriv, createHash, randomBytes } from 'node:crypto';

/** `length` uniform bytes, independent of all bytes given before. The caller may overwrite them. */
export type RandomSource = (length: number) => Uint8Array;

/** What every release of real data draws its noise from. */
export const systemRandomness: RandomSource = (length) => randomBytes(length);

/**
 * NOT FOR PRIVACY: whoever knows the seed can subtract the noise. For tests and for experiments that others repeat.
 * The key stream of AES-128-CTR under a key hashed from the seed; equal seeds give equal streams.
 */
export function predictableRandomness(seed: string): RandomSource {
  const key = createHash('sha256')
    .update(`eigenveil predictable randomness: ${seed}`)
    .digest()
    .subarray(0, 16);
  const cipher = createCipheriv('aes-128-ctr', key, Buffer.alloc(16));
  return (length) => cipher.update(Buffer.alloc(length));
}
