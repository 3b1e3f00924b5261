/**
 * Tells the peer when one end of a computation gives up, so that it fails at once and for a stated reason, and tells
 * the data user when the CSP refuses the number of owners.
 */
import { CodedError, isOf } from '@eigenveil/platform';
import { TWO_PARTY_CODES } from '../codes.ts';
import type { Channel } from './channel.ts';

/**
 * Codes that depend only on messages which the peer itself has sent, so that they tell it nothing new; codes
 * of checks with a secret are not among them.
 */
const TELLABLE = /^ERR_CHANNEL_|^ERR_GARBLING_MESSAGE$|^ERR_OT_(POINT|EXHAUSTED)$|^ERR_ANSWER_DIFFERS$/;

/**
 * Runs one end of a computation. Whatever it throws is thrown on, after the channel was aborted with its
 * code, or with ERR_COMPUTATION where the code could tell the peer about the result. Errors that say that the
 * connection is gone already abort nothing. `beforeAbort` is awaited first: what it writes down is durable
 * before the peer hears of the error.
 */
export async function withAbort<T>(
  channel: Channel,
  run: () => Promise<T>,
  beforeAbort?: (error: unknown) => Promise<void>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    await beforeAbort?.(error);
    const code = tellableCode(error);
    if (code !== 'ERR_CHANNEL_CLOSED' && code !== 'ERR_CHANNEL_ABORTED') await channel.abort(code);
    throw error;
  }
}

/** Returns the code that the peer is told when an error ends the channel. */
export function tellableCode(error: unknown): string {
  return isTellable(error) ? error.code : 'ERR_COMPUTATION';
}

/** Returns whether an error depends only on what the peer knows. */
export function isTellable(error: unknown): error is CodedError {
  return isOf(TWO_PARTY_CODES, error) && TELLABLE.test(error.code);
}

const OWNER_COUNT = 'ERR_OWNER_COUNT';

/** The data user knows what it aggregated, so that it may be told when the number of owners is refused. */
export async function tellingOwners<T>(channel: Channel, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (isOf(TWO_PARTY_CODES, error) && error.code === OWNER_COUNT) await channel.abort(OWNER_COUNT);
    throw error;
  }
}

/** Runs `run`, and turns the CSP's reason for its end into an error where it gives one. */
export async function hearing<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const reason = isOf(TWO_PARTY_CODES, error) ? error.parameters.reason : undefined;
    if (reason === OWNER_COUNT)
      throw new CodedError(TWO_PARTY_CODES[OWNER_COUNT], 'the CSP refused the number of owners', {
        cause: error,
      });
    if (reason === 'ERR_ANSWER_DIFFERS')
      throw new CodedError(
        TWO_PARTY_CODES[reason],
        'the CSP was sent something else than in a run of this answer before',
        {
          cause: error,
        },
      );
    throw error;
  }
}
