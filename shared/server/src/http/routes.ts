/** Routes as data: one description registers the handler and writes the OpenAPI document, so they cannot drift apart. */
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { ErrorCode } from '@eigenveil/wire';
import { STREAM_MEDIA_TYPE } from '@eigenveil/wire/console';
import type { Express, Request, Response } from 'express';
import type { z } from 'zod';
import { drain, parseWith, readBinary, readJson } from './body.ts';
import { contextOf } from './context.ts';
import type { KnownPeer } from './peer-names.ts';

/** Finds out who sends a request. Usable for upgrade requests too, which is why it asks for no more than the message. */
export interface Authenticator<Identity> {
  /** The HTTP authentication scheme, for WWW-Authenticate and the OpenAPI document. */
  readonly challenge: 'Bearer' | 'DPoP';
  readonly description: string;
  /** @throws ERR_AUTH_REQUIRED, ERR_TOKEN_EXPIRED, ERR_PROOF_REPLAYED or ERR_AUTH_FORBIDDEN */
  authenticate(request: IncomingMessage): Identity | Promise<Identity>;
  /** Who that is in a log. Left out where a log names it by its address: of operators, and of those whom a handler comes to know. */
  known?(identity: Identity): KnownPeer;
}

/** A service's authenticators by the name that routes use for them: admin, owner, data-user, enrolment … */
export type Authenticators = Readonly<Record<string, Authenticator<unknown>>>;

/** JSON of a schema, or bytes of a length that the handler knows, with words on what they are. */
export type BodySpec =
  | { readonly json: z.ZodType; readonly limitBytes: number }
  | { readonly binary: string };

/** JSON of a schema, bytes or text of a media type, lines of JSON that come one after the other, nothing (204), or where else it is (308). */
export type ResponseSpec =
  | { readonly status: 200 | 201 | 202; readonly description: string; readonly schema: z.ZodType }
  | { readonly status: 200; readonly description: string; readonly mediaType: string }
  | { readonly status: 200; readonly description: string; readonly lines: z.ZodType }
  | { readonly status: 204; readonly description: string }
  | { readonly status: 308; readonly description: string; readonly location: string };

type IdentityOf<Auth extends Authenticators, Kind> = Kind extends keyof Auth
  ? Awaited<ReturnType<Auth[Kind]['authenticate']>>
  : undefined;

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
 * What a handler gets. A binary `body` is read by calling it with the exact length to accept. `signal` is aborted once the answer is out, or nobody is there
 * to read it any more.
 */
export interface RouteContext<Identity, Params, Body> {
  readonly identity: Identity;
  readonly params: Params;
  readonly body: Body;
  readonly request: IncomingMessage;
  readonly signal: AbortSignal;
}

type Method = 'get' | 'post' | 'put' | 'delete';

/** What a route says about itself, for registration and documentation. */
interface RouteDescription {
  readonly method: Method;
  /** With parameters as /tasks/:taskId. */
  readonly path: string;
  readonly summary: string;
  /** Codes that the handler itself may answer; those of authentication, body and limits are added. */
  readonly problems: readonly ErrorCode[];
  /** Whether pages of allowed origins may ask: what owners need, and nothing of operators. */
  readonly fromPages?: true;
}

/** A route ready for `createApp`. Made by the function that `routesWith` returns. */
export interface Route extends RouteDescription {
  readonly auth: { readonly kind: string; readonly authenticator: Authenticator<unknown> } | undefined;
  readonly params: z.ZodObject | undefined;
  readonly body: BodySpec | undefined;
  readonly response: ResponseSpec;
  handle(request: Request, response: Response): Promise<void>;
}

interface RouteOptions<
  Auth extends Authenticators,
  Kind extends keyof Auth | 'none',
  Params extends z.ZodObject,
  Body extends BodySpec | undefined,
  Answer extends ResponseSpec,
> extends RouteDescription {
  readonly auth: Kind;
  /** One member for each parameter of the path. */
  readonly params?: Params;
  readonly body?: Body;
  readonly response: Answer;
  handler(
    context: RouteContext<IdentityOf<Auth, Kind>, z.output<Params>, BodyOf<Body>>,
  ): AnswerOf<Answer> | Promise<AnswerOf<Answer>>;
}

/**
 * The function that makes routes with these authenticators. A request is authenticated, then its path parameters are
 * checked, then its body is read, so that nobody unknown can send more than headers; the answer goes out as its schema
 * gives it, so that members which the schema does not name cannot leak.
 * @example
 * import { routesWith } from '@eigenveil/server';
 * import { z } from 'zod';
 *
 * const route = routesWith({ owner });
 * const hello = route({
 *   method: 'get',
 *   path: '/hello',
 *   summary: 'Say who asks',
 *   auth: 'owner',
 *   response: { status: 200, description: 'The owner', schema: z.object({ ownerId: z.string() }) },
 *   problems: [],
 *   handler: ({ identity }) => ({ ownerId: identity.ownerId }),
 * });
 */
export function routesWith<Auth extends Authenticators>(authenticators: Auth) {
  return function route<
    const Kind extends (keyof Auth & string) | 'none',
    Params extends z.ZodObject = z.ZodObject<Record<never, z.ZodType>>,
    Body extends BodySpec | undefined = undefined,
    const Answer extends ResponseSpec = ResponseSpec,
  >(options: RouteOptions<Auth, Kind, Params, Body, Answer>): Route {
    const { method, path, summary, problems, params, body, response: spec, fromPages } = options;
    checkParameters(path, params);
    const authenticator: Authenticator<unknown> | undefined =
      options.auth === 'none' ? undefined : authenticators[options.auth];
    const auth = authenticator === undefined ? undefined : { kind: options.auth, authenticator };
    async function handle(request: Request, response: Response): Promise<void> {
      const context = contextOf(response);
      context.route = path;
      context.challenge = authenticator?.challenge ?? challengeOf(problems);
      const identity = await authenticator?.authenticate(request);
      const known = identity === undefined ? undefined : authenticator?.known?.(identity);
      if (known !== undefined) context.known = known;
      const parameters = params === undefined ? {} : parseWith(params, request.params, 'path');
      if ('taskId' in parameters) context.taskId = String(parameters.taskId);
      const answer = await options.handler({
        identity: identity as IdentityOf<Auth, Kind>,
        params: parameters as z.output<Params>,
        body: (await bodyFor(request, body)) as BodyOf<Body>,
        request,
        signal: closing(response),
      });
      if ('lines' in spec) await sendLines(response, spec.lines, answer as AsyncIterable<unknown>);
      else send(response, spec, answer);
    }
    const pages = fromPages === undefined ? {} : { fromPages };
    return { method, path, summary, problems, auth, params, body, response: spec, handle, ...pages };
  };
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

export const PARAMETER = /:(\w+)/g;

function checkParameters(path: string, params: z.ZodObject | undefined): void {
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
function challengeOf(problems: readonly ErrorCode[]): string | undefined {
  return problems.includes('ERR_AUTH_REQUIRED') ? 'Bearer' : undefined;
}

function closing(response: Response): AbortSignal {
  const controller = new AbortController();
  if (response.closed) controller.abort();
  else response.once('close', () => controller.abort());
  return controller.signal;
}

/** Sends each line as soon as it is there and the peer has taken the ones before; ends when the lines do, or the peer leaves. */
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
  // That the peer has left is no failure.
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
