/** What the servers do with ciphertexts: sums, multiples by a public constant, fresh randomisers. */

import { modInv, modPow } from 'bigint-crypto-utils';
import { type Ciphertext, modulusOf, standardRandomiser } from './encryption.ts';
import type { PublicKey } from './keys/public-key.ts';

const LARGEST_CONSTANT = 1n << 32n;

/** An encryption of a + b mod n. */
export function add(publicKey: PublicKey, a: Ciphertext, b: Ciphertext): Ciphertext {
  return modulusOf(publicKey).multiply(a, b) as Ciphertext;
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
  return modulusOf(publicKey).multiply(ciphertext, standardRandomiser(publicKey)) as Ciphertext;
}
