/** The CSP's HTTP interface: who may ask for what. */
import { CodedError } from '@eigenveil/platform';
import {
  type Authenticator,
  ownerAuthenticator,
  ProofChecker,
  type Route,
  routesWith,
} from '@eigenveil/server';
import { TaskId } from '@eigenveil/task';
import {
  AgreementResponse,
  CODES,
  CounterRequest,
  CounterResponse,
  CountersignatureRequest,
  CountersignatureResponse,
  EnrolmentRequest,
  EnrolmentResponse,
  FixationRequest,
  FixationResponse,
  OLDEST_SERVER_VERSION,
  type PublicJwk,
  RECORDS_PER_REQUEST,
  RecordsRequest,
  RecordsResponse,
  RevocationsResponse,
  requireVersion,
  TASK_REQUEST_BYTES,
  TaskRequest,
  type Thumbprint,
  UnblindingResponse,
  VERSION_HEADER,
  type VerifiedProof,
} from '@eigenveil/wire';
import { z } from 'zod';
import type { CspService } from './service/service.ts';

const SMALL_BODY_BYTES = 4096;
const RECORDS_BODY_BYTES = RECORDS_PER_REQUEST * 2200;

const TaskParams = z.strictObject({ taskId: TaskId });

export interface CspRoutes {
  readonly routes: readonly Route[];
  /** For the upgrade request of the two-party connection. */
  readonly dataUser: Authenticator<VerifiedProof>;
}

export function cspRoutes(options: {
  readonly service: CspService;
  /** Of this CSP, which has signed the owners' tokens. */
  readonly identity: PublicJwk;
  readonly publicUrl: () => string;
  /** Thumbprints of the data users that may use this CSP. */
  readonly dataUsers: ReadonlySet<Thumbprint>;
}): CspRoutes {
  const { service, dataUsers } = options;
  const proofs = new ProofChecker('from the data user to the CSP', options.publicUrl);
  // Whoever holds a token can fill this memory; it is one of its own, so that the data users' is not crowded out.
  const fromOwner = 'from an owner to the CSP';
  const enrolmentProofs = new ProofChecker(fromOwner, options.publicUrl);

  const dataUser: Authenticator<VerifiedProof> = {
    challenge: 'DPoP',
    known: ({ thumbprint }) => ({ kind: 'thumbprint', id: thumbprint }),
    description: 'A proof of possession of the key of a registered data user.',
    authenticate: async (request) => {
      // First of all: who speaks another version may prove who it is otherwise, too.
      requireVersion(request.headersDistinct[VERSION_HEADER]?.join(), OLDEST_SERVER_VERSION, 'the data user');
      return proofs.check(request, undefined, async (proof) => {
        if (!dataUsers.has(proof.thumbprint))
          throw new CodedError(CODES.ERR_AUTH_FORBIDDEN, '"DPoP" expected the key of a registered data user');
        await service.requireDataUser(proof.thumbprint); // whatever the settings say
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
      await service.requireOwner(identity.ownerId); // its token says nothing of that
      return identity;
    },
  };
  const route = routesWith({ dataUser, enrolment, owner });

  const routes = [
    route({
      method: 'post',
      path: '/enrolments',
      summary: 'Enrol a data owner with a one-time token',
      auth: 'enrolment',
      fromPages: true,
      body: { json: EnrolmentRequest, limitBytes: SMALL_BODY_BYTES },
      response: { status: 200, description: 'Owner id and owner token', schema: EnrolmentResponse },
      problems: ['ERR_ENROLMENT_TOKEN', 'ERR_OWNER_REVOKED'],
      handler: async ({ identity, body }) => {
        const enrolled = await service.enrol(body.enrolmentToken, identity.thumbprint);
        // Anybody can make a proof, so none is remembered before its token is known to be valid. Till here a repeated request
        // has changed nothing: the same key and token enrol the same owner.
        await enrolmentProofs.useUp(identity);
        return enrolled;
      },
    }),
    route({
      method: 'post',
      path: '/owners/counter',
      summary: "Count the next entry of the owner's ledger, and sign what is counted then",
      auth: 'owner',
      fromPages: true,
      body: { json: CounterRequest, limitBytes: SMALL_BODY_BYTES },
      response: { status: 200, description: 'What is counted, as JWS', schema: CounterResponse },
      problems: ['ERR_OWNER_REVOKED'],
      handler: async ({ identity, body }) => ({ counter: await service.count(identity.ownerId, body) }),
    }),
    route({
      method: 'post',
      path: '/tasks',
      summary: 'Propose a task; the CSP makes its Paillier key and signs both',
      auth: 'dataUser',
      body: { json: TaskRequest, limitBytes: TASK_REQUEST_BYTES },
      response: { status: 200, description: 'The signed agreement', schema: AgreementResponse },
      problems: [
        'ERR_TASK_INVALID',
        'ERR_TASK_REFUSED',
        'ERR_SIMULATED_REFUSED',
        'ERR_TASK_CONFLICT',
        'ERR_TASK_CLOSED',
        'ERR_QUOTA',
        'ERR_BASIS_INVALID',
        'ERR_AGREEMENT_INVALID',
        'ERR_PROJECTION_INVALID',
        'ERR_PROVENANCE_INVALID',
        'ERR_KEY_TOO_SHORT',
        'ERR_TOO_MANY_COMPONENTS',
        'ERR_FULL_RANK',
        'ERR_PACKING_TOO_NARROW',
        'ERR_DP_PARAMETER',
      ],
      handler: async ({ identity, body }) => ({
        agreement: await service.agree(body.task, identity.publicJwk, body.refined),
      }),
    }),
    route({
      method: 'post',
      path: '/tasks/:taskId/records',
      summary: 'Hand in owner-signed records, which are verified and counted',
      auth: 'dataUser',
      params: TaskParams,
      body: { json: RecordsRequest, limitBytes: RECORDS_BODY_BYTES },
      response: { status: 200, description: 'How many owners are verified', schema: RecordsResponse },
      problems: [
        'ERR_TASK_UNKNOWN',
        'ERR_TASK_MISMATCH',
        'ERR_DATABASE_ALTERED',
        'ERR_TASK_CLOSED',
        'ERR_TASK_FULL',
        'ERR_RECORD_INVALID',
        'ERR_OWNER_REVOKED',
        'ERR_CONTRIBUTION_CONFLICT',
      ],
      handler: async ({ identity, params, body }) => ({
        verifiedOwners: await service.addRecords(params.taskId, identity.thumbprint, body.records),
      }),
    }),
    route({
      method: 'post',
      path: '/tasks/:taskId/records/fixation',
      summary: 'Fix the task to its set of records; no revocation or withdrawal changes it from then on',
      auth: 'dataUser',
      params: TaskParams,
      body: { json: FixationRequest, limitBytes: SMALL_BODY_BYTES },
      response: { status: 200, description: 'How many owners it has', schema: FixationResponse },
      problems: [
        'ERR_TASK_UNKNOWN',
        'ERR_DATABASE_ALTERED',
        'ERR_TASK_CLOSED',
        'ERR_RECORDS_CHANGED',
        'ERR_MINIMUM_OWNERS',
      ],
      handler: async ({ identity, params, body }) => ({
        verifiedOwners: await service.fix(params.taskId, identity.thumbprint, body),
      }),
    }),
    route({
      method: 'get',
      path: '/revocations',
      summary: 'The owners that this CSP has revoked, signed as of now',
      auth: 'dataUser',
      response: { status: 200, description: 'The list, as JWS', schema: RevocationsResponse },
      problems: [],
      handler: async () => ({ list: await service.revocations() }),
    }),
    route({
      method: 'post',
      path: '/tasks/:taskId/unblinding',
      summary: 'Hand in the blinded aggregate for its one decryption',
      auth: 'dataUser',
      params: TaskParams,
      body: { binary: "The blinded aggregate's ciphertexts, each of fixed length, big-endian." },
      response: {
        status: 200,
        description: 'The signed statement of which records were verified, as JWS',
        schema: UnblindingResponse,
      },
      problems: [
        'ERR_TASK_UNKNOWN',
        'ERR_DATABASE_ALTERED',
        'ERR_TASK_CLOSED',
        'ERR_MINIMUM_OWNERS',
        'ERR_UNBLINDING_CONFLICT',
        'ERR_CIPHERTEXT_INVALID',
        'ERR_CIPHERTEXT_LENGTH',
        'ERR_PACKING_OVERFLOW',
      ],
      handler: async ({ identity, params, body }) => {
        const blinded = await body(await service.expectedBytes(params.taskId, identity.thumbprint));
        return { statement: await service.unblind(params.taskId, identity.thumbprint, blinded) };
      },
    }),
    route({
      method: 'post',
      path: '/tasks/:taskId/countersignature',
      summary: 'Register the salted digest of the projection; the first is countersigned, and no other',
      auth: 'dataUser',
      params: TaskParams,
      body: { json: CountersignatureRequest, limitBytes: SMALL_BODY_BYTES },
      response: { status: 200, description: 'The signed digest, as JWS', schema: CountersignatureResponse },
      problems: [
        'ERR_TASK_UNKNOWN',
        'ERR_TASK_CLOSED',
        'ERR_NOT_READY',
        'ERR_PROJECTION_CONFLICT',
        'ERR_DATABASE_ALTERED',
      ],
      handler: async ({ identity, params, body }) => ({
        countersignature: await service.countersign(
          params.taskId,
          identity.thumbprint,
          body.projectionDigest,
        ),
      }),
    }),
    route({
      method: 'delete',
      path: '/tasks/:taskId/record',
      summary: 'Withdraw the owner for good: its record does not count, whoever hands it in',
      auth: 'owner',
      fromPages: true,
      params: TaskParams,
      response: { status: 204, description: 'It does not count' },
      problems: ['ERR_TASK_UNKNOWN', 'ERR_TASK_CLOSED', 'ERR_OWNER_REVOKED'],
      handler: ({ identity, params }) => service.withdraw(params.taskId, identity.ownerId),
    }),
    route({
      method: 'delete',
      path: '/tasks/:taskId',
      summary: "End a task: its key, the CSP's shares and the records are destroyed",
      auth: 'dataUser',
      params: TaskParams,
      response: { status: 204, description: 'The task has ended' },
      problems: ['ERR_TASK_UNKNOWN'],
      handler: ({ identity, params }) => service.end(params.taskId, identity.thumbprint),
    }),
  ];
  const all = routes.map((it) => ({
    ...it,
    problems: [
      ...it.problems,
      'ERR_DATABASE_UNREACHABLE' as const, // all of them need it
      ...(it.auth === 'dataUser' ? (['ERR_PROTOCOL_VERSION', 'ERR_BODY_MALFORMED'] as const) : []),
    ],
  }));
  return { routes: all, dataUser };
}
