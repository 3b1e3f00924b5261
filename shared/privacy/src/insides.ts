/**
 * The part of differential privacy that tests and experiments need, and nothing that is shipped: randomness
 * that anybody can repeat.
 */
import { createCipheriv, createHash } from 'node:crypto';
import type { RandomSource } from './random/randomness.ts';

/**
 * NOT FOR PRIVACY: whoever knows the seed can subtract the noise. For tests and for experiments that others
 * repeat. The key stream of AES-128-CTR under a key hashed from the seed; equal seeds give equal streams.
 */
export function predictableRandomness(seed: string): RandomSource {
  const key = createHash('sha256')
    .update(`eigenveil predictable randomness: ${seed}`)
    .digest()
    .subarray(0, 16);
  const cipher = createCipheriv('aes-128-ctr', key, Buffer.alloc(16));
  return (length) => cipher.update(Buffer.alloc(length));
}
