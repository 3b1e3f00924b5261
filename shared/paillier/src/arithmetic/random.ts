/** Integers from the system's CSPRNG, or from random bytes that the caller gives. */

import { bitLength, randomBytes } from '@eigenveil/platform';
import { bytesToBigint } from './bytes.ts';

/** Gives `length` uniform bytes, independent of all given before. */
export type RandomBytes = (length: number) => Uint8Array;

/** Draws uniformly from [0, 2^bits), if the bytes are uniform. */
export function randomBits(bits: number, randomness: RandomBytes = randomBytes): bigint {
  return BigInt.asUintN(bits, bytesToBigint(randomness(Math.ceil(bits / 8))));
}

/** Draws uniformly from [0, bound), by rejection; bound >= 1. */
export function randomBelow(bound: bigint, randomness: RandomBytes = randomBytes): bigint {
  const bits = bitLength(bound - 1n);
  for (;;) {
    const candidate = randomBits(bits, randomness);
    if (candidate < bound) return candidate;
  }
}

/**
 * Draws uniformly from [1, n). For n = p * q with large primes that is uniform in Z_n^* except for a share of
 * 1/p + 1/q: whoever hits a non-unit has factored n by guessing, so no gcd is spent on it.
 */
export function randomUnit(n: bigint, randomness: RandomBytes = randomBytes): bigint {
  return 1n + randomBelow(n - 1n, randomness);
}
