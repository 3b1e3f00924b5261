/** How the CSP refuses a number of owners, and how the data user hears of it. */
import type { Channel } from './channel/channel.ts';
import { TwoPartyError } from './errors.ts';

const OWNER_COUNT = 'ERR_OWNER_COUNT';

/** The data user knows what it aggregated, so that it may be told when the number of owners is refused. */
export async function tellingOwners<T>(channel: Channel, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof TwoPartyError && error.code === OWNER_COUNT) await channel.abort(OWNER_COUNT);
    throw error;
  }
}

/** What the CSP says of its end, where it says more than that it has ended. */
export async function hearing<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const reason = error instanceof TwoPartyError ? error.reason : undefined;
    if (reason === OWNER_COUNT)
      throw new TwoPartyError(OWNER_COUNT, 'the CSP refused the number of owners', { cause: error });
    if (reason === 'ERR_ANSWER_DIFFERS')
      throw new TwoPartyError(reason, 'the CSP was sent something else than in a run of this answer before', {
        cause: error,
      });
    throw error;
  }
}
