/**
 * Says what an error in the computation of a task means: another attempt, a fault that counts, or the failure
 * of the task.
 */
import { isOf } from '@eigenveil/platform';
import { SERVER_CODES } from '@eigenveil/server';
import { TWO_PARTY_CODES } from '@eigenveil/two-party';
import { type ErrorCode, errorCodeOf, newSalt, toProblem } from '@eigenveil/wire';
import type { StageResult, StoredTask } from '../store/store.ts';

/** Attempts at a computation that end with a fault of a program or in what came over the line. */
export const MOST_FAULTS = 3;

/**
 * Errors before an answer that no further attempt can correct. All others are tried again, since a person may
 * correct them (a wrong clock, say).
 */
const FATAL_CODES: ReadonlySet<ErrorCode> = new Set([
  'ERR_MINIMUM_OWNERS',
  'ERR_OWNER_COUNT',
  'ERR_UNBLINDING_CONFLICT',
  'ERR_FULL_RANK',
  'ERR_TOO_MANY_COMPONENTS',
  'ERR_TASK_CLOSED',
  'ERR_TASK_UNKNOWN',
  'ERR_TASK_MISMATCH',
  'ERR_DATABASE_ALTERED',
  'ERR_RECORD_INVALID',
  'ERR_RECORDS_CHANGED',
  'ERR_OWNER_REVOKED',
  'ERR_CONTRIBUTION_CONFLICT',
  'ERR_CIPHERTEXT_INVALID',
  'ERR_CIPHERTEXT_LENGTH',
  'ERR_PACKING_OVERFLOW',
  'ERR_TASK_FULL',
  'ERR_CHANNEL_MESSAGE',
  'ERR_OT_POINT',
  'ERR_GARBLING_MESSAGE',
  'ERR_TASK_ANSWERED',
  'ERR_ANSWER_DIFFERS',
  'ERR_PROJECTION_CONFLICT',
  'ERR_PROVENANCE_INVALID',
]);

/**
 * Checks of what came over the line before the answer, which a guess at this server's secrets fails; and an
 * error that is neither a fault of ours nor of the peer's, but unknown.
 */
const FAULTS: ReadonlySet<ErrorCode> = new Set(['ERR_OT_CHECK', 'ERR_INTERNAL']);

/** Says whether no further attempt can correct it. */
export function isFatal(error: unknown): boolean {
  const code = errorCodeOf(error);
  return code !== undefined && FATAL_CODES.has(code);
}

/**
 * Says whether it came from a program, here or at the CSP, or from what came over the line: neither the line
 * itself nor this machine.
 */
export function isFault(error: unknown): boolean {
  if (isOf(SERVER_CODES, error)) return false; // a key that this machine lacks, say: its operator adds it
  const code = errorCodeOf(error);
  const atCsp = isOf(TWO_PARTY_CODES, error) && error.parameters.reason === 'ERR_COMPUTATION';
  return code === undefined || FAULTS.has(code) || atCsp;
}

/**
 * Returns the end of a task that fails. For an unblinded task a digest is registered in any case: one of no
 * projection, since the CSP must not learn that there is none.
 */
export function failedBy({ state, failure: known }: StoredTask, error: unknown): StageResult {
  const { code, detail, title } = toProblem(error);
  const failure = known ?? { code, message: detail ?? title };
  return state === 'unblinded'
    ? { to: 'decomposed', failure, provenance: { projectionDigest: newSalt() } }
    : { to: 'failed', failure };
}
