/** The errors of the two-party computation. */

export type TwoPartyErrorCode =
  | 'ERR_CHANNEL_CLOSED'
  | 'ERR_CHANNEL_TIMEOUT'
  | 'ERR_CHANNEL_MESSAGE'
  | 'ERR_CHANNEL_ABORTED'
  | 'ERR_OT_POINT'
  | 'ERR_OT_EXHAUSTED'
  | 'ERR_OT_CHECK'
  | 'ERR_GARBLING_MESSAGE'
  | 'ERR_GARBLING_CHECK'
  | 'ERR_PRODUCT_CHECK'
  | 'ERR_OWNER_COUNT'
  | 'ERR_ANSWER_DIFFERS'
  | 'ERR_ROTATION_CHECK'
  | 'ERR_TASK_RANGE';

export class TwoPartyError extends Error {
  override readonly name = 'TwoPartyError';
  readonly code: TwoPartyErrorCode;
  /** With ERR_CHANNEL_ABORTED: the code (ERR_…) of what made an end give up. */
  readonly reason: string | undefined;

  constructor(code: TwoPartyErrorCode, message: string, options?: { cause?: unknown; reason?: string }) {
    super(message, options);
    this.code = code;
    this.reason = options?.reason;
  }
}
