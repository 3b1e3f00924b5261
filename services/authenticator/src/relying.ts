/**
 * A relying application of continuous authentication: a back end that learns decisions, by asking for them or by a
 * webhook, and keeps its key and the last event that it has acted on.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { PrivateFolder } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import {
  CODES,
  claimedSigner,
  clientClassOf,
  generatePrivateJwk,
  importSigningKey,
  PrivateJwk,
  type ServiceAddress,
  type SigningKey,
  type Thumbprint,
  thumbprintOf,
  verifyStatement,
} from '@eigenveil/wire';
import { type DecisionEvent, DecisionsRequest, EVENT, WebhookRequest } from './messages.ts';
import { RELYING_ROUTES } from './table.ts';

export { CodedError } from '@eigenveil/platform';
export { type ServiceAddress, Thumbprint } from '@eigenveil/wire';
export {
  type Decision,
  type DecisionEvent,
  DecisionsResponse,
  InvitationResponse,
  type Reason,
  UserId,
  UserStatus,
} from './messages.ts';

const POSITION = 'position.json';

/** The private folder of a relying application: its key, and the last event that it has acted on. */
export class RelyingHome {
  readonly #folder: PrivateFolder;

  /**
   * Takes the path of the folder, which is created when something is first written to it. All methods throw
   * ERR_RELYING_HOME when it cannot be used.
   */
  constructor(folder: string) {
    this.#folder = new PrivateFolder(folder, 'ERR_RELYING_HOME');
  }

  /** Returns the key by whose thumbprint the service knows the application, made on first use. */
  async signingKey(): Promise<SigningKey> {
    return importSigningKey(await this.#folder.madeOnce('signing-key.json', PrivateJwk, generatePrivateJwk));
  }

  /** Returns the sequence of the last event that was acted on, or 0. */
  async position(): Promise<number> {
    return (await this.#folder.read(POSITION, DecisionsRequest))?.after ?? 0;
  }

  async savePosition(after: number): Promise<void> {
    await this.#folder.write(POSITION, { after });
  }
}

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
 * A relying application: only it invites devices, learns decisions, confirms step-ups, unlocks and revokes.
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

export interface WebhookDelivery {
  /** The body as it arrived, not parsed. */
  readonly body: Uint8Array | string;
  /** The headers, with names in lower case, as Node.js gives them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface ReceivedEvent {
  readonly event: DecisionEvent;
  /**
   * `next`: act on it. `repeated`: it was acted on; answer 204 and do nothing more. `gap`: events before it
   * have not arrived, since they were lost or the service was restored; ask for the status of each user.
   */
  readonly order: 'next' | 'repeated' | 'gap';
}

/**
 * Returns the event of a webhook's request. Anybody who finds the webhook's address can send it anything: an
 * event that the pinned service has not signed is refused, and the sequence reveals an old event that is sent
 * again.
 * @param service thumbprint of the service's identity key, as "eigenveil-authenticator identity" prints it
 * @param after sequence of the last event that was acted on, or 0
 * @throws ERR_CONTENT_TYPE, ERR_BODY_MALFORMED, ERR_EVENT_INVALID: answer with their `status`, and the
 *   service tries again
 */
export async function receiveEvent(
  { body, headers }: WebhookDelivery,
  service: Thumbprint,
  after: number,
): Promise<ReceivedEvent> {
  if (!/^application\/json\b/i.test(String(headers['content-type'] ?? '')))
    throw new CodedError(CODES.ERR_CONTENT_TYPE, '"content-type" expected application/json');
  const request = WebhookRequest.safeParse(parsed(body));
  if (!request.success)
    throw new CodedError(CODES.ERR_BODY_MALFORMED, 'the body expected {"event": a signed event}');
  const jws = request.data.event;
  const key = claimedSigner(EVENT, jws);
  if ((await thumbprintOf(key)) !== service)
    throw new CodedError(CODES.ERR_EVENT_INVALID, '"event" expected the signature of the pinned service');
  const event = await verifyStatement(EVENT, jws, key);
  const ahead = event.sequence - after;
  return { event, order: ahead <= 0 ? 'repeated' : ahead === 1 ? 'next' : 'gap' };
}

function parsed(body: Uint8Array | string): unknown {
  try {
    return JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString());
  } catch {
    return undefined;
  }
}
