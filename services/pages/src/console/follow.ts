/**
 * Follows a stream of the data user for as long as somebody looks at it. When the stream breaks, it says so
 * and asks again after a pause.
 */
import { CodedError } from '@eigenveil/platform';
import { HEARTBEAT_MILLISECONDS } from '@eigenveil/wire/console';
import { useEffect, useState } from 'preact/hooks';
import type { ConsoleApi } from './api.ts';

/** The lines of a stream, as the schemas of `@eigenveil/wire/console` have them. */
export type Line<Update> =
  | { readonly kind: 'update'; readonly update: Update }
  | { readonly kind: 'heartbeat' }
  | { readonly kind: 'end'; readonly reason: 'final' | 'session' | 'closing' | 'failed' };

export type Change<Update> =
  | { readonly kind: 'update'; readonly update: Update }
  /** There is nothing new, but the connection stands. */
  | { readonly kind: 'live' }
  /** Nothing was heard for longer than the service is ever silent; the last update may be out of date. */
  | { readonly kind: 'quiet' }
  /** The stream is opened again, since somebody looks again; the last update may be out of date. */
  | { readonly kind: 'connecting' }
  /** The last update may be out of date; the stream is opened again in `retryIn` milliseconds. */
  | { readonly kind: 'broken'; readonly error: unknown; readonly retryIn: number }
  /** The last update is final: nothing follows. */
  | { readonly kind: 'final' }
  /** Nothing follows, since asking again cannot help. */
  | { readonly kind: 'failed'; readonly error: unknown };

/** One heartbeat may be late. */
const QUIET = 2 * HEARTBEAT_MILLISECONDS;
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 30_000;

interface Following<Update> {
  readonly open: (signal: AbortSignal) => AsyncIterable<Line<Update>>;
  readonly tell: (change: Change<Update>) => void;
  readonly signal: AbortSignal;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Calls `callback` once after this time. Returns a function that prevents it. */
  readonly after: (milliseconds: number, callback: () => void) => () => void;
}

/** Says whether the page can be seen: a window or a test. */
interface Sight {
  isSeen(): boolean;
  /** Calls `callback` at each change, until the returned function is called. */
  onChange(callback: () => void): () => void;
}

/**
 * Follows a stream for as long as the page is seen. Browsers have six connections to a host by HTTP/1.1, for
 * all tabs together: tabs that nobody sees would keep the others waiting for ever.
 */
export async function followWhileSeen<Update>(
  sight: Sight,
  { tell, signal, ...others }: Following<Update>,
): Promise<void> {
  for (let isOver = false; !isOver && !signal.aborted; ) {
    if (!sight.isSeen()) {
      await nextChange(sight, signal);
      if (sight.isSeen() && !signal.aborted) tell({ kind: 'connecting' });
      continue;
    }
    const hidden = new AbortController();
    const forget = sight.onChange(() => {
      if (!sight.isSeen()) hidden.abort();
    });
    await follow<Update>({
      ...others,
      signal: AbortSignal.any([signal, hidden.signal]),
      tell: (change) => {
        isOver = change.kind === 'final' || change.kind === 'failed';
        tell(change);
      },
    });
    forget();
  }
}

/** Resolves when `sight` changes or `signal` aborts. */
function nextChange(sight: Sight, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      forget();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const forget = sight.onChange(end);
    signal.addEventListener('abort', end);
  });
}

/**
 * Follows a stream. Returns when nothing follows, or when `signal` aborts; then there are no more changes.
 */
export async function follow<Update>(following: Following<Update>): Promise<void> {
  const { open, tell, signal, sleep, after } = following;
  for (let pause = FIRST_PAUSE; !signal.aborted; ) {
    let error: unknown = null;
    let reason: 'final' | 'session' | 'closing' | 'failed' | null = null;
    const listen = () => after(QUIET, () => tell({ kind: 'quiet' }));
    let stopListening = () => undefined as unknown;
    try {
      for await (const line of open(signal)) {
        stopListening();
        if (signal.aborted) return;
        if (line.kind === 'end') {
          reason = line.reason;
          break;
        }
        tell(line.kind === 'update' ? line : { kind: 'live' });
        pause = FIRST_PAUSE;
        stopListening = listen();
      }
    } catch (caught) {
      error = caught;
    } finally {
      stopListening();
    }
    if (signal.aborted) return;
    if (reason === 'final') return tell({ kind: 'final' });
    if (isForGood(error)) return tell({ kind: 'failed', error });
    // The pause is random, so that streams that were cut off at once do not all ask at the same moment. After
    // a session's bearer has ended, the next one is there already.
    const retryIn = pause * (0.5 + Math.random() / 2);
    if (reason !== 'session') tell({ kind: 'broken', error, retryIn });
    await sleep(retryIn, signal);
    pause = Math.min(2 * pause, LONGEST_PAUSE);
  }
}

/** Says whether the service has understood the request and refuses it. */
function isForGood(error: unknown): boolean {
  if (!(error instanceof CodedError)) return false;
  const { status = 500 } = error;
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

export interface Followed<Update> {
  /** The last update; null until the first has arrived. */
  readonly update: Update | null;
  readonly state: 'connecting' | 'live' | 'quiet' | 'broken' | 'final' | 'failed';
  /** The time at which the service was last heard, by its clock; null before. */
  readonly heardAt: Date | null;
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
  api: ConsoleApi,
  open: (signal: AbortSignal) => AsyncIterable<Line<Update>>,
  inputs: readonly unknown[],
): Followed<Update> {
  const [followed, setFollowed] = useState<Followed<Update>>(UNHEARD);
  useEffect(() => {
    const control = new AbortController();
    setFollowed(UNHEARD);
    void followWhileSeen<Update>(page, {
      open,
      signal: control.signal,
      sleep,
      after,
      tell: (change) => {
        if (!control.signal.aborted) setFollowed((before) => afterChange(before, change, api.now()));
      },
    });
    return () => control.abort();
  }, [api, ...inputs]);
  return followed;
}

const UNHEARD = { update: null, state: 'connecting', heardAt: null, error: null } as const;

function afterChange<Update>(
  { update, heardAt }: Followed<Update>,
  change: Change<Update>,
  now: Date,
): Followed<Update> {
  const isHeard = change.kind === 'update' || change.kind === 'live' || change.kind === 'final';
  return {
    update: change.kind === 'update' ? change.update : update,
    state: change.kind === 'update' ? 'live' : change.kind,
    heardAt: isHeard ? now : heardAt,
    error: 'error' in change ? change.error : null,
  };
}

/** Calls `callback` once after this time. Returns a function that prevents it. */
export function after(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
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

/** Returns the time by the clock of the data user, again every few seconds. */
export function useNow(api: ConsoleApi, everyMilliseconds: number): Date {
  const [now, setNow] = useState(api.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(api.now()), everyMilliseconds);
    return () => clearInterval(timer);
  }, [api, everyMilliseconds]);
  return now;
}
