/**
 * Serves a table of routes: the table says what may be asked, and the type checker demands a handler for each
 * of its routes.
 */
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { ErrorCode } from '@eigenveil/wire';
import { STREAM_MEDIA_TYPE } from '@eigenveil/wire/console';
import {
  type BodySpec,
  PARAMETER,
  type ResponseSpec,
  type RouteEntry,
  type RouteTable,
} from '@eigenveil/wire/routes';
import type { Express, Request, Response } from 'express';
import type { z } from 'zod';
import { drain, parseWith, readBinary, readJson } from './body.ts';
import { contextOf } from './context.ts';
import type { KnownPeer } from './peer-names.ts';

/**
 * Finds out who sends a request. It is used for upgrade requests too, which is why it gets only the message.
 */
export interface Authenticator<Identity> {
  /** The HTTP authentication scheme, for WWW-Authenticate and the OpenAPI document. */
  readonly challenge: 'Bearer' | 'DPoP';
  readonly description: string;
  /**
   * Returns the identity of the sender.
   * @throws ERR_AUTH_REQUIRED, ERR_TOKEN_EXPIRED, ERR_PROOF_REPLAYED or ERR_AUTH_FORBIDDEN
   */
  authenticate(request: IncomingMessage): Identity | Promise<Identity>;
  /**
   * Returns the peer as a log names it. Left out where a log names the sender by its address: for operators,
   * and for senders that only a handler identifies.
   */
  known?(identity: Identity): KnownPeer;
}

/** A service's authenticators by the name that routes use for them: admin, owner, data-user, enrolment … */
export type Authenticators = Readonly<Record<string, Authenticator<unknown>>>;

type KindsOf<Entry extends RouteEntry> = Entry['auth'] extends readonly (infer Kind extends string)[]
  ? Kind
  : Extract<Entry['auth'], string>;

/** The authenticators for everybody that the table names. */
type AuthenticatorsOf<Table extends RouteTable> = Readonly<
  Record<Exclude<KindsOf<Table[keyof Table]>, 'none'>, Authenticator<unknown>>
>;

type IdentityOf<Auth extends Authenticators, Kind> = Kind extends keyof Auth
  ? Awaited<ReturnType<Auth[Kind]['authenticate']>>
  : undefined;

type MembersOf<Schema> = Schema extends z.ZodObject ? z.output<Schema> : Record<never, never>;

type BodyOf<Body> = Body extends { json: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : Body extends { binary: string }
    ? (expectedBytes: number) => Promise<Uint8Array>
    : undefined;

type AnswerOf<Answer> = Answer extends { schema: infer Schema extends z.ZodType }
  ? z.input<Schema>
  : Answer extends { mediaType: string }
    ? Uint8Array | string
    : Answer extends { lines: infer Schema extends z.ZodType }
      ? AsyncIterable<z.input<Schema>>
      : unknown; // dropped

/**
 * The input of a handler. A binary `body` is read by calling it with the exact length to accept. `signal` is
 * aborted once the answer is sent, or nobody is there to read it any more.
 */
export interface RouteContext<Identity, Params, Query, Body> {
  readonly identity: Identity;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly request: IncomingMessage;
  readonly signal: AbortSignal;
}

type Handler<Auth extends Authenticators, Entry extends RouteEntry> = (
  context: RouteContext<
    IdentityOf<Auth, KindsOf<Entry>>,
    MembersOf<Entry['params']>,
    MembersOf<Entry['query']>,
    BodyOf<Entry['body']>
  >,
) => AnswerOf<Entry['response']> | Promise<AnswerOf<Entry['response']>>;

/** One handler for each route of a table. */
export type Handlers<Auth extends Authenticators, Table extends RouteTable> = {
  readonly [Name in keyof Table]: Handler<Auth, Table[Name]>;
};

/** A route ready for `createApp`. */
export interface Route extends RouteEntry {
  /** The name of the route in the table. */
  readonly name: string;
  /**
   * The authenticators by the names that `auth` has for them; there are none for a route that is open to
   * everybody.
   */
  readonly authenticators: Authenticators;
  handle(request: Request, response: Response): Promise<void>;
}

/**
 * The routes of a table, each with its handler. A request is authenticated, then the parameters of its path and its query are
 * checked, then its body is read, so that nobody unknown can send more than headers; the answer goes out as its schema
 * gives it, so that members which the schema does not name cannot leak.
 * @example
 * import { serve } from '@eigenveil/server';
 * import type { RouteTable } from '@eigenveil/wire/routes';
 * import { z } from 'zod';
 *
 * const ROUTES = {
 *   hello: {
 *     method: 'get',
 *     path: '/hello',
 *     summary: 'Say who asks',
 *     auth: 'owner',
 *     response: { status: 200, description: 'The owner', schema: z.object({ ownerId: z.string() }) },
 *     problems: [],
 *   },
 * } as const satisfies RouteTable;
 * const routes = serve(ROUTES, { owner }, { hello: ({ identity }) => ({ ownerId: identity.ownerId }) });
 */
export function serve<const Table extends RouteTable, Auth extends AuthenticatorsOf<Table>>(
  table: Table,
  authenticators: Auth,
  handlers: Handlers<Auth, Table>,
): Route[] {
  const known: Authenticators = authenticators;
  return Object.entries(table).map(([name, entry]) => {
    checkParameters(entry);
    const kinds = [entry.auth].flat().filter((kind) => kind !== 'none');
    const named = Object.fromEntries(kinds.map((kind) => [kind, known[kind]!]));
    const route = { ...entry, name, authenticators: named };
    const handler = handlers[name] as (context: AnyContext) => unknown;
    return { ...route, handle: (request, response) => handle(route, handler, request, response) };
  });
}

type AnyContext = RouteContext<unknown, object, object, unknown>;

async function handle(
  route: Omit<Route, 'handle'>,
  handler: (context: AnyContext) => unknown,
  request: Request,
  response: Response,
): Promise<void> {
  const { path, params, query, body, response: spec, problems } = route;
  const authenticators = Object.values(route.authenticators);
  const context = contextOf(response);
  context.route = path;
  context.challenge = challengeOf(authenticators, problems);
  const authenticator = authenticatorFor(request, authenticators);
  const identity = await authenticator?.authenticate(request);
  const known = identity === undefined ? undefined : authenticator?.known?.(identity);
  if (known !== undefined) context.known = known;
  const inPath = params === undefined ? {} : parseWith(params, request.params, 'path');
  if ('taskId' in inPath) context.taskId = String(inPath.taskId);
  const inQuery = query === undefined ? {} : parseWith(query, queryOf(request), 'query');
  const answer = await handler({
    identity,
    params: inPath,
    query: inQuery,
    body: await bodyFor(request, body),
    request,
    signal: closing(response),
  });
  if ('lines' in spec) await sendLines(response, spec.lines, answer as AsyncIterable<unknown>);
  else send(response, spec, answer);
}

/**
 * Chooses, among several authenticators, the one whose scheme the credentials have; the first where none has
 * it.
 */
function authenticatorFor(
  { headers }: IncomingMessage,
  authenticators: readonly Authenticator<unknown>[],
): Authenticator<unknown> | undefined {
  const scheme = /^\w+/.exec(headers.authorization ?? '')?.[0].toLowerCase();
  return authenticators.find(({ challenge }) => challenge.toLowerCase() === scheme) ?? authenticators[0];
}

/** A member that is given twice is a list, which no schema of a query takes. */
function queryOf({ url = '' }: IncomingMessage): Record<string, string | string[]> {
  const [, query = ''] = url.split(/\?(.*)/s);
  const members = new URLSearchParams(query);
  return Object.fromEntries(
    [...members].map(([name, value]) => {
      const all = members.getAll(name);
      return [name, all.length === 1 ? value : all];
    }),
  );
}

/** Registers routes at an express application; createApp does this for a service. */
export function registerRoutes(app: Express, routes: readonly Route[]): void {
  const known = new Set<string>();
  for (const route of routes) {
    const name = `${route.method} ${route.path.replaceAll(PARAMETER, ':')}`;
    if (known.has(name)) throw new TypeError(`"routes" has ${route.method} ${route.path} twice`);
    known.add(name);
    app[route.method](route.path, (request: Request, response: Response) => route.handle(request, response));
  }
}

function checkParameters({ path, params }: RouteEntry): void {
  const inPath = [...path.matchAll(PARAMETER)].map(([, name]) => name);
  const inSchema = Object.keys(params?.shape ?? {});
  if (inPath.length !== inSchema.length || inPath.some((name) => !inSchema.includes(name ?? ''))) {
    throw new TypeError(`"params" expected a schema for exactly the parameters of ${path}`);
  }
}

async function bodyFor(request: Request, spec: BodySpec | undefined): Promise<unknown> {
  if (spec === undefined) {
    drain(request);
    return undefined;
  }
  if ('json' in spec) return readJson(request, spec.json, spec.limitBytes);
  return (expectedBytes: number) => readBinary(request, expectedBytes);
}

/** A route that is open to everybody and yet answers 401 takes its secret from the body. */
function challengeOf(
  authenticators: readonly Authenticator<unknown>[],
  problems: readonly ErrorCode[],
): string | undefined {
  if (authenticators.length > 0) return authenticators.map(({ challenge }) => challenge).join(', ');
  return problems.includes('ERR_AUTH_REQUIRED') ? 'Bearer' : undefined;
}

function closing(response: Response): AbortSignal {
  const controller = new AbortController();
  if (response.closed) controller.abort();
  else response.once('close', () => controller.abort());
  return controller.signal;
}

/**
 * Sends each line as soon as it is there and the peer has taken the ones before; ends when the lines do, or
 * the peer leaves.
 */
async function sendLines(
  response: Response,
  schema: z.ZodType,
  lines: AsyncIterable<unknown>,
): Promise<void> {
  contextOf(response).isStream = true;
  response.statusCode = 200;
  response.setHeader('content-type', STREAM_MEDIA_TYPE);
  response.setHeader('cache-control', 'no-store, no-transform'); // what is compressed is kept back until there is enough of it
  response.setHeader('x-accel-buffering', 'no'); // the same of nginx
  if (response.req.method === 'HEAD') {
    response.end();
    return;
  }
  let failure: unknown;
  async function* text() {
    try {
      for await (const line of lines) yield `${JSON.stringify(schema.parse(line))}\n`;
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  // A peer that has left is not an error.
  await pipeline(text, response).catch(() => {
    if (failure !== undefined) throw failure;
  });
}

function send(response: Response, spec: ResponseSpec, answer: unknown): void {
  response.statusCode = spec.status;
  if ('schema' in spec) {
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.end(JSON.stringify(spec.schema.parse(answer)));
  } else if ('mediaType' in spec) {
    response.setHeader('content-type', spec.mediaType);
    response.end(answer);
  } else {
    if ('location' in spec) response.setHeader('location', spec.location);
    response.end();
  }
}
