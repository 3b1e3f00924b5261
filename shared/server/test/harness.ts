/** A service of a few routes over real TLS, and a bare HTTPS client for it. */
import type { IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import { CodedError } from '@eigenveil/platform';
import { CODES, ProblemSchema } from '@eigenveil/wire';
import type { RouteTable } from '@eigenveil/wire/routes';
import { z } from 'zod';
import type { LogLevel } from '../src/cli/settings.ts';
import { watchConnections } from '../src/http/connections.ts';
import { createApp } from '../src/http/http.ts';
import type { ServerOptions } from '../src/http/tls.ts';
import {
  AdminToken,
  adminAuthenticator,
  createLocalCertificate,
  createLogger,
  Metrics,
  PeerNames,
  RateLimit,
  type Route,
  type RunningServer,
  serve,
  startServer,
} from '../src/index.ts';

export const ADMIN_TOKEN = 'a-token-of-the-operator-0123456789abcdef';
export const identity = await createLocalCertificate();

export interface TestService extends RunningServer {
  readonly logLines: string[];
  readonly metrics: Metrics;
}

export const authenticators = {
  admin: adminAuthenticator(new AdminToken(ADMIN_TOKEN)),
  owner: {
    challenge: 'DPoP',
    description: 'A test owner.',
    async authenticate(request: { headers: IncomingHttpHeaders }) {
      const owner = request.headers['x-owner'];
      if (typeof owner !== 'string') throw new CodedError(CODES.ERR_AUTH_REQUIRED, 'expected an owner');
      return { ownerId: owner };
    },
  },
} as const;

export async function startService(
  options: {
    readonly routes?: readonly Route[];
    readonly requestsPerMinute?: number;
    readonly allowedOrigins?: readonly string[];
    readonly graceMilliseconds?: number;
    readonly handshakeMilliseconds?: number;
    readonly connectionsPerAddress?: number;
    readonly onUpgrade?: ServerOptions['onUpgrade'];
    readonly level?: LogLevel;
    readonly peers?: PeerNames;
    readonly checkReady?: () => Promise<void>;
  } = {},
): Promise<TestService> {
  const logLines: string[] = [];
  const metrics = new Metrics('test');
  const log = createLogger(
    { service: 'test', level: options.level ?? 'debug' },
    { write: (line) => logLines.push(line) },
  );
  const peers = options.peers ?? new PeerNames('address', Buffer.alloc(0));
  const app = createApp({
    info: { title: 'Test', version: '1.2.3', description: 'A service for tests.' },
    log,
    peers,
    metrics,
    rateLimit: new RateLimit(options.requestsPerMinute ?? 10_000, log),
    admin: authenticators.admin,
    checkReady: options.checkReady ?? (async () => undefined),
    routes: options.routes ?? exampleRoutes(),
    allowedOrigins: options.allowedOrigins ?? [],
  });
  const running: RunningServer = await startServer({
    ...identity,
    listener: app,
    host: '127.0.0.1',
    port: 0,
    graceMilliseconds: options.graceMilliseconds ?? 2000,
    ...(options.handshakeMilliseconds && { handshakeMilliseconds: options.handshakeMilliseconds }),
    ...(options.connectionsPerAddress && { connectionsPerAddress: options.connectionsPerAddress }),
    onUpgrade: options.onUpgrade,
    onConnection: watchConnections(metrics, log, peers, () => running.connections()),
  });
  return { ...running, logLines, metrics };
}

/** A good body of the first of the example routes, and the good headers of the second. */
export const feature = { name: 'age', min: 0 };
export const octets = { 'content-type': 'application/octet-stream', 'x-owner': 'ada' };

export const TaskIdParam = z.strictObject({ taskId: z.string().regex(/^[a-z0-9]{4}$/) });
export const Features = z.strictObject({
  features: z.array(z.strictObject({ name: z.string(), min: z.number() })).max(100),
});

const EXAMPLES = {
  store: {
    method: 'put',
    path: '/tasks/:taskId',
    summary: 'Stores features',
    auth: 'none',
    params: TaskIdParam,
    query: z.strictObject({ least: z.string().regex(/^\d+$/).transform(Number).optional() }),
    body: { json: Features, limitBytes: 2000 },
    response: { status: 201, description: 'How many', schema: z.strictObject({ count: z.int() }) },
    problems: ['ERR_TASK_CONFLICT'],
  },
  contribute: {
    method: 'post',
    path: '/tasks/:taskId/contribution',
    summary: 'Takes bytes',
    auth: 'owner',
    params: TaskIdParam,
    body: { binary: '1000 bytes' },
    response: {
      status: 200,
      description: 'From whom, and their sum',
      schema: z.object({ ownerId: z.string(), sum: z.int() }),
    },
    problems: ['ERR_TASK_UNKNOWN'],
  },
  end: {
    method: 'delete',
    path: '/tasks/:taskId',
    summary: 'Ends a task',
    auth: 'admin',
    params: TaskIdParam,
    response: { status: 204, description: 'Ended' },
    problems: [],
  },
  fail: {
    method: 'get',
    path: '/failure/:kind',
    summary: 'Fails',
    auth: 'none',
    params: z.strictObject({ kind: z.string() }),
    response: { status: 200, description: 'Never', schema: z.strictObject({ count: z.int() }) },
    problems: ['ERR_NOT_READY'],
  },
  bytes: {
    method: 'get',
    path: '/bytes',
    summary: 'Gives bytes',
    auth: 'none',
    response: { status: 200, description: 'Four', mediaType: 'application/octet-stream' },
    problems: [],
  },
  who: {
    method: 'get',
    path: '/who',
    summary: 'Says who asks',
    auth: ['owner', 'admin'],
    response: { status: 200, description: 'Who', schema: z.string() },
    problems: [],
  },
} as const satisfies RouteTable;

export function exampleRoutes(): Route[] {
  return serve(EXAMPLES, authenticators, {
    store: ({ query, body }) => ({ count: Math.max(query.least ?? 0, body.features.length) }),
    async contribute({ identity, params, body }) {
      if (params.taskId === 'none') throw new CodedError(CODES.ERR_TASK_UNKNOWN, 'no such task');
      const bytes = await body(1000);
      const sum = bytes.reduce((total, byte) => total + byte, 0);
      const answer = { ownerId: identity.ownerId, sum, internal: 'must not leak' };
      return answer;
    },
    end: () => Promise.resolve(),
    fail({ params: { kind } }) {
      if (kind === 'not-ready')
        throw new CodedError(CODES.ERR_NOT_READY, 'come again', { retryAfterSeconds: 1.5 });
      if (kind === 'answer') return { count: 0.5 };
      throw new Error('the database password is hunter2', { cause: new Error('disk full') });
    },
    bytes: () => Uint8Array.of(1, 2, 3, 255),
    who: ({ identity }) => (identity === 'admin' ? identity : identity.ownerId),
  });
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  json(): unknown;
}

/** One request on a connection of its own; `body` is sent as it is. */
export function send(
  url: string,
  options: RequestOptions & { readonly body?: string | Uint8Array } = {},
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const { body, ...rest } = options;
  const outgoing = httpsRequest(url, { ca: identity.cert, agent: false, ...rest }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('error', reject);
    response.on('end', () => {
      const bytes = Buffer.concat(chunks);
      const json = (): unknown => JSON.parse(bytes.toString('utf8'));
      resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, json });
    });
  });
  outgoing.on('error', reject);
  outgoing.end(body);
  return promise;
}

export function sendJson(url: string, method: string, body: string): Promise<Answer> {
  return send(url, { method, headers: { 'content-type': 'application/json' }, body });
}

/** The problem that an answer is; fails when it is none. */
export function problemIn(answer: Answer) {
  if (answer.headers['content-type'] !== 'application/problem+json') {
    throw new TypeError(`expected problem details, got ${answer.status} ${answer.bytes.toString('utf8')}`);
  }
  return ProblemSchema.parse(answer.json());
}

/** A route that takes any JSON of up to a megabyte. */
export function largeRoute(): Route {
  const large = {
    method: 'post',
    path: '/large',
    summary: 'Takes anything',
    auth: 'none',
    body: { json: z.json(), limitBytes: 1_000_000 },
    response: { status: 204, description: 'Taken' },
    problems: [],
  } as const;
  return serve({ large }, {}, { large: () => {} })[0]!;
}

/** Writes raw text to the server and returns everything it answers until it closes the connection. */
export async function sendRaw(
  url: string,
  text: string,
  onSocket?: (socket: TLSSocket) => void,
): Promise<string> {
  const { port } = new URL(url);
  const socket = connect({
    host: '127.0.0.1',
    port: Number(port),
    ca: identity.cert,
    servername: 'localhost',
  });
  socket.write(text);
  onSocket?.(socket);
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    answer += chunk;
  });
  await new Promise<void>((resolve) => {
    socket.on('error', () => resolve()).on('close', () => resolve());
  });
  return answer;
}
