/**
 * Computes with ciphertexts, as the servers do: sums, of whole contributions too, multiples by a public
 * constant, fresh randomisers.
 */

import { modInv, modPow } from 'bigint-crypto-utils';
import { readCiphertexts } from './ciphertexts.ts';
import { type Ciphertext, modulusOf, standardRandomiser } from './encryption.ts';
import type { PublicKey } from './keys/public-key.ts';

const LARGEST_CONSTANT = 1n << 32n;

/** An encryption of a + b mod n. */
export function add(publicKey: PublicKey, a: Ciphertext, b: Ciphertext): Ciphertext {
  return modulusOf(publicKey).multiply(a, b) as Ciphertext;
}

/**
 * An encryption of k * m mod n for a small public constant k other than 0. The result is as guessable as the
 * input: rerandomise it before anybody else sees it.
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
 * Encrypts the same plaintext under a fresh randomiser of full length, whatever the scheme: the key holder
 * can extract randomisers, and a product of known ones would tell which ciphertexts went into it.
 */
export function rerandomise(publicKey: PublicKey, ciphertext: Ciphertext): Ciphertext {
  return modulusOf(publicKey).multiply(ciphertext, standardRandomiser(publicKey)) as Ciphertext;
}

/**
 * The aggregate with the contributions added to it; position i of the result holds the sum over position i of
 * all.
 * @param aggregate as many ciphertexts as each contribution holds
 * @param contributions encoded ciphertexts that `decodeCiphertexts` accepted before
 * @throws ERR_CIPHERTEXT_LENGTH when a contribution has another length
 * @example
 * import { aggregateContributions, decodeCiphertexts } from '@eigenveil/paillier';
 *
 * const [first, ...others] = contributions;
 * const start = decodeCiphertexts(publicKey, first, packing.plaintexts.length);
 * const aggregate = aggregateContributions(publicKey, start, others);
 */
export function aggregateContributions(
  publicKey: PublicKey,
  aggregate: readonly Ciphertext[],
  contributions: readonly Uint8Array[],
): Ciphertext[] {
  let sums = [...aggregate];
  for (const contribution of contributions) {
    const addends = readCiphertexts(publicKey, contribution, sums.length);
    sums = sums.map((sum, position) => add(publicKey, sum, addends[position]!));
  }
  return sums;
}
