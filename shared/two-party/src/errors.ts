/** The errors of the two-party computation. */

export type TwoPartyErrorCode =
  | 'ERR_CHANNEL_CLOSED'
  | 'ERR_CHANNEL_TIMEOUT'
  | 'ERR_CHANNEL_MESSAGE'
  | 'ERR_OWNER_COUNT';

export class TwoPartyError extends Error {
  override readonly name = 'TwoPartyError';
  readonly code: TwoPartyErrorCode;

  constructor(code: TwoPartyErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
