/**
 * The CSP's HTTP interface: says who may ask for what, by the tables of its routes, and which methods of the
 * service answer.
 */
import { CodedError } from '@eigenveil/platform';
import { type Authenticator, ownerAuthenticator, ProofChecker, type Route, serve } from '@eigenveil/server';
import {
  CODES,
  OLDEST_SERVER_VERSION,
  type PublicJwk,
  requireVersion,
  type Thumbprint,
  VERSION_HEADER,
  type VerifiedProof,
} from '@eigenveil/wire';
import { CSP_DATA_USER_ROUTES } from '@eigenveil/wire/routes/csp/data-user';
import { CSP_OWNER_ROUTES } from '@eigenveil/wire/routes/csp/owner';
import type { CspService } from './service/service.ts';

export interface CspRoutes {
  readonly routes: readonly Route[];
  /** Authenticates the upgrade request of the two-party connection. */
  readonly dataUser: Authenticator<VerifiedProof>;
}

export function cspRoutes(options: {
  readonly service: CspService;
  /** The key of this CSP, which has signed the owners' tokens. */
  readonly identity: PublicJwk;
  readonly publicUrl: () => string;
  /** Thumbprints of the data users that may use this CSP. */
  readonly dataUsers: ReadonlySet<Thumbprint>;
}): CspRoutes {
  const { service, dataUsers } = options;
  const proofs = new ProofChecker('from the data user to the CSP', options.publicUrl);
  // Everybody with a token can fill this memory of used proofs. It is separate, so that the memory for data
  // users stays free.
  const fromOwner = 'from an owner to the CSP';
  const enrolmentProofs = new ProofChecker(fromOwner, options.publicUrl);

  const dataUser: Authenticator<VerifiedProof> = {
    challenge: 'DPoP',
    known: ({ thumbprint }) => ({ kind: 'thumbprint', id: thumbprint }),
    description: 'A proof of possession of the key of a registered data user.',
    authenticate: async (request) => {
      // The version is checked first, since in another version the proof may have another form.
      requireVersion(request.headersDistinct[VERSION_HEADER]?.join(), OLDEST_SERVER_VERSION, 'the data user');
      return proofs.check(request, undefined, async (proof) => {
        if (!dataUsers.has(proof.thumbprint))
          throw new CodedError(CODES.ERR_AUTH_FORBIDDEN, '"DPoP" expected the key of a registered data user');
        await service.requireDataUser(proof.thumbprint); // even if the settings name it
        return proof;
      });
    },
  };
  const enrolment: Authenticator<VerifiedProof> = {
    challenge: 'DPoP',
    description: 'A proof of possession of the key to be enrolled; the enrolment token is in the body.',
    authenticate: (request) => enrolmentProofs.verify(request, undefined),
  };
  const holder = ownerAuthenticator(() => options.identity, new ProofChecker(fromOwner, options.publicUrl));
  const owner: typeof holder = {
    ...holder,
    authenticate: async (request) => {
      const identity = await holder.authenticate(request);
      await service.requireOwner(identity.ownerId); // a token does not say whether its owner was revoked
      return identity;
    },
  };
  const ofOwners = serve(
    CSP_OWNER_ROUTES,
    { enrolment, owner },
    {
      async enrol({ identity, body }) {
        const enrolled = await service.enrol(body.enrolmentToken, identity.thumbprint);
        // Anybody can make a proof, so a proof is remembered only once its token is known to be valid. A
        // repeated request has changed nothing until here: the same key and token enrol the same owner.
        await enrolmentProofs.useUp(identity);
        return enrolled;
      },
      count: async ({ identity, body }) => ({ counter: await service.count(identity.ownerId, body) }),
      withdraw: ({ identity, params }) => service.withdraw(params.taskId, identity.ownerId),
    },
  );
  const ofDataUsers = serve(
    CSP_DATA_USER_ROUTES,
    { dataUser },
    {
      propose: async ({ identity, body }) => ({
        agreement: await service.agree(body.task, identity.publicJwk, body.refined),
      }),
      sendRecords: async ({ identity, params, body }) => ({
        verifiedOwners: await service.addRecords(params.taskId, identity.thumbprint, body.records),
      }),
      fixRecords: async ({ identity, params, body }) => ({
        verifiedOwners: await service.fix(params.taskId, identity.thumbprint, body),
      }),
      revocations: async () => ({ list: await service.revocations() }),
      async unblind({ identity: { thumbprint }, params: { taskId }, body }) {
        const blinded = await body(await service.expectedBytes(taskId, thumbprint));
        return { statement: await service.unblind(taskId, thumbprint, blinded) };
      },
      countersign: async ({ identity, params, body: { projectionDigest } }) => ({
        countersignature: await service.countersign(params.taskId, identity.thumbprint, projectionDigest),
      }),
      end: ({ identity, params }) => service.end(params.taskId, identity.thumbprint),
    },
  );
  return { routes: [...ofOwners, ...ofDataUsers], dataUser };
}
