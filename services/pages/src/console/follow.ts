/** Follows a stream of the data user for as long as somebody looks: asked again after a pause when it breaks, and it says so. */
import { ServiceError } from '@eigenveil/wire/errors';

/** As the schemas of `@eigenveil/wire/console` have the lines of a stream. */
export type Line<Update> =
  | { readonly kind: 'update'; readonly update: Update }
  | { readonly kind: 'heartbeat' }
  | { readonly kind: 'end'; readonly reason: 'final' | 'session' | 'closing' | 'failed' };

export type Change<Update> =
  | { readonly kind: 'update'; readonly update: Update }
  /** Nothing new, but the line stands. */
  | { readonly kind: 'live' }
  /** What was told last may be stale; it is asked again in so many milliseconds. */
  | { readonly kind: 'broken'; readonly error: unknown; readonly retryIn: number }
  /** Nothing follows: what was told last is final. */
  | { readonly kind: 'final' }
  /** Nothing follows, since asking again cannot help. */
  | { readonly kind: 'failed'; readonly error: unknown };

const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 30_000;

/** Returns when nothing follows, or when `signal` aborts; then nothing more is told. */
export async function follow<Update>(options: {
  readonly open: (signal: AbortSignal) => AsyncIterable<Line<Update>>;
  readonly tell: (change: Change<Update>) => void;
  readonly signal: AbortSignal;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}): Promise<void> {
  const { open, tell, signal, sleep } = options;
  for (let pause = FIRST_PAUSE; !signal.aborted; ) {
    let error: unknown = null;
    let reason: 'final' | 'session' | 'closing' | 'failed' | null = null;
    try {
      for await (const line of open(signal)) {
        if (signal.aborted) return;
        if (line.kind === 'end') {
          reason = line.reason;
          break;
        }
        tell(line.kind === 'update' ? line : { kind: 'live' });
        pause = FIRST_PAUSE;
      }
    } catch (caught) {
      error = caught;
    }
    if (signal.aborted) return;
    if (reason === 'final') return tell({ kind: 'final' });
    if (isForGood(error)) return tell({ kind: 'failed', error });
    // Not all at the same moment, where many were cut off at once. After a session's bearer, the next one is there already.
    const retryIn = pause * (0.5 + Math.random() / 2);
    if (reason !== 'session') tell({ kind: 'broken', error, retryIn });
    await sleep(retryIn, signal);
    pause = Math.min(2 * pause, LONGEST_PAUSE);
  }
}

/** Whether the service has understood and refuses. */
function isForGood(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false;
  const { status } = error;
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}
