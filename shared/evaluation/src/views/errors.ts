/** The errors of recording views and of reading them. */

export type ViewErrorCode =
  /** No bundle, one of another version, or one whose lines are not what they should be. */
  | 'ERR_VIEW_FORMAT'
  /** A bundle was changed, cut off or put together from others, or its key is another one. */
  | 'ERR_VIEW_BROKEN'
  /** What was recorded cannot be told apart or deciphered. */
  | 'ERR_VIEW_UNREADABLE';

export class ViewError extends Error {
  override readonly name = 'ViewError';
  readonly code: ViewErrorCode;

  constructor(code: ViewErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
