/** The data user's HTTP interface: who may ask for what. */
import type { IncomingMessage } from 'node:http';
import { CodedError } from '@eigenveil/platform';
import { ownerAuthenticator, ProofChecker, type Route, routesWith, type UsedProofs } from '@eigenveil/server';
import { TaskCreation, TaskId } from '@eigenveil/task';
import {
  BasisResponse,
  CODES,
  NextTask,
  ProjectionResponse,
  ReceiptResponse,
  RenewalRequest,
  ResultResponse,
  SignedTask,
  TASK_BODY_BYTES,
  TaskList,
  TaskOwners,
  TaskStatus,
  UploadResponse,
} from '@eigenveil/wire';
import { z } from 'zod';
import type { Collection } from './collect/collection.ts';
import type { Refusals } from './collect/refusals.ts';
import type { WorkQueue } from './compute/work-queue.ts';
import type { TaskProgresses } from './console/progress.ts';
import { consoleRoutes } from './console/routes.ts';
import type { ConsoleSessions } from './console/sessions.ts';
import type { ConsoleStreams } from './console/streams.ts';
import type { CspClient } from './tasks/csp-client.ts';
import type { Operators } from './tasks/operators.ts';
import type { Renewals } from './tasks/renewals.ts';
import type { Revocations } from './tasks/revocations.ts';
import type { Tasks } from './tasks/tasks.ts';

const TaskParams = z.strictObject({ taskId: TaskId });
const PlaceInOrder = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number);
const EmptyBody = z.strictObject({});

/** Why a task is not opened. */
const OPENING = [
  'ERR_TASK_INVALID',
  'ERR_KEY_TOO_SHORT',
  'ERR_TOO_MANY_COMPONENTS',
  'ERR_FULL_RANK',
  'ERR_PACKING_TOO_NARROW',
  'ERR_DP_PARAMETER',
  'ERR_TASK_REFUSED',
  'ERR_SIMULATED_REFUSED',
  'ERR_TASK_CONFLICT',
  'ERR_TASK_CANCELLED',
  'ERR_BUSY',
  'ERR_PEER_UNREACHABLE',
  'ERR_CSP_IDENTITY',
  'ERR_AGREEMENT_INVALID',
  'ERR_KEY_INVALID',
] as const;

export function dataUserRoutes(options: {
  readonly tasks: Tasks;
  readonly renewals: Renewals;
  readonly collection: Collection;
  readonly queue: WorkQueue;
  readonly csp: CspClient;
  readonly publicUrl: () => string;
  readonly operators: Operators;
  readonly sessions: ConsoleSessions;
  readonly progresses: TaskProgresses;
  readonly streams: ConsoleStreams;
  readonly refusals: Refusals;
  readonly revocations: Pick<Revocations, 'check'>;
  readonly usedProofs: UsedProofs;
}): Route[] {
  const { tasks, renewals, collection, queue, operators, sessions, progresses, refusals } = options;
  const operator = sessions.operator();
  const holder = ownerAuthenticator(
    () => options.csp.identity(),
    new ProofChecker('from an owner to the data user', options.publicUrl, options.usedProofs),
  );
  // Tokens are checked without the CSP and live for months: a stolen one is of no use from the next list on.
  const owner: typeof holder = {
    ...holder,
    async authenticate(request) {
      const identity = await holder.authenticate(request);
      await options.revocations.check(identity.ownerId);
      return identity;
    },
  };
  const route = routesWith({ operator, owner });

  const routes = [
    route({
      method: 'post',
      path: '/tasks',
      summary: 'Propose a task to the CSP and open it, once for each id',
      auth: 'operator',
      body: { json: TaskCreation, limitBytes: TASK_BODY_BYTES },
      response: { status: 201, description: 'The task with the signature of the CSP', schema: SignedTask },
      problems: OPENING,
      handler: async ({ identity, body }) => {
        await operators.note(identity.name, 'task created', body.id);
        return tasks.create(body);
      },
    }),
    route({
      method: 'get',
      path: '/tasks',
      summary: 'The tasks proposed last, newest first',
      auth: 'operator',
      response: { status: 200, description: 'A page of tasks', schema: TaskList },
      problems: [],
      handler: () => tasks.list(null),
    }),
    route({
      method: 'get',
      path: '/tasks/:taskId/older',
      summary: 'The tasks proposed last before this one, newest first',
      auth: 'operator',
      params: TaskParams,
      response: { status: 200, description: 'A page of tasks', schema: TaskList },
      problems: ['ERR_TASK_UNKNOWN'],
      handler: ({ params }) => tasks.list(params.taskId),
    }),
    route({
      method: 'get',
      path: '/tasks/:taskId',
      summary: 'The task with the signature of the CSP, as owners get it',
      auth: 'owner',
      fromPages: true,
      params: TaskParams,
      response: { status: 200, description: 'The signed task', schema: SignedTask },
      problems: ['ERR_TASK_UNKNOWN'],
      handler: ({ params }) => tasks.signed(params.taskId),
    }),
    route({
      method: 'get',
      path: '/tasks/:taskId/signed',
      summary: 'The same, for the operator',
      auth: 'operator',
      params: TaskParams,
      response: { status: 200, description: 'The signed task', schema: SignedTask },
      problems: ['ERR_TASK_UNKNOWN'],
      handler: ({ params }) => tasks.signed(params.taskId),
    }),
    route({
      method: 'get',
      path: '/tasks/:taskId/status',
      summary: 'How far a task is',
      auth: 'operator',
      params: TaskParams,
      response: { status: 200, description: 'State, contributions and timings', schema: TaskStatus },
      problems: ['ERR_TASK_UNKNOWN'],
      handler: ({ params }) => tasks.status(params.taskId),
    }),
    route({
      method: 'get',
      path: '/tasks/:taskId/owners',
      summary: 'Who contributed to a task and who withdrew, the first ones',
      auth: 'operator',
      params: TaskParams,
      response: { status: 200, description: 'A page of owners', schema: TaskOwners },
      problems: ['ERR_TASK_UNKNOWN'],
      handler: ({ params }) => progresses.owners(params.taskId, 0),
    }),
    route({
      method: 'get',
      path: '/tasks/:taskId/owners/:number/next',
      summary: 'The same, those after the one with this number',
      auth: 'operator',
      params: TaskParams.extend({ number: PlaceInOrder }),
      response: { status: 200, description: 'A page of owners', schema: TaskOwners },
      problems: ['ERR_TASK_UNKNOWN'],
      handler: ({ params }) => progresses.owners(params.taskId, params.number),
    }),
    route({
      method: 'post',
      path: '/tasks/:taskId/close',
      summary: 'End collection and start the computation',
      auth: 'operator',
      params: TaskParams,
      body: { json: EmptyBody, limitBytes: 64 },
      response: { status: 202, description: 'The state after it', schema: TaskStatus },
      problems: [
        'ERR_TASK_UNKNOWN',
        'ERR_MINIMUM_OWNERS',
        'ERR_TASK_CANCELLED',
        'ERR_TASK_CLOSED',
        'ERR_REVOCATIONS_STALE',
        'ERR_REVOCATIONS_INVALID',
      ],
      handler: async ({ identity, params }) => {
        await operators.note(identity.name, 'task closed', params.taskId);
        await tasks.close(params.taskId);
        await queue.offer(params.taskId);
        return tasks.status(params.taskId);
      },
    }),
    route({
      method: 'post',
      path: '/tasks/:taskId/cancel',
      summary: 'Cancel a task and destroy its contributions',
      auth: 'operator',
      params: TaskParams,
      body: { json: EmptyBody, limitBytes: 64 },
      response: { status: 202, description: 'The state after it', schema: TaskStatus },
      problems: ['ERR_TASK_UNKNOWN', 'ERR_TASK_CLOSED'],
      handler: async ({ identity, params }) => {
        await operators.note(identity.name, 'task cancelled', params.taskId);
        await tasks.cancel(params.taskId);
        await queue.offer(params.taskId);
        return tasks.status(params.taskId);
      },
    }),
    route({
      method: 'post',
      path: '/tasks/:taskId/renewal',
      summary: 'Renew a task: open the next one of its series, once',
      auth: 'operator',
      params: TaskParams,
      body: { json: RenewalRequest, limitBytes: 256 },
      response: {
        status: 201,
        description: 'The next task with the signature of the CSP',
        schema: SignedTask,
      },
      problems: ['ERR_TASK_UNKNOWN', 'ERR_TASK_OPEN', ...OPENING],
      handler: async ({ identity, params, body }) => {
        await operators.note(identity.name, 'task renewed', params.taskId);
        return renewals.renew(params.taskId, body.deadline);
      },
    }),
    route({
      method: 'get',
      path: '/tasks/:taskId/next',
      summary: 'The task that renews this one, as owners get it',
      auth: 'owner',
      fromPages: true,
      params: TaskParams,
      response: {
        status: 200,
        description: 'The signed task, or null before there is one',
        schema: NextTask,
      },
      problems: ['ERR_TASK_UNKNOWN'],
      handler: async ({ params }) => ({ next: await renewals.next(params.taskId) }),
    }),
    route({
      method: 'get',
      path: '/tasks/:taskId/basis',
      summary: 'What the task stands on, as owners get it who reduce their rows by it',
      auth: 'owner',
      fromPages: true,
      params: TaskParams,
      response: {
        status: 200,
        description: 'Every link of the chain before the task, with all that was signed about it',
        schema: BasisResponse,
      },
      problems: ['ERR_TASK_UNKNOWN', 'ERR_TASK_INVALID'],
      handler: ({ params }) => tasks.basis(params.taskId),
    }),
    route({
      method: 'get',
      path: '/tasks/:taskId/result',
      summary: 'The signed projection, for the operator',
      auth: 'operator',
      params: TaskParams,
      response: {
        status: 200,
        description: "The projection as JWS, and the CSP's word about it",
        schema: ResultResponse,
      },
      problems: ['ERR_TASK_UNKNOWN', 'ERR_NOT_READY', 'ERR_TASK_CANCELLED'],
      handler: async ({ identity, params }) => {
        const result = await tasks.result(params.taskId);
        await operators.note(identity.name, 'result fetched', params.taskId); // before it leaves
        return result;
      },
    }),
    counted(
      refusals,
      route({
        method: 'put',
        path: '/tasks/:taskId/contribution',
        summary: "Hand in the owner's contribution; its signed record is in the header Eigenveil-Record",
        auth: 'owner',
        fromPages: true,
        params: TaskParams,
        body: { binary: "The contribution's ciphertexts, each of fixed length, big-endian." },
        response: {
          status: 200,
          description: 'The receipt as JWS, once the contribution is durable',
          schema: ReceiptResponse,
        },
        problems: [
          'ERR_TASK_UNKNOWN',
          'ERR_TASK_MISMATCH',
          'ERR_TASK_CLOSED',
          'ERR_TASK_CANCELLED',
          'ERR_TASK_DEADLINE',
          'ERR_TASK_FULL',
          'ERR_RECORD_INVALID',
          'ERR_CONTRIBUTION_CONFLICT',
          'ERR_CONTRIBUTION_WITHDRAWN',
          'ERR_CIPHERTEXT_INVALID',
          'ERR_CONTRIBUTION_INCOMPLETE',
        ],
        handler: async ({ identity, params, body, request }) => {
          const record = recordOf(request);
          const bytes = await body(await collection.expectedBytes(params.taskId));
          return { receipt: await collection.contribute(params.taskId, identity, record, bytes) };
        },
      }),
    ),
    route({
      method: 'get',
      path: '/tasks/:taskId/contribution/pieces',
      summary: "How much of the owner's contribution is there, of one that comes in pieces",
      auth: 'owner',
      fromPages: true,
      params: TaskParams,
      response: { status: 200, description: 'The digest and the number of pieces', schema: UploadResponse },
      problems: ['ERR_TASK_UNKNOWN'],
      handler: ({ identity, params }) => collection.upload(params.taskId, identity),
    }),
    counted(
      refusals,
      route({
        method: 'put',
        path: '/tasks/:taskId/contribution/pieces/:number',
        summary: "Hand in the next piece of the owner's contribution, which is longer than a request may be",
        auth: 'owner',
        fromPages: true,
        params: TaskParams.extend({ number: PlaceInOrder }),
        body: { binary: "The piece's ciphertexts, each of fixed length, big-endian." },
        response: {
          status: 200,
          description: 'How many pieces there are, once this one is durable',
          schema: UploadResponse,
        },
        problems: [
          'ERR_TASK_UNKNOWN',
          'ERR_TASK_MISMATCH',
          'ERR_TASK_CLOSED',
          'ERR_TASK_CANCELLED',
          'ERR_TASK_DEADLINE',
          'ERR_TASK_FULL',
          'ERR_RECORD_INVALID',
          'ERR_CONTRIBUTION_CONFLICT',
          'ERR_CONTRIBUTION_INCOMPLETE',
          'ERR_CONTRIBUTION_WITHDRAWN',
          'ERR_CIPHERTEXT_INVALID',
          'ERR_BUSY',
        ],
        handler: ({ identity, params, body, request }) =>
          collection.takePiece(params.taskId, identity, recordOf(request), params.number, body),
      }),
    ),
    route({
      method: 'delete',
      path: '/tasks/:taskId/contribution',
      summary: "Withdraw the owner's contribution for good",
      auth: 'owner',
      fromPages: true,
      params: TaskParams,
      response: { status: 204, description: 'It is gone' },
      problems: ['ERR_TASK_UNKNOWN', 'ERR_CONTRIBUTION_UNKNOWN', 'ERR_TASK_CLOSED', 'ERR_TASK_CANCELLED'],
      handler: ({ identity, params }) => collection.withdraw(params.taskId, identity),
    }),
    route({
      method: 'get',
      path: '/tasks/:taskId/projection',
      summary: 'The signed projection, for owners who contributed',
      auth: 'owner',
      fromPages: true,
      params: TaskParams,
      response: {
        status: 200,
        description:
          "The projection as JWS, the CSP's word about it, and where the owner's contribution is in that",
        schema: ProjectionResponse,
      },
      problems: ['ERR_TASK_UNKNOWN', 'ERR_NOT_READY', 'ERR_AUTH_FORBIDDEN', 'ERR_TASK_CANCELLED'],
      handler: ({ identity, params }) => tasks.resultFor(params.taskId, identity.ownerId),
    }),
  ];
  // All others need the database.
  const needy = routes.map((it) => ({
    ...it,
    problems: [
      ...it.problems,
      'ERR_DATABASE_UNREACHABLE' as const,
      ...(it.auth?.authenticator === owner ? (['ERR_OWNER_REVOKED'] as const) : []),
    ],
  }));
  return [...consoleRoutes({ ...options, operator }), ...needy];
}

function recordOf({ headers }: IncomingMessage): string {
  const record = headers['eigenveil-record'];
  if (typeof record === 'string') return record;
  throw new CodedError(CODES.ERR_RECORD_INVALID, '"Eigenveil-Record" expected one record');
}

/** A route whose refusals are counted by the task that its path names: also those of somebody unknown, such as an owner whose token has expired. */
function counted(refusals: Refusals, route: Route): Route {
  return {
    ...route,
    async handle(request, response) {
      try {
        await route.handle(request, response);
      } catch (error) {
        const taskId = TaskId.safeParse(request.params.taskId);
        if (taskId.success) refusals.count(taskId.data, error);
        throw error;
      }
    },
  };
}
