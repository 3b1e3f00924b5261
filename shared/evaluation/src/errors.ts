/** The one error class of this package: every failure that its user can act on carries a stable code. */

export type EvaluationErrorCode = 'ERR_ATTACK_FAILED' | 'ERR_ATTACK_INVALID' | 'ERR_ATTACK_MISSING';

/** Messages name files, members and what was expected of them. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';
  readonly code: EvaluationErrorCode;

  constructor(code: EvaluationErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
