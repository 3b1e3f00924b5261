/**
 * Decryption by the Chinese remainder theorem (Paillier, EUROCRYPT '99, section 7), with both exponentiations
 * in OpenSSL.
 */

import { CodedError } from '@eigenveil/platform';
import { modInv } from 'bigint-crypto-utils';
import { Exponentiator } from './arithmetic/exponentiation.ts';
import { Modulus } from './arithmetic/modular.ts';
import { randomBelow } from './arithmetic/random.ts';
import { PAILLIER_CODES } from './codes.ts';
import type { Ciphertext, Plaintext } from './encryption.ts';
import type { SecretKey } from './keys/secret-key.ts';

/** Decryption modulo one of the two primes. */
class PrimeHalf {
  readonly prime: bigint;
  readonly #squared: bigint;
  readonly #exponentiator: Exponentiator;
  /** ((p-1) q)^-1 mod p: the inverse of what L makes of (1 + n)^(p-1). */
  readonly #inverse: bigint;

  constructor(prime: bigint, other: bigint) {
    this.prime = prime;
    this.#squared = prime * prime;
    this.#exponentiator = new Exponentiator(this.#squared);
    this.#inverse = modInv((prime - 1n) * other, prime);
  }

  /** m mod p: c^(p-1) = 1 + m (p-1) n mod p^2, since r^n to the p-1 is 1 there. */
  decrypt(ciphertext: bigint): bigint {
    const base = ciphertext % this.#squared;
    if (base % this.prime === 0n) throw invalidCiphertext();
    const power = this.#exponentiator.power(base, this.prime - 1n);
    return (((power - 1n) / this.prime) * this.#inverse) % this.prime;
  }
}

interface Halves {
  readonly modulus: Modulus;
  readonly p: PrimeHalf;
  readonly q: PrimeHalf;
  /** q^-1 mod p. */
  readonly qInverse: bigint;
}
const halves = new WeakMap<SecretKey, Halves>();

function halvesOf(secretKey: SecretKey): Halves {
  let entry = halves.get(secretKey);
  if (entry === undefined) {
    const { p, q } = secretKey;
    entry = {
      modulus: new Modulus(secretKey.publicKey.nSquared),
      p: new PrimeHalf(p, q),
      q: new PrimeHalf(q, p),
      qInverse: modInv(q, p),
    };
    halves.set(secretKey, entry);
  }
  return entry;
}

/**
 * The plaintext in [0, n).
 *
 * A uniform s is added under the encryption first and subtracted at the end. So every BigInt operation on
 * what depends on the secret key also depends on a random number that is used once, which hides key and
 * plaintext from an observer of its timing. It also keeps OpenSSL from meeting a power of 1, which it refuses
 * and which every encrypted zero would give.
 * @throws ERR_CIPHERTEXT_INVALID when c is not in (0, n^2) or not coprime to n
 */
export function decrypt(secretKey: SecretKey, ciphertext: Ciphertext): Plaintext {
  const { n, nSquared } = secretKey.publicKey;
  if (ciphertext <= 0n || ciphertext >= nSquared) throw invalidCiphertext();
  const { modulus, p, q, qInverse } = halvesOf(secretKey);
  const s = randomBelow(n);
  const shifted = modulus.multiply(ciphertext, 1n + s * n);
  const modP = p.decrypt(shifted);
  const modQ = q.decrypt(shifted);
  // Garner: the number below n with these two remainders.
  const difference = (modP - (modQ % p.prime) + p.prime) * qInverse;
  const sum = modQ + q.prime * (difference % p.prime);
  return (sum < s ? sum - s + n : sum - s) as Plaintext;
}

function invalidCiphertext(): CodedError {
  return new CodedError(
    PAILLIER_CODES.ERR_CIPHERTEXT_INVALID,
    'ciphertext expected in (0, n^2) and coprime to n',
  );
}
