/**
 * Tables of routes: a service's table says once which requests it takes. The server (`serve`), its OpenAPI
 * document and the clients (`clientOf`) follow from the table. This file uses nothing of Node.js, so that
 * pages can read it, too.
 */
import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { ServiceRequest } from '../transport/client.ts';

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

/**
 * Carries requests to a service; a ServiceClient does. `Rest` is what it is given beside the request, such as
 * a signal.
 */
export interface Sender<Rest extends readonly unknown[]> {
  send<Schema extends z.ZodType>(request: ServiceRequest<Schema>, ...rest: Rest): Promise<z.output<Schema>>;
  /** Returns the lines of an answer that arrives line by line. */
  lines?<Schema extends z.ZodType>(
    request: ServiceRequest<Schema>,
    ...rest: Rest
  ): AsyncGenerator<z.output<Schema>>;
}

type Members<Schema> = Schema extends z.ZodObject ? z.output<Schema> : unknown;

type BodyMember<Body> = Body extends { json: infer Schema extends z.ZodType }
  ? Record<never, never> extends z.input<Schema>
    ? { readonly body?: z.input<Schema> }
    : { readonly body: z.input<Schema> }
  : Body extends { binary: string }
    ? { readonly body: Uint8Array }
    : unknown;

/** The arguments of a call: parameters of path and query by their names, the body, and headers. */
export type CallOf<Entry extends RouteEntry> = Members<Entry['params']> &
  Members<Entry['query']> &
  BodyMember<Entry['body']> & { readonly headers?: Readonly<Record<string, string>> };

/** The value that a call returns. */
export type AnswerOf<Entry extends RouteEntry> = Entry['response'] extends {
  schema: infer Schema extends z.ZodType;
}
  ? Promise<z.output<Schema>>
  : Entry['response'] extends { lines: infer Schema extends z.ZodType }
    ? AsyncGenerator<z.output<Schema>>
    : Promise<void>;

type ArgumentsOf<Entry extends RouteEntry, Rest extends readonly unknown[]> = Rest extends readonly []
  ? Record<never, never> extends CallOf<Entry>
    ? [call?: CallOf<Entry>]
    : [call: CallOf<Entry>]
  : [call: CallOf<Entry>, ...rest: Rest];

/** One function for each route of the table. */
export type Client<Table extends RouteTable, Rest extends readonly unknown[] = []> = {
  readonly [Name in keyof Table]: (...args: ArgumentsOf<Table[Name], Rest>) => AnswerOf<Table[Name]>;
};

/**
 * Makes a client of the service that `sender` reaches. Each answer is parsed by the route's schema, and each
 * problem is thrown as the error with its code, even a code that the route does not name.
 * @example
 * import { ServiceClient } from '@eigenveil/wire';
 * import { clientOf } from '@eigenveil/wire/routes';
 * import { OPERATOR_ROUTES } from '@eigenveil/wire/routes/data-user/operator';
 *
 * const dataUser = clientOf(OPERATOR_ROUTES, new ServiceClient({ url: text, credentials: { kind: 'bearer', token: text } }));
 * const { tasks } = await dataUser.tasks();
 */
export function clientOf<const Table extends RouteTable, Rest extends readonly unknown[]>(
  table: Table,
  sender: Sender<Rest>,
): Client<Table, Rest> {
  const calls = Object.entries(table).map(([name, entry]) => {
    const { response } = entry;
    const call = (told: Call = {}, ...rest: Rest) =>
      'lines' in response
        ? sender.lines!({ ...requestOf(entry, told), response: response.lines }, ...rest)
        : sender.send(
            { ...requestOf(entry, told), response: 'schema' in response ? response.schema : z.undefined() },
            ...rest,
          );
    return [name, call];
  });
  return Object.fromEntries(calls);
}

type Call = Readonly<Record<string, unknown>> & {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/**
 * Returns a call as a request of its route. The call may leave the body out where an empty JSON object is
 * valid.
 */
export function requestOf(
  { method, path, query, body }: RouteEntry,
  told: Call,
): Omit<ServiceRequest<z.ZodType>, 'response'> {
  const search = Object.keys(query?.shape ?? {})
    .filter((name) => told[name] !== undefined)
    .map((name) => `${name}=${encodeURIComponent(String(told[name]))}`);
  const filled = path.replaceAll(PARAMETER, (_, name: string) => encodeURIComponent(String(told[name])));
  return {
    method: method.toUpperCase() as 'GET',
    path: [filled, search.join('&')].filter((part) => part !== '').join('?'),
    ...(body !== undefined &&
      ('json' in body ? { json: told.body ?? {} } : { bytes: told.body as Uint8Array })),
    ...(told.headers && { headers: told.headers }),
  };
}
