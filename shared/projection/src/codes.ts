/**
 * The codes of errors of this package. Messages name arguments and public numbers, and never hold an entry of the
 * statistics.
 */

import { CodedError } from '@eigenveil/platform';
import { STATISTICS_CODES } from '@eigenveil/statistics/codes';
import { TASK_CODES } from '@eigenveil/task/codes';
import { WIRE_CODES } from '@eigenveil/wire/errors';

export const PROJECTION_CODES = {
  ERR_BASIS_INVALID: WIRE_CODES.ERR_BASIS_INVALID,
  ERR_FULL_RANK: TASK_CODES.ERR_FULL_RANK,
  ERR_ILL_CONDITIONED: WIRE_CODES.ERR_ILL_CONDITIONED,
  ERR_MINIMUM_OWNERS: WIRE_CODES.ERR_MINIMUM_OWNERS,
  ERR_NO_SAMPLES: WIRE_CODES.ERR_NO_SAMPLES,
  ERR_NOT_FINITE: STATISTICS_CODES.ERR_NOT_FINITE,
  ERR_NOT_POSITIVE_DEFINITE: WIRE_CODES.ERR_NOT_POSITIVE_DEFINITE,
  ERR_PROGRAM_INVALID: TASK_CODES.ERR_PROGRAM_INVALID,
  ERR_PROJECTION_INVALID: WIRE_CODES.ERR_PROJECTION_INVALID,
  ERR_SINGLE_CLASS: WIRE_CODES.ERR_SINGLE_CLASS,
  ERR_STATISTICS_INVALID: WIRE_CODES.ERR_STATISTICS_INVALID,
};

/** B of a pencil is not positive definite. */
export function notPositiveDefinite(): CodedError {
  return new CodedError(
    PROJECTION_CODES.ERR_NOT_POSITIVE_DEFINITE,
    'the noise matrix is not clearly positive definite: propose a task with a larger ridge, or without features that are constant or follow from others',
  );
}
