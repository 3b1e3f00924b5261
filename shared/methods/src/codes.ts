/**
 * The codes of a task that does not fit its method, and the rules whose breach is an invalid task. Messages
 * name a task's parameters, which are public.
 */
import { CodedError, codes, type Words, words } from '@eigenveil/platform';

export const METHOD_CODES = codes({
  ERR_FULL_RANK: { status: 422, title: 'The result would reveal the whole scatter matrix' },
  ERR_PROGRAM_INVALID: { status: 422, title: 'The task does not fit its method or its two-party protocol' },
  ERR_TASK_INVALID: { status: 422, title: 'The task is not valid' },
  ERR_TOO_MANY_COMPONENTS: { status: 422, title: 'More components than the method can have' },
});

/** @returns a check that throws ERR_TASK_INVALID with this message unless it holds */
export function expecting(holds: boolean, message: Words | string): () => void {
  return () => {
    if (!holds) throw new CodedError(METHOD_CODES.ERR_TASK_INVALID, message);
  };
}

/** @returns a check that throws ERR_TASK_INVALID unless the rule holds */
export function rule(
  holds: boolean,
  title: string,
  expected: Words | string,
  got: string | number,
): () => void {
  return expecting(holds, expectation(title, expected, got));
}

export function invalid(title: string, expected: Words | string, got: string | number): CodedError {
  return new CodedError(METHOD_CODES.ERR_TASK_INVALID, expectation(title, expected, got));
}

/** Returns the message of a rule that is broken; it begins with the place in the task. */
export function expectation(title: string, expected: Words | string, got: string | number): Words {
  return words`"${title}" expected ${expected}, got ${got}`;
}
