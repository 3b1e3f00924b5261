/** The one error class of this package: every failure that a caller can act on carries a stable code. */

export type PaillierErrorCode =
  | 'ERR_CIPHERTEXT_INVALID'
  | 'ERR_CIPHERTEXT_LENGTH'
  | 'ERR_ENCODING_INVALID'
  | 'ERR_KEY_INVALID'
  | 'ERR_KEY_TOO_SHORT'
  | 'ERR_OPENSSL_EXPONENTIATION'
  | 'ERR_PACKING_OVERFLOW'
  | 'ERR_PACKING_TOO_NARROW'
  | 'ERR_PLAINTEXT_OUT_OF_RANGE'
  | 'ERR_POOL_CLOSED'
  | 'ERR_SCHEME_UNAVAILABLE'
  | 'ERR_VALUE_OUT_OF_RANGE';

/** Messages name the argument, what was expected and what came, and hold no plaintext, key or value of an owner. */
export class PaillierError extends Error {
  override readonly name = 'PaillierError';
  readonly code: PaillierErrorCode;

  constructor(code: PaillierErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
