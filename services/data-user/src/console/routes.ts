/** Routes of the operator's console: its page, its sessions, and what it watches; what it does else, it does by the operator's routes. */
import { fileURLToPath } from 'node:url';
import { Attempts, type Authenticator, pageRoutes, type Route, routesWith } from '@eigenveil/server';
import { TaskId } from '@eigenveil/task';
import {
  ConsoleSession,
  ConsoleSessionRequest,
  TaskListLine,
  TaskProgressLine,
} from '@eigenveil/wire/console';
import { z } from 'zod';
import { FINAL_STATES } from '../store/store.ts';
import type { Tasks } from '../tasks/tasks.ts';
import type { TaskProgresses } from './progress.ts';
import type { ConsoleSessions, Operator } from './sessions.ts';
import type { ConsoleStreams } from './streams.ts';

/** The operator's page, built by the package of pages. It runs no script but its own, talks to this service alone, and is in nobody's frame. */
const CONSOLE = {
  path: '/console',
  folder: fileURLToPath(new URL('../../console/', import.meta.url)),
  contentSecurityPolicy: [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; '),
  remedy: 'npm run prepare builds it',
} as const;

export function consoleRoutes(options: {
  readonly tasks: Pick<Tasks, 'list'>;
  readonly sessions: ConsoleSessions;
  readonly operator: Authenticator<Operator>;
  readonly progresses: TaskProgresses;
  readonly streams: ConsoleStreams;
}): Route[] {
  const { tasks, sessions, operator, progresses, streams } = options;
  const attempts = new Attempts();
  const route = routesWith({ operator, console: sessions.bearer() });
  return [
    ...pageRoutes(CONSOLE),
    route({
      method: 'post',
      path: '/console/session',
      summary: "Exchange an operator's token for a bearer of the console",
      auth: 'none',
      body: { json: ConsoleSessionRequest, limitBytes: 2048 },
      response: { status: 200, description: 'The bearer, and how long it holds', schema: ConsoleSession },
      problems: ['ERR_AUTH_REQUIRED', 'ERR_TOKEN_EXPIRED', 'ERR_DATABASE_UNREACHABLE'],
      handler: ({ body, request }) => attempts.make(request, () => sessions.exchange(body.token)),
    }),
    route({
      method: 'post',
      path: '/console/session/renewal',
      summary: 'Another bearer of the same session, which ends no later for it',
      auth: 'console',
      body: { json: z.strictObject({}), limitBytes: 64 },
      response: { status: 200, description: 'The bearer, and how long it holds', schema: ConsoleSession },
      problems: ['ERR_TOKEN_EXPIRED', 'ERR_DATABASE_UNREACHABLE'],
      handler: ({ identity }) => sessions.renew(identity),
    }),
    route({
      method: 'get',
      path: '/tasks/:taskId/progress',
      summary: 'How far a task is, at once and at every change until it is final',
      auth: 'operator',
      params: z.strictObject({ taskId: TaskId }),
      response: { status: 200, description: 'A line of JSON for each', lines: TaskProgressLine },
      problems: ['ERR_TASK_UNKNOWN', 'ERR_BUSY', 'ERR_DATABASE_UNREACHABLE'],
      handler: ({ params: { taskId }, request, signal }) =>
        streams.open({
          name: taskId,
          look: () => progresses.of(taskId),
          isFinal: ({ status }) => FINAL_STATES.includes(status.state),
          admit: async () => operator.authenticate(request),
          signal,
        }),
    }),
    route({
      method: 'get',
      path: '/progress',
      summary: 'The tasks proposed last, at once and at every change',
      auth: 'operator',
      response: { status: 200, description: 'A line of JSON for each', lines: TaskListLine },
      problems: ['ERR_BUSY', 'ERR_DATABASE_UNREACHABLE'],
      handler: ({ request, signal }) =>
        streams.open({
          name: '',
          look: () => tasks.list(null),
          isFinal: () => false,
          admit: async () => operator.authenticate(request),
          signal,
        }),
    }),
  ];
}
