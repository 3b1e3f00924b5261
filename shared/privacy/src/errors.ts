/** The one error class of this package: every failure that a caller can act on carries a stable code. */

export type PrivacyErrorCode = 'ERR_BUDGET_EXHAUSTED' | 'ERR_DP_PARAMETER';

/** Messages name privacy parameters, which are public, and never a value that is to be protected. */
export class PrivacyError extends Error {
  override readonly name = 'PrivacyError';
  readonly code: PrivacyErrorCode;

  constructor(code: PrivacyErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
