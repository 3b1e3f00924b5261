/** Errors as a service tells them. */
import type { CodedError } from '@eigenveil/platform';
import { CODES, type ErrorCode, errorFromProblem } from '@eigenveil/wire/errors';

/** The problem with a code, in the words of whoever runs the service. */
export function problemText(code: ErrorCode, detail: string): string {
  const { status, title } = CODES[code];
  return JSON.stringify({ type: 'urn:eigenveil:error:of-a-test', title, status, code, detail });
}

export function problemOf(code: ErrorCode, detail = '"member" expected something'): CodedError {
  return errorFromProblem(problemText(code, detail))!;
}
