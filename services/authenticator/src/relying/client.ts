/** A relying application: it alone invites devices, is told decisions, confirms step-ups, unlocks and revokes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError } from '@eigenveil/platform';
import { CODES, type ServiceAddress, ServiceClient, type SigningKey } from '@eigenveil/wire';
import { z } from 'zod';
import {
  type DecisionEvent,
  DecisionsResponse,
  type InvitationRequest,
  InvitationResponse,
  PATHS,
  type UserId,
  UserStatus,
} from '../messages.ts';

export interface RelyingClientOptions {
  readonly service: ServiceAddress;
  /** Its thumbprint is in the service's setting `relyingApplications`. */
  readonly key: SigningKey;
  /** How long to go on trying while the service cannot be reached, in milliseconds. */
  readonly patienceMilliseconds?: number;
}

export interface PastOptions {
  /** Sequence of the last event that was acted on; 0 for none. */
  readonly after: number;
  /** Ends it, also while it waits. */
  readonly signal?: AbortSignal | undefined;
  /** Called where events are missing, which are kept no longer: ask for the status of each user. Default: it is an error. */
  readonly onMissed?: (() => void | Promise<void>) | undefined;
}

export interface FollowOptions extends PastOptions {
  /** How long to wait before the next question once all events have come. Default: 1000. */
  readonly everyMilliseconds?: number | undefined;
}

/**
 * @example
 * import { RelyingClient, RelyingHome, UserId } from '@eigenveil/authenticator/relying';
 *
 * const home = new RelyingHome('/var/lib/shop/authenticator');
 * const client = new RelyingClient({ service: { url: text }, key: await home.signingKey() });
 * const { token } = await client.invite(UserId.parse('alice'), 'enrol');
 * for await (const { userId, decision, sequence } of client.follow({ after: await home.position() })) {
 *   console.log(userId, decision);
 *   await home.savePosition(sequence);
 * }
 */
export class RelyingClient {
  readonly #client: ServiceClient;

  constructor({ service: { url, ca }, key, patienceMilliseconds = 0 }: RelyingClientOptions) {
    this.#client = new ServiceClient({ url, ca, credentials: { kind: 'key', key }, patienceMilliseconds });
  }

  /**
   * A one-time invitation for a device of this user, to be handed to it over a channel that is trusted.
   * @throws ERR_USER_CONFLICT when the user is enrolled already, or to be renewed and revoked; ERR_USER_UNKNOWN when there is none to be renewed
   */
  invite(userId: UserId, purpose: InvitationRequest['purpose']): Promise<InvitationResponse> {
    return this.#client.send({
      method: 'POST',
      path: PATHS.invitations,
      json: { userId, purpose },
      response: InvitationResponse,
    });
  }

  /** What the service knows of a user. @throws ERR_USER_UNKNOWN */
  user(userId: UserId): Promise<UserStatus> {
    return this.#client.send({ method: 'GET', path: PATHS.user(userId), response: UserStatus });
  }

  /** Events behind this sequence, at most one page of them. @throws ERR_EVENT_UNKNOWN when the service has not come that far */
  decisions(after: number): Promise<DecisionsResponse> {
    return this.#client.send({
      method: 'POST',
      path: PATHS.decisions,
      json: { after },
      response: DecisionsResponse,
    });
  }

  /**
   * Events in order, as they come, until `signal` ends it. Note the sequence of each once you have acted on it, and begin there after a restart:
   * each comes at least once.
   * @throws ERR_EVENTS_MISSED, unless `onMissed` is given: whoever misses a lock must not go on as if there were none; and as decisions
   */
  async *follow(options: FollowOptions): AsyncGenerator<DecisionEvent> {
    const { everyMilliseconds = 1000, signal, onMissed = refuseGap } = options;
    let { after } = options;
    let told: number | undefined;
    const onMissedOnce = async () => {
      if (told !== after) await onMissed();
      told = after; // the service says so until there is another event
    };
    while (signal?.aborted !== true) {
      for await (const event of this.past({ after, signal, onMissed: onMissedOnce })) {
        yield event;
        after = event.sequence;
      }
      await sleep(everyMilliseconds, undefined, { signal }).catch(() => {}); // aborted
    }
  }

  /** The same up to the last event that there is. */
  async *past({ after, signal, onMissed = refuseGap }: PastOptions): AsyncGenerator<DecisionEvent> {
    for (let [last, isEnd] = [after, false]; !isEnd && signal?.aborted !== true; ) {
      const { events, more, missed } = await this.decisions(last);
      if (missed) await onMissed();
      for (const event of events) {
        yield event;
        last = event.sequence;
      }
      isEnd = !more;
    }
  }

  /**
   * The user has proved who they are in another way, after `event`, the one that they wait at.
   * @throws ERR_USER_UNKNOWN; ERR_EVENT_STALE when the user does not wait at it any more
   */
  confirm(userId: UserId, event: number): Promise<void> {
    return this.#answer(PATHS.stepUps(userId), event);
  }

  /** Ends a lock, after `event`, the one that locked. The user is at a step-up then. @throws as confirm */
  unlock(userId: UserId, event: number): Promise<void> {
    return this.#answer(PATHS.unlocks(userId), event);
  }

  /** Deletes the user's template for good, and refuses the device. @throws ERR_USER_UNKNOWN */
  revoke(userId: UserId): Promise<void> {
    return this.#client.send({ method: 'DELETE', path: PATHS.user(userId), response: z.undefined() });
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  #answer(path: string, event: number): Promise<void> {
    return this.#client.send({ method: 'POST', path, json: { event }, response: z.undefined() });
  }
}

function refuseGap(): never {
  throw new CodedError(
    CODES.ERR_EVENTS_MISSED,
    'events after the last one that is known are kept no longer: ask for the status of each user, then follow with "onMissed"',
  );
}
