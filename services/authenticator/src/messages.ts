/**
 * The messages between devices, relying application and authenticator: their schemas, and the statement that
 * a webhook carries.
 */
import { MAXIMUM_DIMENSIONS } from '@eigenveil/authentication';
import { Digest, Thumbprint } from '@eigenveil/wire';
import { z } from 'zod';

/** The relying application's name for a user, which means nothing here. It needs no escape in paths. */
export const UserId = z
  .string()
  .regex(/^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,63}$/)
  .brand('UserId')
  .meta({ description: 'Chosen by the relying application; opaque to the authenticator.' });
export type UserId = z.infer<typeof UserId>;

/** 128 random bits. */
export const SessionId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{22}$/)
  .brand('SessionId');
export type SessionId = z.infer<typeof SessionId>;

/** The number of an event: numbers increase, with gaps where a database was restored. */
const Sequence = z.int().min(1);

/** The most windows of one batch. */
export const WINDOWS_PER_BATCH = 100;
/** The most windows of one enrolment. */
export const WINDOWS_PER_ENROLMENT = 1000;
/** The most events of one answer. */
export const EVENTS_PER_PAGE = 500;
/** The most bytes of a finite number in JSON, with the comma after it: −1.2345678901234567e−308. */
const NUMBER_BYTES = 25;
/** The most bytes of a request without its numbers. */
const FRAME_BYTES = 4096;

/** Returns the most bytes of a body with this number of windows. */
export function windowsBodyBytes(windows: number, components: number): number {
  return FRAME_BYTES + windows * (components * NUMBER_BYTES + 3);
}

/** Reduced rows in the device's frame, in the order of time. */
const Windows = z.array(z.array(z.number()).min(1).max(MAXIMUM_DIMENSIONS)).min(1);

// Messages of the relying application

export const InvitationRequest = z.strictObject({
  userId: UserId,
  /** `enrol` is for a user without a device, `renew` for one that gets another frame, template or device. */
  purpose: z.enum(['enrol', 'renew']),
});
export type InvitationRequest = z.infer<typeof InvitationRequest>;

export const InvitationResponse = z.strictObject({
  /** The token for one enrolment: 32 random bytes in base64url, which no other answer repeats. */
  token: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  expiresAt: z.iso.datetime(),
});
export type InvitationResponse = z.infer<typeof InvitationResponse>;

export const Decision = z.enum(['allow', 'step-up', 'lock']);
export type Decision = z.infer<typeof Decision>;

/** The event that has caused a decision. */
export const Reason = z.enum([
  /** A device was enrolled for a user who had none. */
  'enrolled',
  /** Another template, and perhaps another device, has replaced the old one. */
  'renewed',
  /** The device has opened a session. */
  'session-opened',
  /** The device has ended its session, or has been silent for too long, or other sessions needed the room. */
  'session-ended',
  /** The relying application has confirmed a step-up. */
  'confirmed',
  /** Windows have changed the decision. */
  'behaviour',
  /** Windows have caused too many step-ups in a day. */
  'attempts',
  /** The relying application has unlocked the user. */
  'unlocked',
  'revoked',
  /** The service was restarted, which ends every session. */
  'restarted',
  /** The service's database was put back from a backup: users may have been revoked or renewed since. */
  'restored',
]);
export type Reason = z.infer<typeof Reason>;

/** A decision about a user that holds until the next event of that user. */
export const DecisionEvent = z.strictObject({
  sequence: Sequence,
  userId: UserId,
  decision: Decision,
  reason: Reason,
  time: z.iso.datetime(),
});
export type DecisionEvent = z.infer<typeof DecisionEvent>;

export const DecisionsRequest = z.strictObject({
  /** The sequence of the last known event, or 0. */
  after: z.int().min(0),
});
export const DecisionsResponse = z.strictObject({
  /** A page of events, in order. */
  events: z.array(DecisionEvent).max(EVENTS_PER_PAGE),
  /** True if more events follow these. */
  more: z.boolean(),
  /**
   * True if events after `after` are no longer kept, so that decisions known about users may be out of date:
   * ask for each user.
   */
  missed: z.boolean(),
});
export type DecisionsResponse = z.infer<typeof DecisionsResponse>;

/** Names the event that is answered, which must be the last of its user. */
export const EventAnswer = z.strictObject({ event: Sequence });

export const UserStatus = z.strictObject({
  userId: UserId,
  state: z.enum(['active', 'locked', 'revoked']),
  decision: Decision,
  /** The sequence of the user's last event, which is the one to answer. */
  event: Sequence,
  hasSession: z.boolean(),
  /** The thumbprint of the device's key. */
  device: Thumbprint,
  /** The time of the last enrolment or renewal. */
  enrolledAt: z.iso.datetime(),
  projection: Digest,
  /** True if the projection is no longer in use, so that no session can be opened. */
  renewalRequired: z.boolean(),
  /** True if windows have differed from the template for long. */
  drifting: z.boolean(),
});
export type UserStatus = z.infer<typeof UserStatus>;

/** The statement that a webhook gets: an event signed by the service's identity key. */
export const EVENT = {
  type: 'eigenveil-decision+jws',
  code: 'ERR_EVENT_INVALID',
  schema: DecisionEvent,
} as const;
/** The body of a webhook's request. The receiver answers with 204 once it has stored the event. */
export const WebhookRequest = z.strictObject({ event: z.string().max(4096) });
export type WebhookRequest = z.infer<typeof WebhookRequest>;

// Messages of devices

export const EnrolmentRequest = z.strictObject({
  /** The digest of the projection that reduces the windows, as the operator has listed it. */
  projection: Digest,
  windows: Windows.max(WINDOWS_PER_ENROLMENT),
});
export type EnrolmentRequest = z.infer<typeof EnrolmentRequest>;

export const WindowsRequest = z.strictObject({
  /** The number of the first window in its session, which begins with 0. */
  first: z.int().min(0),
  windows: Windows.max(WINDOWS_PER_BATCH),
});
export type WindowsRequest = z.infer<typeof WindowsRequest>;
