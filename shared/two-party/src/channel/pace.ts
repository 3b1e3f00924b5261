/** Public moments: what a peer sees at a time that does not depend on a secret. */
import { setImmediate, setTimeout } from 'node:timers/promises';

/** Time as a wait sees it. */
export interface Clock {
  /** Milliseconds since any one moment. */
  now(): number;
  /** May wake up early. Rejects when the signal aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/**
 * The last stretch of a wait is turns of the event loop: a timer fires at whole milliseconds, and counts from
 * when the turn began in which it was set, so that it would tell how long that has computed.
 */
const LAST_MILLISECONDS = 3;

export const systemClock: Clock = {
  now: () => performance.now(),
  async sleep(milliseconds, signal) {
    signal?.throwIfAborted();
    if (milliseconds <= LAST_MILLISECONDS) await setImmediate();
    else await setTimeout(milliseconds - LAST_MILLISECONDS, undefined, { ...(signal && { signal }) });
  },
};

/**
 * @example
 * import { systemClock, waitUntil } from '@eigenveil/two-party';
 * import { pencilPaces } from '@eigenveil/two-party/plan';
 *
 * const moment = systemClock.now() + pencilPaces(34, [2], false, 1).root;
 * await waitUntil(moment, systemClock);
 */
export async function waitUntil(moment: number, clock: Clock, signal?: AbortSignal): Promise<void> {
  for (let left = moment - clock.now(); left > 0; left = moment - clock.now())
    await clock.sleep(left, signal);
}

/** The public times at which a data user answers, so that time does not tell what it has found. */
export interface Pace {
  /** The time from the receipt of a message that it has to compute with to its next byte. */
  readonly milliseconds: number;
  readonly clock: Clock;
  /**
   * Called when the computation took this number of milliseconds more; the byte then leaves as soon as it
   * can.
   */
  readonly onMiss?: (milliseconds: number) => void;
}
