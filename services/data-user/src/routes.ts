/** The data user's HTTP interface, with who may make each request. */
import type { IncomingMessage } from 'node:http';
import { CodedError } from '@eigenveil/platform';
import { ownerAuthenticator, ProofChecker, type Route, serve, type UsedProofs } from '@eigenveil/server';
import { TaskId } from '@eigenveil/task';
import { CODES } from '@eigenveil/wire';
import { OPERATOR_ROUTES } from '@eigenveil/wire/routes/data-user/operator';
import { OWNER_ROUTES } from '@eigenveil/wire/routes/data-user/owner';
import type { Collection } from './collect/collection.ts';
import type { Refusals } from './collect/refusals.ts';
import type { WorkQueue } from './compute/work-queue.ts';
import type { TaskProgresses } from './console/progress.ts';
import { consoleRoutes } from './console/routes.ts';
import type { ConsoleSessions } from './console/sessions.ts';
import type { ConsoleStreams } from './console/streams.ts';
import type { CspClient } from './tasks/csp.ts';
import type { Operators } from './tasks/operators.ts';
import type { Renewals } from './tasks/renewals.ts';
import type { Revocations } from './tasks/revocations.ts';
import type { Tasks } from './tasks/tasks.ts';

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
  // The list of revoked owners is checked as well: tokens are checked without the CSP and live for months,
  // and a stolen one is of no use once the next list is there.
  const owner: typeof holder = {
    ...holder,
    async authenticate(request) {
      const identity = await holder.authenticate(request);
      await options.revocations.check(identity.ownerId);
      return identity;
    },
  };
  const routes = serve(
    { ...OPERATOR_ROUTES, ...OWNER_ROUTES },
    { operator, owner },
    {
      async createTask({ identity, body }) {
        await operators.note(identity.name, 'task created', body.id);
        return tasks.create(body);
      },
      tasks: ({ query }) => tasks.list(query.before ?? null, query.sought),
      signedTask: ({ params }) => tasks.signed(params.taskId),
      status: ({ params }) => tasks.status(params.taskId),
      owners: ({ params, query }) => progresses.owners(params.taskId, query.after ?? 0),
      async closeTask({ identity, params }) {
        await operators.note(identity.name, 'task closed', params.taskId);
        await tasks.close(params.taskId);
        await queue.offer(params.taskId);
        return tasks.status(params.taskId);
      },
      async cancelTask({ identity, params }) {
        await operators.note(identity.name, 'task cancelled', params.taskId);
        await tasks.cancel(params.taskId);
        await queue.offer(params.taskId);
        return tasks.status(params.taskId);
      },
      async renewTask({ identity, params, body }) {
        await operators.note(identity.name, 'task renewed', params.taskId);
        return renewals.renew(params.taskId, body.deadline);
      },
      async result({ identity, params }) {
        const result = await tasks.result(params.taskId);
        await operators.note(identity.name, 'result fetched', params.taskId); // before it leaves
        return result;
      },
      state: async ({ params }) => ({ state: (await tasks.status(params.taskId)).state }),
      nextTask: async ({ params }) => ({ next: await renewals.next(params.taskId) }),
      basis: ({ params }) => tasks.basis(params.taskId),
      async contribute({ identity, params, body, request }) {
        const record = recordOf(request);
        const bytes = await body(await collection.expectedBytes(params.taskId));
        return { receipt: await collection.contribute(params.taskId, identity, record, bytes) };
      },
      upload: ({ identity, params }) => collection.upload(params.taskId, identity),
      contributePiece: ({ identity, params, body, request }) =>
        collection.takePiece(params.taskId, identity, recordOf(request), params.number, body),
      withdraw: ({ identity, params }) => collection.withdraw(params.taskId, identity),
      projection: ({ identity, params }) => tasks.resultFor(params.taskId, identity.ownerId),
    },
  );
  return [
    ...consoleRoutes({ ...options, operator }),
    ...routes.map((route) => (COUNTED.has(route.name) ? counted(refusals, route) : route)),
  ];
}

/** The routes whose refusals are counted. */
const COUNTED: ReadonlySet<string> = new Set([
  'contribute',
  'contributePiece',
] satisfies (keyof typeof OWNER_ROUTES)[]);

function recordOf({ headers }: IncomingMessage): string {
  const record = headers['eigenveil-record'];
  if (typeof record === 'string') return record;
  throw new CodedError(CODES.ERR_RECORD_INVALID, '"Eigenveil-Record" expected one record');
}

/**
 * Makes a route whose refusals are counted for the task that its path names, also refusals of somebody
 * unknown, such as an owner whose token has expired.
 */
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
