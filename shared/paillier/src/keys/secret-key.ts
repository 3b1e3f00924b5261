/** Secret Paillier keys: what their primes must satisfy, and their JSON form. */

import { checkPrimeSync } from 'node:crypto';
import { bitLength, CodedError } from '@eigenveil/platform';
import { encodeBigint } from '../arithmetic/bytes.ts';
import { gcd } from '../arithmetic/modular.ts';
import { PAILLIER_CODES } from '../codes.ts';
import {
  checkBase,
  checkKeyLength,
  type KeyOptions,
  PublicKey,
  type PublicKeyJson,
  readIntegers,
} from './public-key.ts';

export interface SecretKeyJson extends PublicKeyJson {
  p: string;
  q: string;
}

interface SecretKeyParts {
  readonly p: bigint;
  readonly q: bigint;
  readonly h?: bigint | undefined;
}

/** OpenSSL's least modulus, which p^2 and q^2 must reach. */
const SHORTEST_MODULUS_BITS = 512;

export class SecretKey {
  readonly publicKey: PublicKey;
  // Private fields: what logs or inspects a key finds no primes. (JSON does hold them: it is how a key is
  // stored.)
  readonly #p: bigint;
  readonly #q: bigint;

  /** Takes the numbers as they are; what comes from outside goes through `fromJSON`. */
  constructor({ p, q, h }: SecretKeyParts) {
    this.#p = p;
    this.#q = q;
    this.publicKey = new PublicKey({ n: p * q, h });
  }

  get p(): bigint {
    return this.#p;
  }

  get q(): bigint {
    return this.#q;
  }

  /** Holds the secret primes: encrypt it before it is stored. */
  toJSON(): SecretKeyJson {
    return { ...this.publicKey.toJSON(), p: encodeBigint(this.#p), q: encodeBigint(this.#q) };
  }

  /**
   * Reads a stored secret key: two distinct primes of about half the length of n, n = p * q, gcd(n, phi) = 1,
   * and with h also the form that Damgard-Jurik-Nielsen encryption needs.
   * @throws ERR_KEY_INVALID, ERR_KEY_TOO_SHORT
   */
  static fromJSON(json: unknown, { allowInsecureKey = false }: KeyOptions = {}): SecretKey {
    const { n, p, q, h } = readIntegers(json, ['n', 'p', 'q'], ['h']);
    checkKeyLength(bitLength(n!), allowInsecureKey);
    if (n !== p! * q! || !arePaillierPrimes(p!, q!) || !checkPrimeSync(p!) || !checkPrimeSync(q!)) {
      throw new CodedError(
        PAILLIER_CODES.ERR_KEY_INVALID,
        'secret key expected with n the product of two suitable primes',
      );
    }
    const key = new SecretKey({ p: p!, q: q!, h });
    if (h !== undefined) {
      checkBase(key.publicKey, h);
      if (!areDjnPrimes(p!, q!)) {
        throw new CodedError(
          PAILLIER_CODES.ERR_KEY_INVALID,
          'secret key with h expected with p = q = 3 mod 4, gcd(p-1, q-1) = 2',
        );
      }
    }
    return key;
  }
}

/**
 * Says whether two primes satisfy what they must besides being prime: about equal length (paillier-bigint
 * gives one of them a bit more), not close together (FIPS 186-5 appendix A.1.3, against Fermat's factoring),
 * squares that OpenSSL takes as a modulus, and gcd(n, phi(n)) = 1, without which decryption is not unique.
 */
export function arePaillierPrimes(p: bigint, q: bigint): boolean {
  const [smaller, larger] = p < q ? [p, q] : [q, p];
  const length = bitLength(smaller);
  return (
    bitLength(larger) - length <= 1 &&
    bitLength(larger - smaller) > length - 100 &&
    bitLength(smaller * smaller) >= SHORTEST_MODULUS_BITS &&
    gcd(p * q, (p - 1n) * (q - 1n)) === 1n
  );
}

/**
 * Blum primes whose p-1 and q-1 share only 2: what Damgard, Jurik and Nielsen (section 4.2) ask for,
 * so that -1 is no square and h = -x^2 almost always generates all elements of Jacobi symbol 1.
 */
export function areDjnPrimes(p: bigint, q: bigint): boolean {
  return p % 4n === 3n && q % 4n === 3n && gcd(p - 1n, q - 1n) === 2n;
}
