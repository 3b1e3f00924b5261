/** Clients that follow from a table of routes: one typed function for each route. */
import { z } from 'zod';
import type { ServiceRequest } from '../transport/client.ts';
import { PARAMETER, type RouteEntry, type RouteTable } from './table.ts';

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
