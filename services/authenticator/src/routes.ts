/** The authenticator's HTTP interface: who may ask for what. */
import { CodedError } from '@eigenveil/platform';
import { type Authenticator, ProofChecker, proofTokenOf, type Route, routesWith } from '@eigenveil/server';
import { CODES, type Thumbprint, type VerifiedProof } from '@eigenveil/wire';
import { z } from 'zod';
import {
  DecisionsRequest,
  DecisionsResponse,
  EnrolmentRequest,
  EnrolmentResponse,
  EventAnswer,
  InvitationRequest,
  InvitationResponse,
  PATHS,
  SessionId,
  SessionResponse,
  UserId,
  UserStatus,
  WINDOWS_PER_BATCH,
  WINDOWS_PER_ENROLMENT,
  WindowsRequest,
  windowsBodyBytes,
} from './messages.ts';
import type { AuthenticatorService } from './service/service.ts';

const SMALL_BODY_BYTES = 4096;

const UserParams = z.strictObject({ userId: UserId });
const SessionParams = z.strictObject({ sessionId: SessionId });

/** A device with an invitation that it may use. */
interface Invited {
  readonly token: string;
  readonly thumbprint: Thumbprint;
}

export function authenticatorRoutes(options: {
  readonly service: AuthenticatorService;
  readonly publicUrl: () => string;
  /** Thumbprints of the relying application's keys. */
  readonly relyingApplications: ReadonlySet<Thumbprint>;
  /** The most components that a window can have. */
  readonly components: number;
}): readonly Route[] {
  const { service, relyingApplications, publicUrl, components } = options;
  // Each has a memory of used proofs of its own, so that none is crowded out by the others.
  const relyingProofs = new ProofChecker('from the relying application to the authenticator', publicUrl);
  const deviceProofs = new ProofChecker('from a device to the authenticator', publicUrl);
  const invitedProofs = new ProofChecker('from an invited device to the authenticator', publicUrl);

  const relyingApplication: Authenticator<VerifiedProof> = {
    challenge: 'DPoP',
    known: ({ thumbprint }) => ({ kind: 'thumbprint', id: thumbprint }),
    description: 'A proof of possession of a key of the relying application.',
    authenticate: (request) =>
      relyingProofs.check(request, undefined, (proof) => {
        if (relyingApplications.has(proof.thumbprint)) return proof;
        throw new CodedError(
          CODES.ERR_AUTH_FORBIDDEN,
          '"DPoP" expected a key that the operator has named in relyingApplications: show the operator its thumbprint',
        );
      }),
  };
  const device: Authenticator<Thumbprint> = {
    challenge: 'DPoP',
    description: 'A proof of possession of the key of an enrolled device.',
    authenticate: (request) =>
      deviceProofs.check(request, undefined, ({ thumbprint }) => {
        service.userOf(thumbprint);
        return thumbprint;
      }),
  };
  const invited: Authenticator<Invited> = {
    challenge: 'DPoP',
    description: "An invitation's token and a proof of possession of the key to be enrolled.",
    authenticate: (request) => {
      const token = proofTokenOf(request, "an invitation's token");
      return invitedProofs.check(request, token, ({ thumbprint }) => {
        service.checkInvited(token, thumbprint);
        return { token, thumbprint };
      });
    },
  };
  const route = routesWith({ relyingApplication, device, invited });

  const routes = [
    route({
      method: 'post',
      path: PATHS.invitations,
      summary: "Invite a device to become a user's, in the place of an earlier invitation",
      auth: 'relyingApplication',
      body: { json: InvitationRequest, limitBytes: SMALL_BODY_BYTES },
      response: {
        status: 201,
        description: 'The token, which is told this once',
        schema: InvitationResponse,
      },
      problems: ['ERR_USER_CONFLICT', 'ERR_USER_UNKNOWN'],
      handler: ({ body }) => service.invite(body),
    }),
    route({
      method: 'post',
      path: PATHS.decisions,
      summary: 'Read decisions in order, from the one after a sequence',
      auth: 'relyingApplication',
      body: { json: DecisionsRequest, limitBytes: SMALL_BODY_BYTES },
      response: { status: 200, description: 'A page of events', schema: DecisionsResponse },
      problems: ['ERR_EVENT_UNKNOWN'],
      handler: ({ body }) => service.decisions(body.after),
    }),
    route({
      method: 'get',
      path: '/users/:userId',
      summary: 'How a user is at present',
      auth: 'relyingApplication',
      params: UserParams,
      response: { status: 200, description: 'State, decision, device and projection', schema: UserStatus },
      problems: ['ERR_USER_UNKNOWN'],
      handler: ({ params }) => service.status(params.userId),
    }),
    route({
      method: 'post',
      path: '/users/:userId/step-ups',
      summary: 'Confirm that the user has proved who they are at a step-up',
      auth: 'relyingApplication',
      params: UserParams,
      body: { json: EventAnswer, limitBytes: SMALL_BODY_BYTES },
      response: { status: 204, description: 'The user is at allow' },
      problems: ['ERR_USER_UNKNOWN', 'ERR_EVENT_STALE'],
      handler: ({ params, body }) => service.confirm(params.userId, body.event),
    }),
    route({
      method: 'post',
      path: '/users/:userId/unlocks',
      summary: 'End a lock; the user is at step-up then',
      auth: 'relyingApplication',
      params: UserParams,
      body: { json: EventAnswer, limitBytes: SMALL_BODY_BYTES },
      response: { status: 204, description: 'The user is not locked by this event' },
      problems: ['ERR_USER_UNKNOWN', 'ERR_EVENT_STALE'],
      handler: ({ params, body }) => service.unlock(params.userId, body.event),
    }),
    route({
      method: 'delete',
      path: '/users/:userId',
      summary:
        'Revoke a user: the template is destroyed, the session ends, the device is not admitted any more',
      auth: 'relyingApplication',
      params: UserParams,
      response: { status: 204, description: 'The user is revoked' },
      problems: ['ERR_USER_UNKNOWN'],
      handler: ({ params }) => service.revoke(params.userId),
    }),
    route({
      method: 'post',
      path: PATHS.enrolments,
      summary: "Make the device the user's of an invitation, with a template of these windows",
      auth: 'invited',
      body: { json: EnrolmentRequest, limitBytes: windowsBodyBytes(WINDOWS_PER_ENROLMENT, components) },
      response: { status: 201, description: 'Whose device it is', schema: EnrolmentResponse },
      problems: [
        'ERR_ENROLMENT_TOKEN',
        'ERR_PROJECTION_UNLISTED',
        'ERR_WINDOW_INVALID',
        'ERR_USER_CONFLICT',
        'ERR_USER_UNKNOWN',
        'ERR_DEVICE_CONFLICT',
      ],
      handler: ({ identity, body }) => ({
        userId: service.enrol(identity.token, identity.thumbprint, body),
      }),
    }),
    route({
      method: 'post',
      path: PATHS.sessions,
      summary: "Open a session in the place of the user's last one; it begins at step-up",
      auth: 'device',
      response: { status: 201, description: 'The id of the session', schema: SessionResponse },
      problems: ['ERR_DEVICE_REVOKED', 'ERR_RENEWAL_REQUIRED'],
      handler: ({ identity }) => ({ sessionId: service.openSession(identity) }),
    }),
    route({
      method: 'post',
      path: '/sessions/:sessionId/windows',
      summary:
        'Hand in the next windows of a session, each once and in order; the answer tells nothing of a decision',
      auth: 'device',
      params: SessionParams,
      body: { json: WindowsRequest, limitBytes: windowsBodyBytes(WINDOWS_PER_BATCH, components) },
      response: { status: 204, description: 'The windows were taken' },
      problems: ['ERR_DEVICE_REVOKED', 'ERR_SESSION_UNKNOWN', 'ERR_WINDOW_ORDER', 'ERR_WINDOW_INVALID'],
      handler: ({ identity, params, body }) => service.observe(identity, params.sessionId, body),
    }),
    route({
      method: 'delete',
      path: '/sessions/:sessionId',
      summary: 'End a session',
      auth: 'device',
      params: SessionParams,
      response: { status: 204, description: 'It has ended' },
      problems: ['ERR_DEVICE_REVOKED', 'ERR_SESSION_UNKNOWN'],
      handler: ({ identity, params }) => service.endSession(identity, params.sessionId),
    }),
  ];
  // All of them need the database.
  return routes.map((it) => ({ ...it, problems: [...it.problems, 'ERR_DATABASE_UNREACHABLE' as const] }));
}
