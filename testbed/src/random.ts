/** Seeded numbers and bytes, so that data, splits and noise are the same in every run. Nothing secret comes from here. */
import { createCipheriv, createHash } from 'node:crypto';

const MODULUS = 2_147_483_647;

/** Numbers in (0, 1), the same for the same seed in [1, 2^31 − 2] (Park and Miller, "Random number generators", CACM 1988). */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % MODULUS;
    return state / MODULUS;
  };
}

/** Two independent standard normal numbers from two uniform ones in (0, 1], in doubles: for what is no secret (Box and Muller, 1958). */
function normalPair(next: () => number): readonly [number, number] {
  const radius = Math.sqrt(-2 * Math.log(next()));
  const angle = 2 * Math.PI * next();
  return [radius * Math.cos(angle), radius * Math.sin(angle)];
}

/** Standard normal numbers, both of each pair. */
export function normals(next: () => number): () => number {
  let spare: number | undefined;
  return () => {
    const [first, second] = spare === undefined ? normalPair(next) : [spare, undefined];
    spare = second;
    return first;
  };
}

/** A standard normal number from two uniform ones. */
export const normal = (next: () => number): number => normalPair(next)[0];

/** A seed from a name (SHA-256): small seeds that follow one another would start with numbers that do so, too. */
export function seedOf(name: string): number {
  return 1 + (createHash('sha256').update(name).digest().readUInt32BE() % (MODULUS - 1));
}

/** Uniform bytes that depend on the seed alone: the key stream of AES-128-CTR under a key hashed from the seed. */
export function seeded(seed: string): (length: number) => Buffer<ArrayBuffer> {
  const key = createHash('sha256').update(seed).digest().subarray(0, 16);
  const cipher = createCipheriv('aes-128-ctr', key, Buffer.alloc(16));
  return (length) => cipher.update(Buffer.alloc(length));
}

/**
 * Noise for tests, and for experiments that others repeat. NOT FOR PRIVACY: whoever knows the seed can subtract it.
 */
export function predictableRandomness(seed: string) {
  return seeded(`eigenveil predictable randomness: ${seed}`);
}

/** A copy in random order (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], next: () => number): T[] {
  const result = [...items];
  for (let i = result.length - 1; i > 0; i -= 1) {
    const j = Math.floor(next() * (i + 1));
    [result[i], result[j]] = [result[j]!, result[i]!];
  }
  return result;
}
