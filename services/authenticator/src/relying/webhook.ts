/**
 * Handles a webhook's request in a relying application: it takes only events of the pinned service, in order,
 * and each once.
 */
import { CodedError } from '@eigenveil/platform';
import { CODES, claimedSigner, type Thumbprint, thumbprintOf, verifyStatement } from '@eigenveil/wire';
import { type DecisionEvent, EVENT, WebhookRequest } from '../messages.ts';

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
