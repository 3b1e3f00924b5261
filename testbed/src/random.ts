/** Seeded numbers for benchmarks, so that data and splits are the same in every run. Nothing secret comes from here. */
import { createHash } from 'node:crypto';

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
export function normalPair(next: () => number): readonly [number, number] {
  const radius = Math.sqrt(-2 * Math.log(next()));
  const angle = 2 * Math.PI * next();
  return [radius * Math.cos(angle), radius * Math.sin(angle)];
}

/** A standard normal number from two uniform ones. */
export const normal = (next: () => number): number => normalPair(next)[0];

/** A seed from a name (SHA-256): small seeds that follow one another would start with numbers that do so, too. */
export function seedOf(name: string): number {
  return 1 + (createHash('sha256').update(name).digest().readUInt32BE() % (MODULUS - 1));
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
