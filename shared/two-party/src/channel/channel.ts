/**
 * A duplex, ordered, reliable stream of binary messages between the two servers, its limits and its errors.
 */
import { CodedError } from '@eigenveil/platform';
import { TWO_PARTY_CODES } from '../codes.ts';

export interface Channel {
  /**
   * Hands a message over; its bytes must not change until `released` is called, which does not happen on a
   * channel that ends. Resolves once less than the high-water mark waits to be written.
   * @throws ERR_CHANNEL_CLOSED, ERR_CHANNEL_ABORTED, or ERR_CHANNEL_TIMEOUT when the peer takes nothing;
   * RangeError when the message is larger than the limit
   */
  send(message: Uint8Array, released?: () => void): Promise<void>;
  /**
   * The next message in order; its bytes stay as they are until the next call. What came before the peer
   * closed can still be received; an abort drops it.
   * @throws ERR_CHANNEL_CLOSED, ERR_CHANNEL_ABORTED, or ERR_CHANNEL_TIMEOUT when the peer stays silent or the
   * time is over
   */
  receive(): Promise<Uint8Array>;
  /** Ends in order: the peer gets what was sent. Does nothing after an abort. */
  close(): Promise<void>;
  /**
   * Gives the computation up and tells the peer why: `code` (ERR_…) reaches it inside its
   * ERR_CHANNEL_ABORTED.
   */
  abort(code: string): Promise<void>;
  /** Bytes of messages so far, without the transport's own. */
  readonly bytesSent: number;
  readonly bytesReceived: number;
  /** The length of messages that travel fastest, where one is known. */
  readonly frameBytes?: number | undefined;
}

export interface ChannelLimits {
  /** The time in milliseconds that one receive may wait for the peer, or one send for room. */
  readonly silenceMilliseconds: number;
  /** The time in milliseconds that the channel may live. It then aborts itself with ERR_CHANNEL_TIMEOUT. */
  readonly totalMilliseconds: number;
  /**
   * Bytes that may wait to be written before a send waits, and to be received before the peer is held back.
   */
  readonly highWaterBytes: number;
  /** The largest message either side may send, in bytes. */
  readonly largestMessageBytes: number;
}

/** The shares of the largest supported task fit several times into the largest message. */
export const DEFAULT_LIMITS: ChannelLimits = {
  silenceMilliseconds: 120_000,
  totalMilliseconds: 4 * 3_600_000,
  highWaterBytes: 4 * 1024 * 1024,
  largestMessageBytes: 64 * 1024 * 1024,
};

/** The largest limit that a timer of Node and a WebSocket frame can hold. */
const LARGEST_LIMIT = 2 ** 31 - 1;

/**
 * The given limits over the defaults.
 * @throws RangeError when one is not an integer in [1, 2^31)
 */
export function withDefaults(limits: Partial<ChannelLimits> | undefined): ChannelLimits {
  const complete = { ...DEFAULT_LIMITS, ...limits };
  for (const [name, value] of Object.entries(complete)) {
    if (!Number.isInteger(value) || value < 1 || value > LARGEST_LIMIT) {
      throw new RangeError(`"${name}" expected an integer in [1, ${LARGEST_LIMIT}], got ${value}`);
    }
  }
  return complete;
}

export function closedError(cause?: unknown): CodedError {
  return new CodedError(
    TWO_PARTY_CODES.ERR_CHANNEL_CLOSED,
    'the two-party connection was closed before the computation ended',
    { cause },
  );
}

const ERROR_CODE = /^ERR_[A-Z0-9_]{1,60}$/;

export function isErrorCode(text: string): boolean {
  return ERROR_CODE.test(text);
}

/**
 * The error of an end that was told to give up; what the peer sent as its reason is not trusted to be a code.
 */
export function abortedError(by: 'peer' | 'self', code: string): CodedError {
  const reason = isErrorCode(code) ? code : 'ERR_UNKNOWN';
  const who = by === 'peer' ? 'the peer' : 'this end';
  return new CodedError(TWO_PARTY_CODES.ERR_CHANNEL_ABORTED, `${who} gave the computation up: ${reason}`, {
    reason,
  });
}
