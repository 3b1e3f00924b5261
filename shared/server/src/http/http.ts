/**
 * The Express application that every service is: headers, limits, logs, metrics, routes and problem+json
 * errors.
 */

import { randomUUID } from 'node:crypto';
import { CodedError } from '@eigenveil/platform';
import { CODES, type Problem, SPOKEN_VERSION, toProblem, VERSION_HEADER } from '@eigenveil/wire';
import { COMMON_ROUTES } from '@eigenveil/wire/routes/common';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import helmet from 'helmet';
import { type Logger, requestLog } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Tracing } from '../observe/tracing.ts';
import { drain } from './body.ts';
import { LINGER_MILLISECONDS } from './connections.ts';
import { beginContext, contextOf } from './context.ts';
import { openApiDocument, type ServiceInfo } from './openapi.ts';
import { admitPages } from './origins.ts';
import type { PeerNames } from './peer-names.ts';
import type { RateLimit } from './rate-limit.ts';
import { PROBLEM_TYPE } from './raw-answers.ts';
import { type Authenticator, type Route, registerRoutes, serve } from './routes.ts';

export interface AppOptions {
  readonly info: ServiceInfo;
  readonly log: Logger;
  readonly peers: PeerNames;
  readonly tracing?: Tracing;
  readonly metrics: Metrics;
  readonly rateLimit: RateLimit;
  /** The authenticator of those who may read /metrics. */
  readonly admin: Authenticator<unknown>;
  /**
   * Checks that the service can do its work.
   * @throws ERR_DATABASE_UNREACHABLE while it cannot
   */
  readonly checkReady: () => Promise<void>;
  readonly routes: readonly Route[];
  /** The origins whose pages may ask for the routes that are open to pages. */
  readonly allowedOrigins: readonly string[];
}

/** Makes a service's application: its routes, and /healthz, /readyz, /metrics and /openapi.json. */
export function createApp(options: AppOptions): Express {
  const { log, metrics, rateLimit, peers } = options;
  const app = express();
  app.disable('etag'); // answers are not cached
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.disable('query parser'); // a route that takes a query reads it by its schema
  app.disable('trust proxy'); // otherwise a peer could choose its address, and with it whose limit it uses up
  app.use(
    identifyRequest,
    requestLog(log, peers),
    metrics.middleware(),
    securityHeaders(),
    endUnread,
    checkVersion,
  );
  if (options.tracing !== undefined) app.use(options.tracing.middleware);
  const routes = [...options.routes, ...commonRoutes(options)];
  // Pages are admitted before the limit applies: a page must be able to read that it asked too often.
  admitPages(app, routes, options.allowedOrigins, rateLimit.middleware);
  app.use(rateLimit.middleware);
  registerRoutes(app, routes);
  app.use((_request: Request, _response: Response, next: NextFunction) => {
    next(
      new CodedError(
        CODES.ERR_ROUTE_UNKNOWN,
        `this is an ${options.info.title}, which has no such method and path: see /openapi.json, or is the address another service's?`,
      ),
    );
  });
  app.use(answerError(log));
  return app;
}

function commonRoutes({ info, metrics, admin, checkReady, routes }: AppOptions): Route[] {
  const readiness = new Readiness(checkReady);
  let document: ReturnType<typeof openApiDocument> | undefined;
  const common: Route[] = serve(
    COMMON_ROUTES,
    { admin },
    {
      health: () => ({ status: 'ok' as const }),
      async readiness() {
        await readiness.require();
        return { status: 'ready' as const };
      },
      metrics: () => metrics.registry.metrics(),
      // The document is made when somebody first asks for it, since that takes as long as the rest of a
      // service's start.
      document() {
        document ??= openApiDocument(info, [...routes, ...common]);
        return { ...document };
      },
    },
  );
  return common;
}

function identifyRequest(_request: Request, response: Response, next: NextFunction): void {
  const requestId = randomUUID();
  beginContext(response, { requestId });
  response.setHeader('x-request-id', requestId);
  response.setHeader(VERSION_HEADER, `${SPOKEN_VERSION}`);
  response.setHeader('cache-control', 'no-store');
  next();
}

/**
 * Soon ends a connection whose request was answered before its body had come. Otherwise the body could keep
 * it for as long as requests may take.
 */
function endUnread(request: Request, response: Response, next: NextFunction): void {
  response.once('finish', () => {
    if (request.complete) return;
    const timer = setTimeout(() => request.destroy(), LINGER_MILLISECONDS);
    request.once('close', () => clearTimeout(timer));
  });
  next();
}

/**
 * Refuses HTTP/0.9, and requests with two hosts, which proxies may read differently (RFC 9112, section 3.2);
 * Node's parser takes both.
 */
function checkVersion(
  { httpVersion, headersDistinct }: Request,
  _response: Response,
  next: NextFunction,
): void {
  const hosts = headersDistinct.host?.length ?? 0;
  const isGood = httpVersion === '1.1' ? hosts === 1 : httpVersion === '1.0' && hosts <= 1;
  next(isGood ? undefined : new CodedError(CODES.ERR_BODY_MALFORMED, 'expected HTTP/1.1 with one host'));
}

/**
 * Sets the headers of an API: no page may render, frame or load its answers. It removes X-Powered-By, too.
 */
function securityHeaders() {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    frameguard: { action: 'deny' },
  });
}

function answerError(log: Logger) {
  // Express recognises error handlers by their four parameters.
  return (error: unknown, request: Request, response: Response, _next: NextFunction): void => {
    const context = contextOf(response);
    const { requestId, route, taskId, challenge } = context;
    const problem = problemOf(error);
    context.code = problem.code;
    const place = { requestId, route, taskId, code: problem.code };
    if (problem.status >= 500) log.error({ ...place, err: error }, 'request failed');
    else log.debug({ ...place, err: error }, 'request refused');
    if (response.headersSent) {
      response.destroy(); // half an answer must not look like a whole one
      return;
    }
    drain(request);
    response.statusCode = problem.status;
    response.setHeader('content-type', PROBLEM_TYPE);
    if (problem.status === 401 && challenge !== undefined) response.setHeader('www-authenticate', challenge);
    if (error instanceof CodedError && error.parameters.retryAfterSeconds !== undefined) {
      response.setHeader('retry-after', String(Math.ceil(error.parameters.retryAfterSeconds)));
    }
    response.end(JSON.stringify(problem));
  };
}

/**
 * Returns the problem of an error. The router refuses bad percent-encoding with an error of its own, whose
 * message repeats the path.
 */
function problemOf(error: unknown): Problem {
  return toProblem(
    error instanceof URIError
      ? new CodedError(CODES.ERR_BODY_MALFORMED, '"path" expected valid percent-encoding')
      : error,
  );
}

/** The time for which an answer counts as the present one. */
const REMEMBERED_MILLISECONDS = 1000;

/**
 * Says whether a service can do its work at the moment, for load balancers; anybody may ask, so what is asked
 * is bounded.
 */
export class Readiness {
  readonly #check: () => Promise<void>;
  #last: { readonly answer: Promise<void>; until: number } | undefined;

  /** `check` throws the error that keeps the service from its work. */
  constructor(check: () => Promise<void>) {
    this.#check = check;
  }

  /**
   * Checks that the service is ready, by one check that many may share.
   * @throws as the last check did
   */
  require(now = performance.now()): Promise<void> {
    if (this.#last === undefined || now >= this.#last.until) this.#last = this.#begin(now);
    return this.#last.answer;
  }

  /**
   * Begins a check. One that takes long, since a server is silent, is waited for: no second one takes another
   * connection.
   */
  #begin(now: number) {
    const last = { answer: this.#check(), until: Number.POSITIVE_INFINITY };
    const end = () => {
      last.until = now + REMEMBERED_MILLISECONDS;
    };
    last.answer.then(end, end);
    return last;
  }
}
