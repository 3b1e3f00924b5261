/** Waits for a result that is not there yet. */
import { CodedError, sleep } from '@eigenveil/platform';
import { CODES, errorCodeOf, isTransient } from '@eigenveil/wire';

export interface Waiting {
  /** The longest time to wait. 0: it is asked for once. */
  readonly milliseconds: number;
  /** Ends the waiting early. */
  readonly signal?: AbortSignal | undefined;
  /** Told why there is nothing yet, as often as that changes. */
  readonly onWait?: ((reason: string) => void) | undefined;
}

const FIRST_PAUSE_MILLISECONDS = 1000;
/** Many owners may wait behind one address, which has a limit of requests. */
const LONGEST_PAUSE_MILLISECONDS = 30_000;

/**
 * Asks until there is an answer, less and less often; also while the service is down or busy.
 * @throws ERR_NOT_READY when the time is over or the waiting was ended; and what `ask` throws, where asking
 *   again is of no use
 */
export async function untilReady<T>(
  ask: () => Promise<T>,
  { milliseconds, signal, onWait }: Waiting,
): Promise<T> {
  const end = performance.now() + milliseconds;
  const aborted = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  aborted.catch(() => {}); // it is looked at below
  let reason = 'there was no answer yet';
  for (let pause = FIRST_PAUSE_MILLISECONDS; ; pause = Math.min(1.5 * pause, LONGEST_PAUSE_MILLISECONDS)) {
    try {
      if (signal?.aborted !== true) return await Promise.race([ask(), aborted]);
    } catch (error) {
      const isUnready = errorCodeOf(error) === 'ERR_NOT_READY' || isTransient(error);
      if (signal?.aborted !== true && !isUnready) throw error;
      if (isUnready && error instanceof Error) {
        if (reason !== error.message) onWait?.(error.message);
        reason = error.message;
      }
    }
    const left = end - performance.now();
    if (left > 0) await sleep(Math.min(pause, left), signal).catch(() => {});
    if (signal?.aborted === true) throw over('the waiting was ended', reason);
    if (left <= 0) throw over('the time to wait is over', reason);
  }
}

function over(what: string, reason: string): CodedError {
  return new CodedError(
    CODES.ERR_NOT_READY,
    `${what}: ${reason}; nothing was written, give the command again`,
  );
}
