/** The one error class of this package: every failure that its user can act on carries a stable code. */

export type EvaluationErrorCode =
  | 'ERR_ATTACK_FAILED'
  | 'ERR_ATTACK_INVALID'
  | 'ERR_ATTACK_MISSING'
  /** A claim is refuted, a known leak was not found, or an experiment failed. */
  | 'ERR_EVALUATION'
  /** The noise of this machine hides a known leak: run again where less else is running. */
  | 'ERR_TOO_NOISY'
  /** A task or rows of the user's own from which no scene can be made. */
  | 'ERR_SCENE'
  /** A bundle of views was changed, cut off or put together from others, or its key is another one. */
  | 'ERR_VIEW_BROKEN'
  /** No bundle of views, one of another version, or one whose lines are not what they should be. */
  | 'ERR_VIEW_FORMAT'
  /** What was recorded cannot be told apart or deciphered. */
  | 'ERR_VIEW_UNREADABLE';

/** Messages name files, members and what was expected of them. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';
  readonly code: EvaluationErrorCode;

  constructor(code: EvaluationErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
