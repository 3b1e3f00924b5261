/**
 * Admits pages of other origins (CORS): those that the operator has named, for the routes that owners need.
 */

import { VERSION_HEADER } from '@eigenveil/wire';
import cors from 'cors';
import type { Express, RequestHandler } from 'express';
import type { Route } from './routes.ts';

/** Headers that an owner's client sends, and those that it reads beyond the body. */
const REQUEST_HEADERS = ['Authorization', 'Content-Type', 'DPoP', 'Eigenveil-Record', VERSION_HEADER];
const RESPONSE_HEADERS = ['Retry-After', VERSION_HEADER];

/** The time for which a browser need not ask again whether a page may send requests. */
const PREFLIGHT_SECONDS = 600;

/**
 * Answers preflights, and lets pages of `origins` read the answers of routes that are open to pages. A
 * preflight needs no authentication and reaches no handler, but counts for `limit` like any request. Cookies
 * are never allowed: there are none.
 */
export function admitPages(
  app: Express,
  routes: readonly Route[],
  origins: readonly string[],
  limit: RequestHandler,
): void {
  if (origins.length === 0) return;
  const open = Map.groupBy(
    routes.filter(({ fromPages }) => fromPages),
    ({ path }) => path,
  );
  for (const [path, ofPath] of open) {
    const methods = ofPath.map(({ method }) => method);
    const admit = cors({
      origin: [...origins],
      methods: methods.map((method) => method.toUpperCase()),
      allowedHeaders: REQUEST_HEADERS,
      exposedHeaders: RESPONSE_HEADERS,
      maxAge: PREFLIGHT_SECONDS,
    });
    app.options(path, limit, admit);
    for (const method of methods) app[method](path, admit);
  }
}
