/** Work that takes time and may fail, as the state of a component: something to load, and something to do. */
import { isTransient } from '@eigenveil/wire/errors';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

export type Loading<Value> =
  | { readonly state: 'loading' }
  | { readonly state: 'done'; readonly value: Value }
  | { readonly state: 'failed'; readonly error: unknown };

/**
 * Loads when the component appears and whenever one of `inputs` changes; an earlier load that still runs is
 * aborted.
 * @returns how far it is; `again`, which loads once more and keeps what is shown until then; and `isBusy`,
 *   which is true until then
 */
export function useAsync<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[],
): Loading<Value> & { readonly again: () => void; readonly isBusy: boolean } {
  const [loading, setLoading] = useState<Loading<Value>>({ state: 'loading' });
  const [isBusy, setBusy] = useState(true);
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => setLoading({ state: 'loading' }), inputs);
  useEffect(() => {
    const control = new AbortController();
    setBusy(true);
    const set = (next: Loading<Value>) => {
      if (control.signal.aborted) return;
      setLoading(next);
      setBusy(false);
    };
    latest.current(control.signal).then(
      (value) => set({ state: 'done', value }),
      (error: unknown) => set({ state: 'failed', error }),
    );
    return () => control.abort();
  }, [...inputs, round]);
  const again = useCallback(() => setRound((it) => it + 1), []);
  return { ...loading, again, isBusy };
}

/** The pause in milliseconds before something is loaded again. */
const RETRY_PAUSE = 5000;

/**
 * Loads again while the service cannot be reached: after a pause, and when the browser says that it is online.
 * @returns whether that is so
 */
export function useRetry(loading: Loading<unknown> & { readonly again: () => void }): boolean {
  const { again } = loading;
  const error = loading.state === 'failed' ? loading.error : null;
  const isLost = isTransient(error);
  useEffect(() => {
    if (!isLost) return;
    const timer = setTimeout(again, RETRY_PAUSE);
    addEventListener('online', again);
    return () => {
      clearTimeout(timer);
      removeEventListener('online', again);
    };
  }, [isLost, error, again]);
  return isLost;
}

/** The pause in milliseconds after which somebody who waits is told what is new. */
const WATCH_PAUSE = 30_000;

/** Loads again from time to time while it is wanted and somebody looks at the page. */
export function useWatch(again: () => void, isWanted: boolean): void {
  useEffect(() => {
    if (!isWanted) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') again();
    }, WATCH_PAUSE);
    return () => clearInterval(timer);
  }, [again, isWanted]);
}

export interface Action<Input extends readonly unknown[]> {
  /** Runs the action, unless it is busy. An error that it throws becomes `error`. */
  readonly run: (...input: Input) => void;
  readonly busy: boolean;
  /** The error of the last run; null before it, and when it went well. */
  readonly error: unknown;
  /** Forgets the error, once what it was about is no longer there. */
  readonly reset: () => void;
}

/** Runs an action on request, and aborts it when the component goes. */
export function useAction<Input extends readonly unknown[]>(
  action: (signal: AbortSignal, ...input: Input) => Promise<void>,
): Action<Input> {
  const [state, setState] = useState<{ busy: boolean; error: unknown }>({ busy: false, error: null });
  const latest = useRef(action);
  latest.current = action;
  const control = useRef<AbortController | null>(null);
  useEffect(() => () => control.current?.abort(), []);
  const run = useCallback((...input: Input) => {
    if (control.current !== null) return;
    const mine = new AbortController();
    control.current = mine;
    setState({ busy: true, error: null });
    const end = (error: unknown) => {
      control.current = null;
      if (!mine.signal.aborted) setState({ busy: false, error });
    };
    latest.current(mine.signal, ...input).then(() => end(null), end);
  }, []);
  const reset = useCallback(() => setState(({ busy }) => ({ busy, error: null })), []);
  return { run, reset, ...state };
}
