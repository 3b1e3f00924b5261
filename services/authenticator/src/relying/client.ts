/**
 * A relying application: only it invites devices, learns decisions, confirms step-ups, unlocks and revokes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError } from '@eigenveil/platform';
import { CODES, clientClassOf, type ServiceAddress, type SigningKey } from '@eigenveil/wire';
import type { DecisionEvent } from '../messages.ts';
import { RELYING_ROUTES } from '../table.ts';

export interface RelyingClientOptions {
  readonly service: ServiceAddress;
  /** The application's key; its thumbprint is in the service's setting `relyingApplications`. */
  readonly key: SigningKey;
  /** The time for which requests are repeated while the service cannot be reached, in milliseconds. */
  readonly patienceMilliseconds?: number;
}

export interface PastOptions {
  /** The sequence of the last event that was acted on, or 0. */
  readonly after: number;
  /** Ends it, also while it waits. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called where events are missing because they are no longer kept: ask for the status of each user. By
   * default this is an error.
   */
  readonly onMissed?: (() => void | Promise<void>) | undefined;
}

export interface FollowOptions extends PastOptions {
  /** The time to wait for the next request once all events have arrived. Default: 1000. */
  readonly everyMilliseconds?: number | undefined;
}

/**
 * @example
 * import { RelyingClient, RelyingHome, UserId } from '@eigenveil/authenticator/relying';
 *
 * const home = new RelyingHome('/var/lib/shop/authenticator');
 * const client = new RelyingClient({ service: { url: text }, key: await home.signingKey() });
 * const { token } = await client.invite({ body: { userId: UserId.parse('alice'), purpose: 'enrol' } });
 * for await (const { userId, decision, sequence } of client.follow({ after: await home.position() })) {
 *   console.log(userId, decision);
 *   await home.savePosition(sequence);
 * }
 */
export class RelyingClient extends clientClassOf(RELYING_ROUTES) {
  constructor({ service: { url, ca }, key, patienceMilliseconds = 0 }: RelyingClientOptions) {
    super({ url, ca, credentials: { kind: 'key', key }, patienceMilliseconds });
  }

  /**
   * Returns events in order, as they happen, until `signal` aborts. Note the sequence of each once you have
   * acted on it, and begin there after a restart: each event arrives at least once.
   * @throws ERR_EVENTS_MISSED, unless `onMissed` is given: an application that misses a lock must not go on
   *   as if there were none; and as decisions
   */
  async *follow(options: FollowOptions): AsyncGenerator<DecisionEvent> {
    const { everyMilliseconds = 1000, signal, onMissed = refuseGap } = options;
    let { after } = options;
    let told: number | undefined;
    const onMissedOnce = async () => {
      if (told !== after) await onMissed();
      told = after; // until there is another event, every answer says so
    };
    while (signal?.aborted !== true) {
      for await (const event of this.past({ after, signal, onMissed: onMissedOnce })) {
        yield event;
        after = event.sequence;
      }
      await sleep(everyMilliseconds, undefined, { signal }).catch(() => {}); // aborted
    }
  }

  /** Returns events in order, up to the last one that there is. */
  async *past({ after, signal, onMissed = refuseGap }: PastOptions): AsyncGenerator<DecisionEvent> {
    for (let [last, isEnd] = [after, false]; !isEnd && signal?.aborted !== true; ) {
      const { events, more, missed } = await this.decisions({ body: { after: last } });
      if (missed) await onMissed();
      for (const event of events) {
        yield event;
        last = event.sequence;
      }
      isEnd = !more;
    }
  }
}

function refuseGap(): never {
  throw new CodedError(
    CODES.ERR_EVENTS_MISSED,
    'events after the last one that is known are kept no longer: ask for the status of each user, then follow with "onMissed"',
  );
}
