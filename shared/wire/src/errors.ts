/**
 * The stable error codes of Eigenveil and their form on the wire: problem details, application/problem+json
 * (RFC 9457), as a service sends them and as a client reads them. This file needs nothing of the system.
 */
import { CodedError } from '@eigenveil/platform';
import { z } from 'zod';
import { CODES, ERROR_CODES, type ErrorCode } from './codes.ts';
import { printable } from './printable.ts';

export { CODES, type ErrorCode, WIRE_CODES } from './codes.ts';

/**
 * Problem details as they travel; `type` is `urn:eigenveil:error:` and the code in lower case with hyphens.
 */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode;
  readonly detail?: string;
}

/** Returns what a code says, in words that never vary. */
export function titleOf(code: ErrorCode): string {
  return CODES[code].title;
}

const KNOWN: ReadonlySet<unknown> = new Set(ERROR_CODES);

/** True when `code` is one of ours; Node's own codes (ERR_INVALID_ARG_TYPE …) are not. */
export function isErrorCode(code: unknown): code is ErrorCode {
  return KNOWN.has(code);
}

/** The code of an error of any package, or undefined when it carries none of ours. */
export function errorCodeOf(error: unknown): ErrorCode | undefined {
  return error instanceof CodedError && isErrorCode(error.code) ? error.code : undefined;
}

/**
 * Returns what a peer may see of an error: code, title and message when the code is ours, and only
 * ERR_INTERNAL otherwise, because the message of a foreign error may carry anything. A fault of a service
 * concerns its operator: such codes go without the message.
 * @example
 * import { CodedError } from '@eigenveil/platform';
 * import { CODES, toProblem } from '@eigenveil/wire';
 *
 * toProblem(new CodedError(CODES.ERR_BUSY, 'ask again in a second')).status; // → 503
 * toProblem(new Error('whatever it may say')).code; // → 'ERR_INTERNAL'
 */
export function toProblem(error: unknown): Problem {
  const code = errorCodeOf(error) ?? 'ERR_INTERNAL';
  if (code === 'ERR_INTERNAL' || code === 'ERR_DATABASE_ALTERED') return describe(code);
  return { ...describe(code), detail: (error as Error).message };
}

/** The error that a peer's problem details stand for. */
function fromProblem(problem: Problem, retryAfterSeconds?: number): CodedError {
  return new CodedError(CODES[problem.code], problem.detail ?? problem.title, {
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    toldByService: true,
  });
}

function describe(code: ErrorCode): Problem {
  const { status, title } = CODES[code];
  const token = code.slice('ERR_'.length).toLowerCase().replaceAll('_', '-');
  return { type: `urn:eigenveil:error:${token}`, title, status, code };
}

/** A text of a peer for people to read: it reaches terminals, logs and pages. */
export const PeerText = z.string().overwrite((text) => printable(text));

/** A stable code of an error. */
export const CodeOfError = z.enum(ERROR_CODES as [ErrorCode, ...ErrorCode[]]);

export const ProblemSchema = z.object({
  type: z.string(),
  title: PeerText,
  status: z.int(),
  code: CodeOfError,
  detail: PeerText.optional(),
});

/** The error that a peer's problem details (JSON) stand for; undefined when they are none. */
export function errorFromProblem(text: string, retryAfterSeconds?: number): CodedError | undefined {
  const problem = ProblemSchema.safeParse(parseJson(text));
  if (!problem.success) return undefined;
  const { detail, ...rest } = problem.data;
  return fromProblem({ ...rest, ...(detail === undefined ? {} : { detail }) }, retryAfterSeconds);
}

/**
 * Returns whether the peer could not be reached or had no time, so that the same request may succeed later.
 */
export function isTransient(error: unknown): error is CodedError {
  const code = errorCodeOf(error);
  return (
    code === 'ERR_PEER_UNREACHABLE' ||
    code === 'ERR_PEER_TIMEOUT' ||
    code === 'ERR_BUSY' ||
    code === 'ERR_DATABASE_UNREACHABLE' ||
    code === 'ERR_RATE_LIMITED'
  );
}

/** The value that a text of JSON stands for; undefined when it stands for none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
