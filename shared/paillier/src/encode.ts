/** Ciphertexts as fixed-length bytes. */

import { writeBigint } from './bytes.ts';
import type { Ciphertext } from './encryption.ts';
import type { PublicKey } from './public-key.ts';

/** Ciphertexts of `publicKey.ciphertextBytes` big-endian bytes each, one after the other. */
export function encodeCiphertexts(publicKey: PublicKey, ciphertexts: readonly Ciphertext[]): Uint8Array {
  const { ciphertextBytes } = publicKey;
  const bytes = new Uint8Array(ciphertexts.length * ciphertextBytes);
  ciphertexts.forEach((ciphertext, i) => {
    writeBigint(bytes, ciphertext, i * ciphertextBytes, ciphertextBytes);
  });
  return bytes;
}
