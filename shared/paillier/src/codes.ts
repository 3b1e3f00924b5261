/** The codes of errors of this package. Messages name the argument, what was expected and what came, and hold no plaintext, key or value of an owner. */
import { codes, PLATFORM_CODES } from '@eigenveil/platform';

export const PAILLIER_CODES = codes({
  ...PLATFORM_CODES,
  ERR_CIPHERTEXT_INVALID: { status: 400, title: 'A ciphertext is not valid' },
  ERR_CIPHERTEXT_LENGTH: { status: 400, title: 'The ciphertexts have the wrong length' },
  ERR_KEY_INVALID: { status: 502, title: 'The Paillier key is not valid' },
  ERR_KEY_TOO_SHORT: { status: 422, title: 'The key is too short to be safe' },
  ERR_PACKING_OVERFLOW: { status: 422, title: 'A sum left the range that the task allows it' },
  ERR_PACKING_TOO_NARROW: {
    status: 422,
    title: 'One value does not fit into a plaintext of this key length',
  },
  ERR_OPENSSL_EXPONENTIATION: { title: 'OpenSSL does not raise numbers to powers as it should' },
  ERR_PLAINTEXT_OUT_OF_RANGE: { title: 'A plaintext is not below the modulus' },
  ERR_POOL_CLOSED: { title: 'The pool of workers is closed' },
  ERR_SCHEME_UNAVAILABLE: { title: 'The key has no such way to encrypt' },
  ERR_VALUE_OUT_OF_RANGE: { title: 'A value is not within the range of its slot' },
});
export type PaillierCode = keyof typeof PAILLIER_CODES;
