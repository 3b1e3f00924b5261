/** A stream of the data user as the state of a component. */
import { useEffect, useState } from 'preact/hooks';
import { followWhileSeen, type Line, type Sight } from './follow.ts';

export interface Followed<Update> {
  /** The last update; null until the first has arrived. */
  readonly update: Update | null;
  readonly state: 'connecting' | 'live' | 'broken' | 'final' | 'failed';
  /** The error of `broken` and `failed`; null where the connection just ended. */
  readonly error: unknown;
}

const page: Sight = {
  isSeen: () => document.visibilityState === 'visible',
  onChange: (callback) => {
    document.addEventListener('visibilitychange', callback);
    return () => document.removeEventListener('visibilitychange', callback);
  },
};

/** Follows a stream, and begins again when one of `inputs` changes. */
export function useFollow<Update>(
  open: (signal: AbortSignal) => AsyncIterable<Line<Update>>,
  inputs: readonly unknown[],
): Followed<Update> {
  const [followed, setFollowed] = useState<Followed<Update>>({
    update: null,
    state: 'connecting',
    error: null,
  });
  useEffect(() => {
    const control = new AbortController();
    setFollowed({ update: null, state: 'connecting', error: null });
    void followWhileSeen<Update>(page, {
      open,
      signal: control.signal,
      sleep,
      tell: (change) => {
        if (control.signal.aborted) return;
        if (change.kind === 'update') setFollowed({ update: change.update, state: 'live', error: null });
        else
          setFollowed(({ update }) => ({
            update,
            state: change.kind,
            error: 'error' in change ? change.error : null,
          }));
      },
    });
    return () => control.abort();
  }, inputs);
  return followed;
}

/** Waits, but ends early when `signal` aborts, or when the browser says that it is online again. */
function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      removeEventListener('online', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end);
    addEventListener('online', end);
  });
}
