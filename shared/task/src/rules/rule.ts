/** A rule that the members of a task keep to, as a check that stands beside others in `checkAll`. */
import { CodedError, type Words, words } from '@eigenveil/platform';
import { TASK_CODES } from '../codes.ts';

/** @returns a check that throws ERR_TASK_INVALID unless the rule holds */
export function rule(
  holds: boolean,
  title: string,
  expected: Words | string,
  got: string | number,
): () => void {
  return () => {
    if (!holds) throw invalid(title, expected, got);
  };
}

export function invalid(title: string, expected: Words | string, got: string | number): CodedError {
  return new CodedError(TASK_CODES.ERR_TASK_INVALID, words`"${title}" expected ${expected}, got ${got}`);
}
