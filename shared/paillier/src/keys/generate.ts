/**
 * Key generation: standard Paillier keys, and Damgard-Jurik-Nielsen keys (2010, section 4.2), whose h travels
 * with the public key.
 */

import { generatePrime } from 'node:crypto';
import { bitLength } from '@eigenveil/platform';
import { Exponentiator } from '../arithmetic/exponentiation.ts';
import { gcd } from '../arithmetic/modular.ts';
import { randomUnit } from '../arithmetic/random.ts';
import type { EncryptionScheme } from '../encryption.ts';
import { checkKeyLength, type KeyOptions } from './public-key.ts';
import { areDjnPrimes, arePaillierPrimes, SecretKey } from './secret-key.ts';

export interface GenerateKeyOptions extends KeyOptions {
  /** Exact length of n: a multiple of 8, from 2048 (512 if `allowInsecureKey`) to 4096. */
  bits: number;
  /** The scheme that the key is made for. A key for 'djn' also works with the standard scheme. */
  scheme: EncryptionScheme;
}

/**
 * Makes a key of two random primes of half the length, which OpenSSL draws on threads of its own.
 * @throws ERR_KEY_TOO_SHORT, ERR_KEY_INVALID (a length no key may have)
 * @example
 * import { add, decrypt, encrypt, generateKeyPair } from '@eigenveil/paillier';
 *
 * const secretKey = await generateKeyPair({ bits: 3072, scheme: 'standard' });
 * const { publicKey } = secretKey;
 * const sum = add(publicKey, encrypt(publicKey, 2n, 'standard'), encrypt(publicKey, 3n, 'standard'));
 * decrypt(secretKey, sum); // → 5n
 */
export async function generateKeyPair({
  bits,
  scheme,
  allowInsecureKey = false,
}: GenerateKeyOptions): Promise<SecretKey> {
  checkKeyLength(bits, allowInsecureKey);
  const draw = () => randomPrime(bits / 2, scheme);
  let [p, q] = await Promise.all([draw(), draw()]);
  const fits = () =>
    bitLength(p * q) === bits && arePaillierPrimes(p, q) && (scheme === 'standard' || areDjnPrimes(p, q));
  while (!fits()) q = await draw();
  return scheme === 'standard' ? new SecretKey({ p, q }) : new SecretKey({ p, q, h: publicBase(p * q) });
}

/**
 * Plain primes have their two top bits set, so that n has its exact length; primes asked for by remainder do
 * not always, so remainder 3 mod 4 is waited for instead.
 */
async function randomPrime(bits: number, scheme: EncryptionScheme): Promise<bigint> {
  for (;;) {
    const prime = await generatePrimeOf(bits);
    if (scheme === 'standard' || prime % 4n === 3n) return prime;
  }
}

/** `generatePrime` as a promise: its overloads are more than promisify's types can follow. */
function generatePrimeOf(bits: number): Promise<bigint> {
  return new Promise((resolve, reject) => {
    generatePrime(bits, { bigint: true }, (error, prime) => (error ? reject(error) : resolve(prime)));
  });
}

/** h_s = h^n mod n^2 with h = -x^2 mod n for a random unit x. */
function publicBase(n: bigint): bigint {
  let x = randomUnit(n);
  while (gcd(x, n) !== 1n) x = randomUnit(n);
  return new Exponentiator(n * n).power(n - ((x * x) % n), n);
}
