/** Ciphertexts as fixed-length bytes. */
import { Integers } from '@eigenveil/platform';
import type { Ciphertext } from './encryption.ts';
import type { PublicKey } from './keys/public-key.ts';

/** Ciphertexts of `publicKey.ciphertextBytes` big-endian bytes each, one after the other. */
export function encodeCiphertexts(publicKey: PublicKey, ciphertexts: readonly Ciphertext[]): Uint8Array {
  return Integers.of(ciphertexts, { length: ciphertexts.length, bits: 8 * publicKey.ciphertextBytes }).bytes;
}
