/**
 * Sends requests of a page to a service: JSON and streams of JSON lines, every answer checked by its schema.
 * Errors are those of the command line: a CodedError.
 */
import { CodedError } from '@eigenveil/platform';
import type { ServiceRequest } from '@eigenveil/wire';
import { CODES, errorFromProblem, parseJson } from '@eigenveil/wire/errors';
import type { z } from 'zod';

/** The time within which an answer must begin. */
const PATIENCE_MILLISECONDS = 60_000;
/** The longest line of a stream, in UTF-16 units; expected lines are far shorter. */
const LONGEST_LINE = 4 * 1024 * 1024;

/** A request to the service that hands the page out. */
export interface PageRequest<Schema extends z.ZodType = z.ZodType>
  extends Pick<ServiceRequest<Schema>, 'method' | 'path' | 'json' | 'response'> {
  /** The token for `Authorization`. */
  readonly bearer?: string | undefined;
  readonly signal?: AbortSignal;
}

/**
 * @throws the code of the problem that the service tells, or ERR_PEER_UNREACHABLE, ERR_PEER_TIMEOUT,
 *   ERR_PEER_PROTOCOL
 * @throws DOMException AbortError when `signal` aborts
 */
export async function send<Schema extends z.ZodType>(
  request: PageRequest<Schema>,
): Promise<z.output<Schema>> {
  const answer = await ask(request, AbortSignal.timeout(PATIENCE_MILLISECONDS));
  const body = request.response.safeParse(parseJson(await textOf(answer, request)));
  if (!body.success) throw unexpected(answer.status);
  return body.data;
}

/**
 * Returns the lines of a stream of NDJSON as they arrive, until the service ends it.
 * @param silence milliseconds without a byte after which the connection counts as broken (ERR_PEER_TIMEOUT)
 * @throws as send
 */
export async function* lines<Schema extends z.ZodType>(
  request: PageRequest<Schema>,
  silence: number,
): AsyncGenerator<z.output<Schema>> {
  const quiet = new AbortController();
  let timer = setTimeout(() => quiet.abort(), silence);
  try {
    const answer = await ask(request, quiet.signal);
    if (answer.body === null) throw unexpected(answer.status);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    const split = lineSplitter();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => quiet.abort(), silence);
      for (const line of split(value)) {
        const parsed = request.response.safeParse(parseJson(line));
        if (!parsed.success) throw unexpected(answer.status);
        yield parsed.data;
      }
    }
  } catch (error) {
    throw readable(error, request, quiet.signal);
  } finally {
    clearTimeout(timer);
    quiet.abort(); // a reader that stops closes the connection
  }
}

/**
 * Returns a function that takes pieces of text and returns the whole lines in them, without empty ones.
 * @throws ERR_PEER_PROTOCOL when a line is too long
 */
export function lineSplitter(longest = LONGEST_LINE): (piece: string) => string[] {
  let begun = '';
  return (piece) => {
    const lines = `${begun}${piece}`.split('\n');
    begun = lines.pop()!;
    if (begun.length > longest)
      throw new CodedError(CODES.ERR_PEER_PROTOCOL, 'a line of the stream is too long');
    return lines.filter((it) => it !== '');
  };
}

async function ask(request: PageRequest, overdue: AbortSignal): Promise<Response> {
  const { method, path, bearer, json, signal } = request;
  const headers: Record<string, string> = {};
  if (bearer !== undefined) headers.authorization = `Bearer ${bearer}`;
  if (json !== undefined) headers['content-type'] = 'application/json';
  let answer: Response;
  try {
    answer = await fetch(path, {
      method,
      headers,
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      signal: signal === undefined ? overdue : AbortSignal.any([signal, overdue]),
      credentials: 'omit',
      redirect: 'error',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
    });
  } catch (error) {
    throw readable(error, request, overdue);
  }
  if (answer.ok) return answer;
  const after = Number(answer.headers.get('retry-after') ?? Number.NaN);
  const problem = errorFromProblem(await textOf(answer, request), Number.isFinite(after) ? after : undefined);
  throw problem ?? unexpected(answer.status);
}

async function textOf(answer: Response, request: PageRequest): Promise<string> {
  try {
    return await answer.text();
  } catch (error) {
    throw readable(error, request, undefined);
  }
}

/** Returns an error that says why a fetch may have failed: browsers do not say it. */
function readable(error: unknown, request: PageRequest, overdue: AbortSignal | undefined): unknown {
  if (request.signal?.aborted || error instanceof CodedError) return error;
  if (overdue?.aborted || (error instanceof DOMException && error.name === 'TimeoutError'))
    return new CodedError(CODES.ERR_PEER_TIMEOUT, 'the service did not answer in time', { cause: error });
  return new CodedError(CODES.ERR_PEER_UNREACHABLE, 'the service cannot be reached', { cause: error });
}

function unexpected(status: number): CodedError {
  const message = `the service gave an answer that this page does not understand (status ${status})`;
  return new CodedError(CODES.ERR_PEER_PROTOCOL, message);
}
