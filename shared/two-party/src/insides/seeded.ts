/** A source of bytes that can be repeated. No entry of the package has it, so that nothing that runs in production can draw from it. */
import { createCipheriv, createHash } from 'node:crypto';
import type { RandomSource } from '../oblivious-transfer/randomness.ts';

/** Uniform bytes that depend on the seed alone. */
export function seeded(seed: string): RandomSource {
  const key = createHash('sha256').update(seed).digest().subarray(0, 16);
  const stream = createCipheriv('aes-128-ctr', key, Buffer.alloc(16));
  return (length) => stream.update(Buffer.alloc(length));
}
