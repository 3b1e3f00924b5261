/** Paillier keys whose secrets are as unlike as they can be, and decryption outside OpenSSL. */
import crypto, { checkPrimeSync, randomInt } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { SecretKey, selfTest, usesBigintFallback } from '@eigenveil/paillier';

const PRIME_BITS = 1024;

/**
 * A key of 2048 bits whose primes, which are the secret exponents plus 1, have few bits set or nearly all. No key generation gives such
 * a key: it is the largest difference that any two keys can have.
 */
export function extremeKey(density: 'sparse' | 'dense'): SecretKey {
  return new SecretKey({ p: extremePrime(density), q: extremePrime(density) });
}

function extremePrime(density: 'sparse' | 'dense'): bigint {
  const top = 1n << BigInt(PRIME_BITS - 1);
  for (;;) {
    const [i, j, k] = [0, 0, 0].map(() => 1n << BigInt(randomInt(1, PRIME_BITS - 2)));
    const few = i! | j! | k!;
    // Both with their two leading bits set, so that the product has all its 2048 bits.
    const candidate = density === 'sparse' ? top | (top >> 1n) | few | 1n : 2n * top - 1n - few;
    if (checkPrimeSync(candidate)) return candidate;
  }
}

/**
 * Runs `use` where OpenSSL refuses exponentiations, as a build may that allows only approved groups, with the fallback allowed. Keys
 * that are used there must not have been used before.
 */
export async function withBigintFallback<T>(use: () => Promise<T>): Promise<T> {
  const { createDiffieHellman } = crypto;
  const replace = (by: typeof createDiffieHellman): void => {
    crypto.createDiffieHellman = by;
    syncBuiltinESMExports();
  };
  replace(() => {
    throw new Error('refused for a benchmark of the fallback');
  });
  try {
    selfTest({ allowBigintFallback: true });
    if (!usesBigintFallback()) throw new Error('the fallback expected to be in use');
    return await use();
  } finally {
    replace(createDiffieHellman);
    selfTest({ allowBigintFallback: false });
  }
}
