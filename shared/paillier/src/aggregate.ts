/** The homomorphic sum of packed contributions, position by position. */

import { readCiphertexts } from './ciphertexts.ts';
import type { Ciphertext } from './encryption.ts';
import { add } from './homomorphic.ts';
import type { PublicKey } from './keys/public-key.ts';

/**
 * The aggregate with the contributions added to it; position i of the result holds the sum over position i of all.
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
