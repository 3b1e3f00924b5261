/**
 * Problem details as they come from a service (RFC 9457), and the errors that they stand for. Needs nothing
 * of the system.
 */
import type { CodedError } from '@eigenveil/platform';
import { z } from 'zod';
import { errorCodeOf, fromProblem } from '../errors.ts';
import { CodeOfError, PeerText } from './status.ts';

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
export function isTransient(error: unknown): boolean {
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
