/**
 * Tables of routes: a service's table says once what may be asked of it. The server (`serve`), its OpenAPI document and the clients (`clientOf`)
 * follow from the table. Needs nothing of the system, so that pages read it, too.
 */
import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';

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

/** What a route says about itself. */
export interface RouteEntry {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** With parameters as /tasks/:taskId. */
  readonly path: string;
  readonly summary: string;
  /** Who may ask, by the names of the service's authenticators, or 'none'; of several, the scheme of the request's credentials decides. */
  readonly auth: string | readonly [string, ...string[]];
  /** Whether pages of allowed origins may ask: what owners need, and nothing of operators. */
  readonly fromPages?: true;
  /** One member for each parameter of the path. */
  readonly params?: z.ZodObject;
  /** The query of a route without one is not read. */
  readonly query?: z.ZodObject;
  readonly body?: BodySpec;
  readonly response: ResponseSpec;
  /** Codes that the handler itself may answer; those of authentication, body and limits are added. */
  readonly problems: readonly ErrorCode[];
}

/** Routes by the names of the client's functions and the server's handlers. */
export type RouteTable = Readonly<Record<string, RouteEntry>>;

export const PARAMETER = /:(\w+)/g;
