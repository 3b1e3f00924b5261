/** The refusal of a number of owners by the CSP, and how the data user hears of it. */
import { CodedError, isOf } from '@eigenveil/platform';
import { TWO_PARTY_CODES } from '../codes.ts';
import type { Channel } from './channel.ts';

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
