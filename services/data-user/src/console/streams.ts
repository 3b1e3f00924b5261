/**
 * Streams for the operator's console: the present state, and then each change. They read the store, where
 * every process finds what any of them has done, once a second for all streams of the same name.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError } from '@eigenveil/platform';
import { CODES } from '@eigenveil/wire';
import { HEARTBEAT_MILLISECONDS } from '@eigenveil/wire/console';

/**
 * The greatest age of what a stream is told: the store is not read again sooner, however many streams there
 * are.
 */
const LOOK_MILLISECONDS = 1000;
/**
 * The longest life of a stream, which is that of a bearer. A client with the token itself has to ask again,
 * too, so that no stream stays for ever.
 */
const LONGEST_MILLISECONDS = 15 * 60_000;
/**
 * The number of streams is limited since each is one of 1000 connections, and checks a bearer every second.
 */
const MOST_STREAMS = 100;
const RETRY_AFTER_SECONDS = 5;

type End = 'final' | 'session' | 'closing' | 'failed';
export type Line<Update> =
  | { readonly kind: 'update'; readonly update: Update }
  | { readonly kind: 'heartbeat'; readonly at: string }
  | { readonly kind: 'end'; readonly reason: End };

export interface StreamOptions<Update> {
  /** Streams with the same name share what is read. */
  readonly name: string;
  readonly look: () => Promise<Update>;
  /** Returns true if nothing follows. */
  readonly isFinal: (update: Update) => boolean;
  /** Rejects when the client that asked may no longer ask. */
  readonly admit: () => Promise<unknown>;
  /** Aborted when nobody reads any more, and in any case at the end. */
  readonly signal: AbortSignal;
}

export interface StreamTimes {
  readonly lookMilliseconds?: number;
  readonly heartbeatMilliseconds?: number;
  readonly longestMilliseconds?: number;
}

interface Look {
  readonly at: number;
  readonly found: Promise<unknown>;
}

export class ConsoleStreams {
  readonly #now: () => Date;
  readonly #times: Required<StreamTimes>;
  readonly #closing = new AbortController();
  readonly #looks = new Map<string, Look>();
  #open = 0;

  constructor(now: () => Date, times: StreamTimes = {}) {
    this.#now = now;
    this.#times = {
      lookMilliseconds: LOOK_MILLISECONDS,
      heartbeatMilliseconds: HEARTBEAT_MILLISECONDS,
      longestMilliseconds: LONGEST_MILLISECONDS,
      ...times,
    };
  }

  /**
   * Opens a stream of lines, the first of which is known already.
   * @throws ERR_BUSY when there are too many, and as `look`
   */
  async open<Update>(options: StreamOptions<Update>): Promise<AsyncIterable<Line<Update>>> {
    if (this.#open >= MOST_STREAMS)
      throw new CodedError(CODES.ERR_BUSY, `expected at most ${MOST_STREAMS} streams at a time`, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    this.#open += 1;
    const leave = () => {
      this.#open -= 1;
    };
    if (options.signal.aborted) leave();
    else options.signal.addEventListener('abort', leave, { once: true });
    await this.#lookedAt(options);
    return this.#lines(options);
  }

  /** The number of streams. */
  get count(): number {
    return this.#open;
  }

  /** Ends all streams. */
  close(): void {
    this.#closing.abort();
  }

  async *#lines<Update>(options: StreamOptions<Update>): AsyncGenerator<Line<Update>, void> {
    const { isFinal, admit } = options;
    const signal = AbortSignal.any([options.signal, this.#closing.signal]);
    const until = performance.now() + this.#times.longestMilliseconds;
    let told = '';
    let toldAt = 0;
    for (;;) {
      if (signal.aborted) return yield { kind: 'end', reason: 'closing' };
      const isAdmitted = await admit().then(
        () => true,
        () => false,
      );
      if (!isAdmitted || performance.now() >= until) return yield { kind: 'end', reason: 'session' };
      const update = await this.#lookedAt(options).catch(() => undefined);
      if (update === undefined) return yield { kind: 'end', reason: 'failed' };
      const text = JSON.stringify({ ...update, at: '' }); // another time alone is no change
      if (text !== told) {
        yield { kind: 'update', update };
        [told, toldAt] = [text, performance.now()];
      } else if (performance.now() - toldAt >= this.#times.heartbeatMilliseconds) {
        yield { kind: 'heartbeat', at: this.#now().toISOString() };
        toldAt = performance.now();
      }
      if (isFinal(update)) return yield { kind: 'end', reason: 'final' };
      await sleep(this.#times.lookMilliseconds, undefined, { signal }).catch(() => undefined);
    }
  }

  async #lookedAt<Update>({ name, look }: StreamOptions<Update>): Promise<Update> {
    const now = performance.now();
    for (const [other, { at }] of this.#looks)
      if (now - at >= this.#times.lookMilliseconds) this.#looks.delete(other);
    let current = this.#looks.get(name);
    if (current === undefined) {
      current = { at: now, found: look() };
      this.#looks.set(name, current);
    }
    return current.found as Promise<Update>;
  }
}
