/**
 * Sends events to the relying application's address, in order, each until it is taken. The outbox is the
 * events in the database that the webhook has not taken, so nothing is lost with the process. An event whose
 * answer is lost arrives twice.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError } from '@eigenveil/platform';
import type { Logger } from '@eigenveil/server';
import { errorCodeOf, ServiceClient, type SigningKey, signStatement } from '@eigenveil/wire';
import { z } from 'zod';
import { type DecisionEvent, EVENT, type WebhookRequest } from '../messages.ts';
import type { SqliteAuthenticatorStore } from '../store/sqlite-store.ts';

/** The time within which the receiver must answer an event: the next one waits for it. */
const ANSWER_MILLISECONDS = 10_000;
/** The most bytes of an answer, which is empty or a problem. */
const LARGEST_ANSWER_BYTES = 65_536;
const FIRST_BACKOFF_MILLISECONDS = 1000;
const LONGEST_BACKOFF_MILLISECONDS = 300_000;

export interface WebhookTimes {
  readonly answerMilliseconds: number;
  readonly firstBackoffMilliseconds: number;
}

/** The schema of an answer with 204. */
const Nothing = z.undefined();

export class Webhook {
  readonly #store: SqliteAuthenticatorStore;
  readonly #key: SigningKey;
  readonly #log: Logger;
  readonly #times: WebhookTimes;
  readonly #client: ServiceClient;
  readonly #path: string;
  readonly #onAttempt: (outcome: 'taken' | 'failed') => void;
  readonly #stopping = new AbortController();
  #isWorking = false;
  #working = Promise.resolve();

  constructor(options: {
    readonly store: SqliteAuthenticatorStore;
    readonly key: SigningKey;
    readonly log: Logger;
    readonly url: string;
    /** PEM certificates to trust instead of the system's. */
    readonly ca: string | undefined;
    readonly onAttempt: (outcome: 'taken' | 'failed') => void;
    readonly times?: WebhookTimes | undefined;
  }) {
    this.#store = options.store;
    this.#key = options.key;
    this.#log = options.log;
    this.#onAttempt = options.onAttempt;
    this.#times = options.times ?? {
      answerMilliseconds: ANSWER_MILLISECONDS,
      firstBackoffMilliseconds: FIRST_BACKOFF_MILLISECONDS,
    };
    const { origin, pathname, search } = new URL(options.url);
    this.#path = pathname + search;
    this.#client = new ServiceClient({
      url: origin,
      ca: options.ca,
      credentials: { kind: 'none' }, // the event itself is signed
      timeoutMilliseconds: this.#times.answerMilliseconds,
      largestAnswerBytes: LARGEST_ANSWER_BYTES,
    });
  }

  /** Begins to send the events that wait, unless they are being sent. */
  wake(): void {
    if (this.#stopping.signal.aborted || this.#isWorking) return;
    this.#isWorking = true;
    this.#working = this.#work().catch((error: unknown) => this.#log.error({ err: error }, 'webhook failed'));
  }

  /** Trusts other certificates from the next attempt on. */
  trust(ca: string | undefined): void {
    this.#client.trust(ca);
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#client.close();
    await this.#working;
  }

  async #work(): Promise<void> {
    try {
      for (;;) {
        const events = this.#store.eventsAfter(this.#store.marks().delivered);
        if (events.length === 0) return;
        for (const event of events) {
          if (!(await this.#deliver(event))) return;
          this.#store.markDelivered(event.sequence);
        }
      }
    } finally {
      this.#isWorking = false; // no await since the last check, so that no event is overlooked
    }
  }

  /** Tries until the event is taken. Returns false when the service stops before. */
  async #deliver(event: DecisionEvent): Promise<boolean> {
    const json: WebhookRequest = { event: await signStatement(EVENT, this.#key, event) };
    const { signal } = this.#stopping;
    let backoff = this.#times.firstBackoffMilliseconds;
    for (let attempts = 1; !signal.aborted; attempts += 1) {
      try {
        await this.#client.send({ method: 'POST', path: this.#path, json, response: Nothing });
        this.#onAttempt('taken');
        return true;
      } catch (error) {
        if (signal.aborted) return false;
        this.#onAttempt('failed');
        const { sequence } = event;
        if (attempts === 1)
          this.#log.warn({ sequence, code: errorCodeOf(error) }, 'webhook does not take events');
        const asked = error instanceof CodedError ? (error.parameters.retryAfterSeconds ?? 0) * 1000 : 0;
        const wait = Math.min(Math.max(backoff, asked), LONGEST_BACKOFF_MILLISECONDS);
        await sleep(wait, undefined, { signal }).catch(() => undefined);
        backoff *= 2;
      }
    }
    return false;
  }
}
