/**
 * Computes with ciphertexts, as the servers do: sums, of whole contributions too.
 */

import { readCiphertexts } from './ciphertexts.ts';
import { type Ciphertext, modulusOf } from './encryption.ts';
import type { PublicKey } from './keys/public-key.ts';

/** An encryption of a + b mod n. */
export function add(publicKey: PublicKey, a: Ciphertext, b: Ciphertext): Ciphertext {
  return modulusOf(publicKey).multiply(a, b) as Ciphertext;
}

/**
 * The aggregate with the contributions added to it; position i of the result holds the sum over position i of
 * all.
 * @param aggregate as many ciphertexts as each contribution holds
 * @param contributions encoded ciphertexts that `decodeCiphertexts` accepted before
 * @throws ERR_CIPHERTEXT_LENGTH when a contribution has another length
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
