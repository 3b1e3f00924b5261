/** Tells somebody at this page what kind of problem an error is, by its code: the one place of such titles. */
import { CodedError, isOf } from '@eigenveil/platform';
import { STATISTICS_CODES, type StatisticsCode } from '@eigenveil/statistics/codes';
import { CODES, type ErrorCode, errorCodeOf, isTransient } from '@eigenveil/wire/errors';
import { DEVICE_CODES } from './codes.ts';

/** Refusals of a file that was read, and is not one for the task. */
const OF_TASK: ReadonlySet<string> = new Set<StatisticsCode>([
  'ERR_CLIPPED',
  'ERR_CSV_COLUMNS',
  'ERR_OUT_OF_RANGE',
  'ERR_TOO_MANY_ROWS',
  'ERR_UNKNOWN_CLASS',
  'ERR_UNREADABLE_CELLS',
]);

/** Refusals of the owner's own policy. */
const OF_POLICY: ReadonlySet<string> = new Set<ErrorCode>(['ERR_POLICY', 'ERR_BUDGET_EXHAUSTED']);

/** Faults of what was signed about a result. */
const UNTRUSTED: ReadonlySet<string> = new Set<ErrorCode>([
  'ERR_AGREEMENT_INVALID',
  'ERR_BASIS_INVALID',
  'ERR_KEY_INVALID',
  'ERR_PEER_PROTOCOL',
  'ERR_PROJECTION_INVALID',
  'ERR_PROVENANCE_EXCLUDED',
  'ERR_PROVENANCE_INVALID',
  'ERR_RECEIPT_INVALID',
]);

/** Returns the title of an error about a result: whoever answers may have a reason why there is none. */
export function resultTitle(error: unknown): string {
  if (isTransient(error)) return 'No connection to the data user: try again';
  return isOf(CODES, error) && UNTRUSTED.has(error.code)
    ? 'There is no result that you could trust'
    : 'There is no result';
}

/** @param refused the title of what was asked for and is refused, by a service or by the page */
export function problemTitle(error: unknown, refused = 'The file was refused'): string {
  if (isOf(STATISTICS_CODES, error))
    return OF_TASK.has(error.code) ? 'This file does not fit the task' : 'This file could not be read';
  if (!(error instanceof CodedError)) return 'This page has failed';
  if (isOf(DEVICE_CODES, error)) return 'This device cannot do it now';
  if (errorCodeOf(error) === 'ERR_INTERNAL') return 'The service has failed';
  if (isTransient(error)) return 'The connection failed';
  if (isOf(CODES, error) && OF_POLICY.has(error.code)) return 'Your policy does not allow it';
  return refused;
}
