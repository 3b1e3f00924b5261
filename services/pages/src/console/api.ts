/** The requests of the console to the data user that hands it out. */
import { HEARTBEAT_MILLISECONDS } from '@eigenveil/wire/console';
import { type Client, clientOf } from '@eigenveil/wire/routes';
import { CONSOLE_ROUTES, OPERATOR_ROUTES } from '@eigenveil/wire/routes/data-user/operator';
import { lines, type PageRequest, send } from '../common/http.ts';
import { isRefusal, type Session } from './session.ts';

/** A stream that is silent for longer counts as a broken connection, and is asked for again. */
const SILENCE = 3 * HEARTBEAT_MILLISECONDS;

const { openSession, renewSession, ...FOLLOWED } = CONSOLE_ROUTES;
const ROUTES = { ...OPERATOR_ROUTES, ...FOLLOWED };

/** Requests that begin a session and keep it, with the bearer where there is one. */
export const sessions = clientOf(
  { openSession, renewSession },
  { send: (request, bearer?: string) => send({ ...request, bearer }) },
);

/** Each function can be called again: the service does its work once. All throw as `send` and `lines`. */
export interface ConsoleApi extends Client<typeof ROUTES, [signal: AbortSignal]> {
  /** Returns the time by the clock of the service. */
  now(): Date;
}

export function consoleApi(session: Session): ConsoleApi {
  const inSession = <Request extends PageRequest>(request: Request, signal: AbortSignal) => ({
    ...request,
    bearer: session.bearer,
    signal,
  });
  /** A bearer that is refused is no longer valid: the page says so at once. */
  const look = (error: unknown): never => {
    if (isRefusal(error)) session.end('void');
    throw error;
  };
  const client = clientOf(ROUTES, {
    send: (request, signal: AbortSignal) => send(inSession(request, signal)).catch(look),
    async *lines(request, signal: AbortSignal) {
      try {
        yield* lines(inSession(request, signal), SILENCE);
      } catch (error) {
        look(error);
      }
    },
  });
  return { ...client, now: () => session.now() };
}
