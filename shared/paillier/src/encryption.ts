/** Paillier encryption with g = n + 1, and the two ways to draw a randomiser. */

import { CodedError, Integers, randomBytes } from '@eigenveil/platform';
import { nthPowers } from '#nth-powers';
import { FixedBase } from './arithmetic/fixed-base.ts';
import { Modulus } from './arithmetic/modular.ts';
import { type RandomBytes, randomBits, randomUnit } from './arithmetic/random.ts';
import { PAILLIER_CODES } from './codes.ts';
import type { PublicKey } from './keys/public-key.ts';

declare const kind: unique symbol;
/** An integer in [0, n). */
export type Plaintext = bigint & { readonly [kind]: 'plaintext' };
/** An integer in (0, n^2), coprime to n: checked by `decodeCiphertexts`, or computed here from such. */
export type Ciphertext = bigint & { readonly [kind]: 'ciphertext' };

/**
 * The way in which the randomiser is drawn. 'standard': r^n for r in Z_n^*, secure if deciding n-th residues
 * is hard. 'djn': h_s^a for a of half the length of n (Damgard, Jurik and Nielsen 2010, section 4.2), several
 * times cheaper, with the further assumption that such short powers look like random ones; needs a key made
 * for it.
 */
export type EncryptionScheme = 'standard' | 'djn';

/** A fixed-base table is never built for fewer encryptions than this: more may follow, and it is kept. */
const FEWEST_FOR_TABLE = 32;

/**
 * Values that are computed once per key. They are kept beside the key, so that a key stays plain data and
 * frees this with itself.
 */
interface Precomputed {
  readonly modulus: Modulus;
  nthPower?: (r: bigint) => bigint;
  fixedBase?: FixedBase;
}
const precomputed = new WeakMap<PublicKey, Precomputed>();

function precomputedFor(publicKey: PublicKey): Precomputed {
  let entry = precomputed.get(publicKey);
  if (entry === undefined) {
    entry = { modulus: new Modulus(publicKey.nSquared) };
    precomputed.set(publicKey, entry);
  }
  return entry;
}

/**
 * One plaintext 0 <= m < n.
 * @throws ERR_PLAINTEXT_OUT_OF_RANGE, ERR_SCHEME_UNAVAILABLE ('djn' under a key without h)
 */
export function encrypt(publicKey: PublicKey, plaintext: bigint, scheme: EncryptionScheme): Ciphertext {
  return encryptMany(publicKey, [plaintext], scheme)[0]!;
}

/**
 * Does what `encrypt` does, with each plaintext under a randomiser of its own; their number decides how large
 * a table 'djn' builds.
 * @param randomness gives uniform bytes of a given number: the system's CSPRNG, unless a test has to repeat
 *   them
 */
export function encryptMany(
  publicKey: PublicKey,
  plaintexts: readonly bigint[],
  scheme: EncryptionScheme,
  randomness: RandomBytes = randomBytes,
): Ciphertext[] {
  plaintexts.forEach((plaintext, index) => {
    if (plaintext < 0n || plaintext >= publicKey.n) {
      throw new CodedError(
        PAILLIER_CODES.ERR_PLAINTEXT_OUT_OF_RANGE,
        `plaintext ${index} expected in [0, n)`,
      );
    }
  });
  const draw =
    scheme === 'djn'
      ? djnRandomisers(publicKey, plaintexts.length, randomness)
      : () => standardRandomiser(publicKey, randomUnit(publicKey.n, randomness));
  return plaintexts.map((plaintext) => withRandomiser(publicKey, plaintext, draw()));
}

/** The one who encrypts many plaintexts: a pool of threads, a Web Worker, or the thread that asks. */
export interface Encrypter {
  /** @throws as `encryptMany` */
  encrypt(
    publicKey: PublicKey,
    plaintexts: readonly bigint[],
    scheme: EncryptionScheme,
  ): Ciphertext[] | Promise<Ciphertext[]>;
}

/** Returns the modulus for products of ciphertexts. */
export function modulusOf(publicKey: PublicKey): Modulus {
  return precomputedFor(publicKey).modulus;
}

/**
 * (1 + m n) * randomiser mod n^2, where the randomiser is an n-th residue: (1 + n)^m costs no exponentiation.
 */
export function withRandomiser(publicKey: PublicKey, plaintext: bigint, randomiser: bigint): Ciphertext {
  return modulusOf(publicKey).multiply(1n + plaintext * publicKey.n, randomiser) as Ciphertext;
}

/** r^n mod n^2; r is drawn unless given. */
export function standardRandomiser(publicKey: PublicKey, r: bigint = randomUnit(publicKey.n)): bigint {
  const entry = precomputedFor(publicKey);
  entry.nthPower ??= nthPowers(publicKey);
  const { nthPower } = entry;
  return nthPower(r);
}

/**
 * A source of h_s^a mod n^2 with a uniform in [0, 2^(bits / 2)). Through the fixed-base table, which beats
 * OpenSSL's plain exponentiation from the first power on, but is not constant-time: see FixedBase for what
 * that leaks.
 */
function djnRandomisers(publicKey: PublicKey, expected: number, randomness: RandomBytes): () => bigint {
  const { h, n, bits } = publicKey;
  if (h === undefined) {
    throw new CodedError(
      PAILLIER_CODES.ERR_SCHEME_UNAVAILABLE,
      'scheme "djn" expected a key with h, got a standard key',
    );
  }
  const exponentBits = bits / 2;
  const entry = precomputedFor(publicKey);
  entry.fixedBase ??= new FixedBase(n, h, exponentBits, Math.max(expected, FEWEST_FOR_TABLE));
  const { fixedBase } = entry;
  return () => fixedBase.power(randomBits(exponentBits, randomness));
}

/** Ciphertexts of `publicKey.ciphertextBytes` big-endian bytes each, one after the other. */
export function encodeCiphertexts(publicKey: PublicKey, ciphertexts: readonly Ciphertext[]): Uint8Array {
  return Integers.of(ciphertexts, { length: ciphertexts.length, bits: 8 * publicKey.ciphertextBytes }).bytes;
}
