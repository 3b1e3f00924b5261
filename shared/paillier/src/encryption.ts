/** Paillier encryption with g = n + 1, its homomorphic operations, and the two ways to draw a randomiser. */

import { modInv, modPow } from 'bigint-crypto-utils';
import { PaillierError } from './errors.ts';
import { Exponentiator } from './exponentiation.ts';
import { FixedBase } from './fixed-base.ts';
import type { PublicKey } from './key.ts';
import { Modulus } from './modular.ts';
import { randomBits, randomUnit } from './random.ts';

declare const kind: unique symbol;
/** An integer in [0, n). */
export type Plaintext = bigint & { readonly [kind]: 'plaintext' };
/** An integer in (0, n^2), coprime to n: checked by `decodeCiphertexts`, or computed here from such. */
export type Ciphertext = bigint & { readonly [kind]: 'ciphertext' };

/**
 * How the randomiser is drawn. 'standard': r^n for r in Z_n^*, secure if deciding n-th residues is hard. 'djn':
 * h_s^a for a of half the length of n (Damgard, Jurik and Nielsen 2010, section 4.2), several times cheaper, with the
 * further assumption that such short powers look like random ones; needs a key made for it.
 */
export type EncryptionScheme = 'standard' | 'djn';

const LARGEST_CONSTANT = 1n << 32n;
/** A fixed-base table is never built for fewer encryptions than this: more may follow, and it is kept. */
const FEWEST_FOR_TABLE = 32;

/** What is computed once per key. Kept beside the key, so that a key stays plain data and frees this with itself. */
interface Precomputed {
  readonly modulus: Modulus;
  exponentiator?: Exponentiator;
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

/** As `encrypt`, each plaintext under a randomiser of its own; their number decides how large a table 'djn' builds. */
export function encryptMany(
  publicKey: PublicKey,
  plaintexts: readonly bigint[],
  scheme: EncryptionScheme,
): Ciphertext[] {
  plaintexts.forEach((plaintext, index) => {
    if (plaintext < 0n || plaintext >= publicKey.n) {
      throw new PaillierError('ERR_PLAINTEXT_OUT_OF_RANGE', `plaintext ${index} expected in [0, n)`);
    }
  });
  const draw =
    scheme === 'djn' ? djnRandomisers(publicKey, plaintexts.length) : () => standardRandomiser(publicKey);
  return plaintexts.map((plaintext) => withRandomiser(publicKey, plaintext, draw()));
}

/** (1 + m n) * randomiser mod n^2, where the randomiser is an n-th residue: (1 + n)^m costs no exponentiation. */
export function withRandomiser(publicKey: PublicKey, plaintext: bigint, randomiser: bigint): Ciphertext {
  return precomputedFor(publicKey).modulus.multiply(1n + plaintext * publicKey.n, randomiser) as Ciphertext;
}

/** r^n mod n^2 in OpenSSL; r is drawn unless given. */
export function standardRandomiser(publicKey: PublicKey, r: bigint = randomUnit(publicKey.n)): bigint {
  const entry = precomputedFor(publicKey);
  entry.exponentiator ??= new Exponentiator(publicKey.nSquared);
  return entry.exponentiator.power(r, publicKey.n);
}

/**
 * A source of h_s^a mod n^2 with a uniform in [0, 2^(bits / 2)). Through the fixed-base table, which beats OpenSSL's
 * plain exponentiation from the first power on, but is not constant-time: see FixedBase for what that leaks.
 */
function djnRandomisers(publicKey: PublicKey, expected: number): () => bigint {
  const { h, n, bits } = publicKey;
  if (h === undefined) {
    throw new PaillierError(
      'ERR_SCHEME_UNAVAILABLE',
      'scheme "djn" expected a key with h, got a standard key',
    );
  }
  const exponentBits = bits / 2;
  const entry = precomputedFor(publicKey);
  entry.fixedBase ??= new FixedBase(n, h, exponentBits, Math.max(expected, FEWEST_FOR_TABLE));
  const { fixedBase } = entry;
  return () => fixedBase.power(randomBits(exponentBits));
}

/** An encryption of a + b mod n. */
export function add(publicKey: PublicKey, a: Ciphertext, b: Ciphertext): Ciphertext {
  return precomputedFor(publicKey).modulus.multiply(a, b) as Ciphertext;
}

/**
 * An encryption of k * m mod n for a small public constant k other than 0. The result is as guessable as the input:
 * rerandomise it before anybody else sees it.
 * @throws RangeError when k is 0 (encrypt a zero instead: the product would be the bare 1) or |k| > 2^32
 */
export function multiplyByConstant(
  publicKey: PublicKey,
  ciphertext: Ciphertext,
  constant: bigint,
): Ciphertext {
  const magnitude = constant < 0n ? -constant : constant;
  if (magnitude === 0n || magnitude > LARGEST_CONSTANT) {
    throw new RangeError('"constant" expected other than 0 and of at most 2^32 in magnitude');
  }
  const { nSquared } = publicKey;
  const base = constant < 0n ? modInv(ciphertext, nSquared) : ciphertext;
  return modPow(base, magnitude, nSquared) as Ciphertext;
}

/**
 * The same plaintext under a fresh randomiser of full length, whatever the scheme: the key holder can extract
 * randomisers, and a product of known ones would tell which ciphertexts went into it.
 */
export function rerandomise(publicKey: PublicKey, ciphertext: Ciphertext): Ciphertext {
  return precomputedFor(publicKey).modulus.multiply(ciphertext, standardRandomiser(publicKey)) as Ciphertext;
}
