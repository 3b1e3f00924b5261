/** Errors of this package that several of its files and others throw. */
import { CodedError } from '@eigenveil/platform';
import { PROJECTION_CODES } from './codes.ts';

/** B of a pencil is not positive definite. */
export function notPositiveDefinite(): CodedError {
  return new CodedError(
    PROJECTION_CODES.ERR_NOT_POSITIVE_DEFINITE,
    'the noise matrix is not clearly positive definite: propose a task with a larger ridge, or without features that are constant or follow from others',
  );
}
