/** Routes of the authenticator for the relying application and for devices. */
import { MAXIMUM_DIMENSIONS } from '@eigenveil/authentication';
import type { RouteTable } from '@eigenveil/wire/routes';
import { z } from 'zod';
import {
  DecisionsRequest,
  DecisionsResponse,
  EnrolmentRequest,
  EventAnswer,
  InvitationRequest,
  InvitationResponse,
  SessionId,
  UserId,
  UserStatus,
  WINDOWS_PER_BATCH,
  WINDOWS_PER_ENROLMENT,
  WindowsRequest,
  windowsBodyBytes,
} from './messages.ts';

const SMALL_BODY_BYTES = 4096;

const UserParams = z.strictObject({ userId: UserId });
const SessionParams = z.strictObject({ sessionId: SessionId });

/** The error of every route when the database cannot be reached. */
const TO_ALL = ['ERR_DATABASE_UNREACHABLE'] as const;

/**
 * Routes for the relying application: only it invites devices, learns decisions, confirms step-ups, unlocks
 * and revokes.
 */
export const RELYING_ROUTES = {
  invite: {
    method: 'post',
    path: '/invitations',
    summary: "Invite a device to become a user's; it replaces an earlier invitation",
    auth: 'relyingApplication',
    body: { json: InvitationRequest, limitBytes: SMALL_BODY_BYTES },
    response: { status: 201, description: 'The token, which is told this once', schema: InvitationResponse },
    // `purpose` is enrol for a user who is enrolled, or renew for one who was revoked or never was enrolled.
    problems: ['ERR_USER_CONFLICT', 'ERR_USER_UNKNOWN', ...TO_ALL],
  },
  decisions: {
    method: 'post',
    path: '/decisions',
    summary: 'Read decisions in order, from the one after a sequence',
    auth: 'relyingApplication',
    body: { json: DecisionsRequest, limitBytes: SMALL_BODY_BYTES },
    response: { status: 200, description: 'A page of events', schema: DecisionsResponse },
    problems: ['ERR_EVENT_UNKNOWN', ...TO_ALL], // the service has not made that event yet
  },
  user: {
    method: 'get',
    path: '/users/:userId',
    summary: 'How a user is at present',
    auth: 'relyingApplication',
    params: UserParams,
    response: { status: 200, description: 'State, decision, device and projection', schema: UserStatus },
    problems: ['ERR_USER_UNKNOWN', ...TO_ALL],
  },
  confirm: {
    method: 'post',
    path: '/users/:userId/step-ups',
    summary: 'Confirm that the user has proved who they are at a step-up',
    auth: 'relyingApplication',
    params: UserParams,
    body: { json: EventAnswer, limitBytes: SMALL_BODY_BYTES },
    response: { status: 204, description: 'The user is at allow' },
    problems: ['ERR_USER_UNKNOWN', 'ERR_EVENT_STALE', ...TO_ALL], // the user no longer waits at that event
  },
  unlock: {
    method: 'post',
    path: '/users/:userId/unlocks',
    summary: 'End a lock; the user is at step-up then',
    auth: 'relyingApplication',
    params: UserParams,
    body: { json: EventAnswer, limitBytes: SMALL_BODY_BYTES },
    response: { status: 204, description: 'The user is not locked by this event' },
    problems: ['ERR_USER_UNKNOWN', 'ERR_EVENT_STALE', ...TO_ALL],
  },
  revoke: {
    method: 'delete',
    path: '/users/:userId',
    summary:
      'Revoke a user: the template is destroyed, the session ends, the device is not admitted any more',
    auth: 'relyingApplication',
    params: UserParams,
    response: { status: 204, description: 'The user is revoked' },
    problems: ['ERR_USER_UNKNOWN', ...TO_ALL],
  },
} as const satisfies RouteTable;

/** Routes for devices, which learn neither decisions nor scores. */
export const DEVICE_ROUTES = {
  enrol: {
    method: 'post',
    path: '/enrolments',
    summary: "Make the device the user's of an invitation, with a template of these windows",
    // The token comes with the proof, as `Authorization: DPoP <token>`: nobody without one can send a body.
    auth: 'invited',
    body: {
      json: EnrolmentRequest,
      limitBytes: windowsBodyBytes(WINDOWS_PER_ENROLMENT, MAXIMUM_DIMENSIONS),
    },
    response: {
      status: 201,
      description: 'Whose device it is',
      schema: z.strictObject({ userId: UserId }),
    },
    problems: [
      'ERR_ENROLMENT_TOKEN',
      'ERR_PROJECTION_UNLISTED',
      'ERR_WINDOW_INVALID',
      'ERR_USER_CONFLICT',
      'ERR_USER_UNKNOWN',
      'ERR_DEVICE_CONFLICT',
      ...TO_ALL,
    ],
  },
  openSession: {
    method: 'post',
    path: '/sessions',
    summary: "Open a session, which replaces the user's last one and begins at step-up",
    auth: 'device',
    response: {
      status: 201,
      description: 'The id of the session',
      schema: z.strictObject({ sessionId: SessionId }),
    },
    problems: ['ERR_DEVICE_REVOKED', 'ERR_RENEWAL_REQUIRED', ...TO_ALL],
  },
  sendWindows: {
    method: 'post',
    path: '/sessions/:sessionId/windows',
    summary:
      'Hand in the next windows of a session, each once and in order; the answer says nothing about a decision',
    auth: 'device',
    params: SessionParams,
    body: { json: WindowsRequest, limitBytes: windowsBodyBytes(WINDOWS_PER_BATCH, MAXIMUM_DIMENSIONS) },
    response: { status: 204, description: 'The windows were taken' },
    problems: [
      'ERR_DEVICE_REVOKED',
      'ERR_SESSION_UNKNOWN',
      'ERR_WINDOW_ORDER',
      'ERR_WINDOW_INVALID',
      ...TO_ALL,
    ],
  },
  endSession: {
    method: 'delete',
    path: '/sessions/:sessionId',
    summary: 'End a session',
    auth: 'device',
    params: SessionParams,
    response: { status: 204, description: 'It has ended' },
    problems: ['ERR_DEVICE_REVOKED', 'ERR_SESSION_UNKNOWN', ...TO_ALL],
  },
} as const satisfies RouteTable;
