/** The one error class of this package: every failure that a caller can act on carries a stable code. */

export type AuthenticationErrorCode =
  | 'ERR_CALIBRATION_INVALID'
  | 'ERR_SCORE_INVALID'
  | 'ERR_SEED_INVALID'
  | 'ERR_SETTINGS_INVALID'
  | 'ERR_TEMPLATE_INVALID'
  | 'ERR_TOO_FEW_WINDOWS'
  | 'ERR_WINDOW_INVALID';

/** Messages name arguments, places and public numbers, and never hold a value of a window, a template or a score. */
export class AuthenticationError extends Error {
  override readonly name = 'AuthenticationError';
  readonly code: AuthenticationErrorCode;

  constructor(code: AuthenticationErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
