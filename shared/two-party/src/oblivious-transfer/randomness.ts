/** Where this room's secrets come from: the system's generator, or a seed that came from it. */
import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Fresh, uniform, secret bytes. Tests put a seeded source in its place to compare transcripts. */
export type RandomSource = (length: number) => Uint8Array;

export const systemRandomness: RandomSource = (length) => randomBytes(length);

export const SEED_BYTES = 32;

/** A key for one purpose, from a seed of 32 secret bytes: HKDF with SHA-256 (RFC 5869). */
export function keyFrom(seed: Uint8Array, purpose: string): Uint8Array {
  if (seed.length !== SEED_BYTES)
    throw new RangeError(`"seed" expected ${SEED_BYTES} bytes, got ${seed.length}`);
  return new Uint8Array(hkdfSync('sha256', seed, '', `eigenveil answer v1: ${purpose}`, SEED_BYTES));
}

/**
 * The same bytes for the same seed and purpose, in the order in which they are drawn: AES-256 in counter
 * mode. Anyone who draws at the same time as another takes a purpose of its own, so that it does not matter
 * who is first.
 */
function randomnessFrom(seed: Uint8Array, purpose: string): RandomSource {
  const stream = createCipheriv('aes-256-ctr', keyFrom(seed, purpose), new Uint8Array(16));
  return (length) => stream.update(zeros(length));
}

let zeroed = new Uint8Array(0);

/** Returns zeros, which nobody writes to: memory that is touched for the first time costs more than the cipher. */
function zeros(length: number): Uint8Array {
  if (zeroed.length < length) zeroed = new Uint8Array(length);
  return zeroed.subarray(0, length);
}

/**
 * Such a stream for each purpose, once: the same bytes for two things would be one secret in two places.
 * @throws TypeError for a purpose that has its stream already
 */
export function streamsFrom(seed: Uint8Array): (purpose: string) => RandomSource {
  const given = new Set<string>();
  return (purpose) => {
    if (given.has(purpose))
      throw new TypeError(`"purpose" expected another one than "${purpose}", which was given`);
    given.add(purpose);
    return randomnessFrom(seed, purpose);
  };
}
