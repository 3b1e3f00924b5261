/**
 * Tables of routes: a service's table says once which requests it takes. The server (`serve`), its OpenAPI
 * document and the clients (`clientOf`) follow from the table. This file uses nothing of Node.js, so that
 * pages can read it, too.
 */
import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';

/** The body of a request: JSON of a schema, or bytes, whose length the handler knows, with a description. */
export type BodySpec =
  | { readonly json: z.ZodType; readonly limitBytes: number }
  | { readonly binary: string };

/**
 * The answer: JSON of a schema, bytes or text of a media type, JSON line by line, nothing (204), or a
 * redirection (308).
 */
export type ResponseSpec =
  | { readonly status: 200 | 201 | 202; readonly description: string; readonly schema: z.ZodType }
  | { readonly status: 200; readonly description: string; readonly mediaType: string }
  | { readonly status: 200; readonly description: string; readonly lines: z.ZodType }
  | { readonly status: 204; readonly description: string }
  | { readonly status: 308; readonly description: string; readonly location: string };

/** One route. */
export interface RouteEntry {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** The path, with parameters as in /tasks/:taskId. */
  readonly path: string;
  readonly summary: string;
  /**
   * The names of the service's authenticators that admit a request, or 'none'. If there are several, the
   * scheme of the request's credentials decides.
   */
  readonly auth: string | readonly [string, ...string[]];
  /** Set where pages of allowed origins may ask: on routes that owners need, and on none of operators. */
  readonly fromPages?: true;
  /** The schema of the path's parameters, each with a member of its own. */
  readonly params?: z.ZodObject;
  /** The schema of the query; without one, a query is not read. */
  readonly query?: z.ZodObject;
  readonly body?: BodySpec;
  readonly response: ResponseSpec;
  /** Codes of errors of the handler itself; those of authentication, body and limits are added to them. */
  readonly problems: readonly ErrorCode[];
}

/** Routes by the names of the client's functions and the server's handlers. */
export type RouteTable = Readonly<Record<string, RouteEntry>>;

export const PARAMETER = /:(\w+)/g;
