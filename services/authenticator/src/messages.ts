/** What goes over the network between devices, relying application and authenticator: schemas, and the statement that a webhook carries. */
import { MAXIMUM_DIMENSIONS } from '@eigenveil/authentication';
import { Digest, Thumbprint } from '@eigenveil/wire';
import { z } from 'zod';

/** A user as the relying application calls it: opaque here. It stands in paths, so it needs no escape there. */
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

/** Of an event: they increase, with gaps where a database was restored. */
export const Sequence = z.int().min(1);

/** The most windows of one batch. */
export const WINDOWS_PER_BATCH = 100;
/** The most windows of one enrolment. */
export const WINDOWS_PER_ENROLMENT = 1000;
/** Events of one answer, at most. */
export const EVENTS_PER_PAGE = 500;
/** A finite number in JSON, at most, with the comma after it: −1.2345678901234567e−308. */
const NUMBER_BYTES = 25;
/** All of a request but its numbers. */
const FRAME_BYTES = 4096;

/** The longest body with so many windows. */
export function windowsBodyBytes(windows: number, components: number): number {
  return FRAME_BYTES + windows * (components * NUMBER_BYTES + 3);
}

/** Reduced rows in the device's frame, in the order of time. */
const Windows = z.array(z.array(z.number()).min(1).max(MAXIMUM_DIMENSIONS)).min(1);

// The relying application

export const InvitationRequest = z.strictObject({
  userId: UserId,
  /** `enrol` for a user without a device, `renew` for one that gets another frame, template or device. */
  purpose: z.enum(['enrol', 'renew']),
});
export type InvitationRequest = z.infer<typeof InvitationRequest>;

export const InvitationResponse = z.strictObject({
  /** 32 random bytes, base64url, for one enrolment; told this once. */
  token: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  expiresAt: z.iso.datetime(),
});
export type InvitationResponse = z.infer<typeof InvitationResponse>;

export const Decision = z.enum(['allow', 'step-up', 'lock']);
export type Decision = z.infer<typeof Decision>;

/** Why a decision is what it is from now on. */
export const Reason = z.enum([
  /** A device was enrolled for a user who had none. */
  'enrolled',
  /** Another template, and perhaps another device, in the place of the old one. */
  'renewed',
  /** The device has opened a session. */
  'session-opened',
  /** The device has ended its session, or has been silent for too long, or other sessions needed the room. */
  'session-ended',
  /** The relying application has confirmed a step-up. */
  'confirmed',
  /** Of the windows. */
  'behaviour',
  /** Too many step-ups because of windows in a day. */
  'attempts',
  /** The relying application has unlocked the user. */
  'unlocked',
  'revoked',
  /** The service was restarted, which ends every session. */
  'restarted',
  /** The service's database was put back from a backup: whoever was revoked or renewed since is not known. */
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
  /** Sequence of the last event that is known; 0 for none. */
  after: z.int().min(0),
});
export const DecisionsResponse = z.strictObject({
  /** In order. */
  events: z.array(DecisionEvent).max(EVENTS_PER_PAGE),
  /** Whether there are more behind them. */
  more: z.boolean(),
  /** Whether events after `after` are kept no longer, so that what is known of users may be out of date: ask for each. */
  missed: z.boolean(),
});
export type DecisionsResponse = z.infer<typeof DecisionsResponse>;

/** Names the event that is answered: the last of its user. */
export const EventAnswer = z.strictObject({ event: Sequence });

export const UserStatus = z.strictObject({
  userId: UserId,
  state: z.enum(['active', 'locked', 'revoked']),
  decision: Decision,
  /** Sequence of the last event; the one to answer. */
  event: Sequence,
  hasSession: z.boolean(),
  /** Of the key of the device. */
  device: Thumbprint,
  /** Of the last enrolment or renewal. */
  enrolledAt: z.iso.datetime(),
  projection: Digest,
  /** Whether the projection is not in use any more, so that no session can be opened. */
  renewalRequired: z.boolean(),
  /** Whether windows have been other than the template for long. */
  drifting: z.boolean(),
});
export type UserStatus = z.infer<typeof UserStatus>;

/** What a webhook gets: an event signed by the service's identity key. */
export const EVENT = {
  type: 'eigenveil-decision+jws',
  code: 'ERR_EVENT_INVALID',
  schema: DecisionEvent,
} as const;
/** The body of a webhook's request, which is to be answered with 204 once the event is stored. */
export const WebhookRequest = z.strictObject({ event: z.string().max(4096) });
export type WebhookRequest = z.infer<typeof WebhookRequest>;

// The device

export const EnrolmentRequest = z.strictObject({
  /** Of the projection that the windows are reduced by, as the operator has listed it. */
  projection: Digest,
  windows: Windows.max(WINDOWS_PER_ENROLMENT),
});
export type EnrolmentRequest = z.infer<typeof EnrolmentRequest>;

export const WindowsRequest = z.strictObject({
  /** Number of the first window in its session, which begins with 0. */
  first: z.int().min(0),
  windows: Windows.max(WINDOWS_PER_BATCH),
});
export type WindowsRequest = z.infer<typeof WindowsRequest>;
