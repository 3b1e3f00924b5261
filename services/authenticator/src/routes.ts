/**
 * The authenticator's HTTP interface: says who may ask for what, by the tables of its routes, and which
 * methods of the service answer.
 */
import { CodedError } from '@eigenveil/platform';
import { type Authenticator, ProofChecker, proofTokenOf, type Route, serve } from '@eigenveil/server';
import { CODES, type Thumbprint, type VerifiedProof } from '@eigenveil/wire';
import { WINDOWS_PER_BATCH, WINDOWS_PER_ENROLMENT, windowsBodyBytes } from './messages.ts';
import type { AuthenticatorService } from './service/service.ts';
import { DEVICE_ROUTES, RELYING_ROUTES } from './table.ts';

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
  // Each has its own memory of used proofs, so that no other can fill it.
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
  /** The limit is lower than the table's: windows of the projections in use are at most this long. */
  const limited = <Entry extends { readonly body: object }>(entry: Entry, windows: number) => ({
    ...entry,
    body: { ...entry.body, limitBytes: windowsBodyBytes(windows, components) },
  });
  const ofDevices = {
    ...DEVICE_ROUTES,
    enrol: limited(DEVICE_ROUTES.enrol, WINDOWS_PER_ENROLMENT),
    sendWindows: limited(DEVICE_ROUTES.sendWindows, WINDOWS_PER_BATCH),
  };
  return [
    ...serve(
      RELYING_ROUTES,
      { relyingApplication },
      {
        invite: ({ body }) => service.invite(body),
        decisions: ({ body }) => service.decisions(body.after),
        user: ({ params }) => service.status(params.userId),
        confirm: ({ params, body }) => service.confirm(params.userId, body.event),
        unlock: ({ params, body }) => service.unlock(params.userId, body.event),
        revoke: ({ params }) => service.revoke(params.userId),
      },
    ),
    ...serve(
      ofDevices,
      { device, invited },
      {
        enrol: ({ identity, body }) => ({
          userId: service.enrol(identity.token, identity.thumbprint, body),
        }),
        openSession: ({ identity }) => ({ sessionId: service.openSession(identity) }),
        sendWindows: ({ identity, params, body }) => service.observe(identity, params.sessionId, body),
        endSession: ({ identity, params }) => service.endSession(identity, params.sessionId),
      },
    ),
  ];
}
