/**
 * Routes of the operator's console: its page, its sessions, and what it watches. For everything else the
 * console uses the operator's routes.
 */
import { fileURLToPath } from 'node:url';
import { Attempts, type Authenticator, pageRoutes, type Route, serve } from '@eigenveil/server';
import { FINAL_STATES } from '@eigenveil/wire';
import { CONSOLE_ROUTES } from '@eigenveil/wire/routes/data-user/operator';
import type { Tasks } from '../tasks/tasks.ts';
import type { TaskProgresses } from './progress.ts';
import type { ConsoleSessions, Operator } from './sessions.ts';
import type { ConsoleStreams } from './streams.ts';

/**
 * The operator's page, built by the package of pages. It runs only its own script, talks only to this
 * service, and no other page may have it in a frame.
 */
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
  return [
    ...pageRoutes(CONSOLE),
    ...serve(
      CONSOLE_ROUTES,
      { operator, console: sessions.bearer() },
      {
        openSession: ({ body, request }) => attempts.make(request, () => sessions.exchange(body.token)),
        renewSession: ({ identity }) => sessions.renew(identity),
        followTask: ({ params: { taskId }, request, signal }) =>
          streams.open({
            name: taskId,
            look: () => progresses.of(taskId),
            isFinal: ({ status }) => FINAL_STATES.includes(status.state),
            admit: async () => operator.authenticate(request),
            signal,
          }),
        followTasks: ({ query: { sought = '' }, request, signal }) =>
          streams.open({
            // A blank is in no id, which names the stream of a task.
            name: ` ${sought}`,
            look: () => tasks.list(null, sought),
            isFinal: () => false,
            admit: async () => operator.authenticate(request),
            signal,
          }),
      },
    ),
  ];
}
