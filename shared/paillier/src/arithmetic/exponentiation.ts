/**
 * base^exponent mod m through OpenSSL's constant-time Montgomery exponentiation, which node:crypto offers as
 * Diffie-Hellman.
 */

import { createDiffieHellman, type DiffieHellman } from 'node:crypto';
import { bitLength, CodedError } from '@eigenveil/platform';
import { modPow } from 'bigint-crypto-utils';
import { PAILLIER_CODES } from '../codes.ts';
import { bigintToBytes, bytesToBigint } from './bytes.ts';

type Route = 'openssl' | 'bigint';

/** The route that the last self-test of this thread settled; undefined until one ran. */
let route: Route | undefined;
/** The OpenSSL that this thread has found to compute correctly. */
let sound: typeof createDiffieHellman | undefined;
let fallbackAllowed = false;

/**
 * Powers modulo one odd m of 512 to 10,000 bits (OpenSSL's limits). Keep one per modulus: making it costs 2
 * to 40 ms, because OpenSSL looks at the modulus as if it were a Diffie-Hellman prime.
 */
export class Exponentiator {
  readonly #modulus: bigint;
  readonly #bytes: number;
  readonly #diffieHellman: DiffieHellman | undefined;

  /** @throws ERR_OPENSSL_EXPONENTIATION when this thread's self-test fails and no fallback is allowed */
  constructor(modulus: bigint) {
    if (route === undefined) selfTest({ allowBigintFallback: fallbackAllowed });
    this.#modulus = modulus;
    this.#bytes = Math.ceil(bitLength(modulus) / 8);
    this.#diffieHellman = route === 'openssl' ? openDiffieHellman(modulus) : undefined;
  }

  /**
   * base^exponent mod m for 0 <= base < m and exponent >= 0; a base other than 0 is coprime to m.
   * @throws ERR_OPENSSL_EXPONENTIATION when OpenSSL refuses, as for a base that shares all primes with m
   */
  power(base: bigint, exponent: bigint): bigint {
    // OpenSSL refuses these three public keys as degenerate. None of them comes up by chance in Paillier.
    if (exponent === 0n || base === 1n) return 1n;
    if (base === 0n) return 0n;
    if (base === this.#modulus - 1n) return exponent % 2n === 0n ? 1n : base;
    if (this.#diffieHellman === undefined) return modPow(base, exponent, this.#modulus);

    const result = this.#compute(this.#diffieHellman, base, exponent);
    if (result !== undefined) return result;
    // It also refuses a shared secret of 1 or m - 1. One more factor of the base tells which of them it was,
    // with no exponentiation outside OpenSSL.
    const next = this.#compute(this.#diffieHellman, base, exponent + 1n);
    if (next === base) return 1n;
    if (next === this.#modulus - base) return this.#modulus - 1n;
    throw new CodedError(PAILLIER_CODES.ERR_OPENSSL_EXPONENTIATION, 'OpenSSL refused an exponentiation');
  }

  /** The object is stateful, so exponent and base go in within one synchronous step. */
  #compute(diffieHellman: DiffieHellman, base: bigint, exponent: bigint): bigint | undefined {
    diffieHellman.setPrivateKey(bigintToBytes(exponent, Math.ceil(bitLength(exponent) / 8)));
    try {
      return bytesToBigint(diffieHellman.computeSecret(bigintToBytes(base, this.#bytes)));
    } catch {
      return undefined;
    }
  }
}

function openDiffieHellman(modulus: bigint): DiffieHellman {
  try {
    // The generator is never used.
    return createDiffieHellman(bigintToBytes(modulus, Math.ceil(bitLength(modulus) / 8)), 2);
  } catch (cause) {
    throw new CodedError(PAILLIER_CODES.ERR_OPENSSL_EXPONENTIATION, 'OpenSSL refused a modulus', { cause });
  }
}

/**
 * Start-up self-test of this thread's exponentiation against plain BigInt arithmetic. Every service calls it
 * before it serves; where nobody did, the first key that is used runs it with no fallback allowed. A pool
 * made afterwards gives the same permission to its workers. An OpenSSL that has passed once is not tested
 * again, since the test takes a twentieth of a second.
 *
 * @param options `allowBigintFallback`: whether a failing OpenSSL (a FIPS build may refuse the objects used
 *   here) is replaced by bigint-crypto-utils, which is some ten times slower and NOT constant-time: an
 *   observer of the timing may then learn the secret key
 * @throws ERR_OPENSSL_EXPONENTIATION when the test fails and no fallback is allowed
 */
export function selfTest({ allowBigintFallback }: { allowBigintFallback: boolean }): void {
  fallbackAllowed = allowBigintFallback;
  route = 'openssl';
  if (sound === createDiffieHellman) return;
  try {
    checkAgainstBigint();
    sound = createDiffieHellman;
  } catch (cause) {
    route = allowBigintFallback ? 'bigint' : undefined;
    if (allowBigintFallback) return;
    throw new CodedError(
      PAILLIER_CODES.ERR_OPENSSL_EXPONENTIATION,
      'the self-test of exponentiation in OpenSSL failed',
      { cause },
    );
  }
}

/** Says whether this thread's self-test was allowed to fall back, for handing on to workers. */
export function isBigintFallbackAllowed(): boolean {
  return fallbackAllowed;
}

/** Says whether this thread computes outside OpenSSL's constant-time exponentiation. */
export function usesBigintFallback(): boolean {
  return route === 'bigint';
}

/**
 * Squares and products of the Mersenne primes 2^521 - 1 and 2^607 - 1: as composite as the moduli of a key.
 */
function checkAgainstBigint(): void {
  const p = (1n << 521n) - 1n;
  const q = (1n << 607n) - 1n;
  for (const modulus of [p * p, p * q]) {
    const exponentiator = new Exponentiator(modulus);
    const bases = [0n, 1n, 2n, modulus - 2n, modulus - 1n, modulus / 3n];
    const exponents = [1n, 5n, q / 7n];
    for (const base of bases) {
      for (const exponent of exponents) {
        if (exponentiator.power(base, exponent) !== modPow(base, exponent, modulus)) {
          throw new Error(`wrong power modulo a number of ${bitLength(modulus)} bits`);
        }
      }
    }
  }
  // 2^(p(p-1)) = 1 mod p^2: the result that OpenSSL will not hand out.
  if (new Exponentiator(p * p).power(2n, p * (p - 1n)) !== 1n)
    throw new Error('wrong power where the result is 1');
}
