/** The one error class of this package: every failure that a caller can act on carries a stable code. */

export type ProjectionErrorCode =
  | 'ERR_BASIS_INVALID'
  | 'ERR_FULL_RANK'
  | 'ERR_ILL_CONDITIONED'
  | 'ERR_MINIMUM_OWNERS'
  | 'ERR_NO_SAMPLES'
  | 'ERR_NOT_FINITE'
  | 'ERR_NOT_POSITIVE_DEFINITE'
  | 'ERR_PROGRAM_INVALID'
  | 'ERR_PROJECTION_INVALID'
  | 'ERR_SINGLE_CLASS'
  | 'ERR_STATISTICS_INVALID';

/** Messages name arguments and public numbers, and never hold an entry of the statistics. */
export class ProjectionError extends Error {
  override readonly name = 'ProjectionError';
  readonly code: ProjectionErrorCode;

  constructor(code: ProjectionErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** B of a pencil is not positive definite. */
export function notPositiveDefinite(): ProjectionError {
  return new ProjectionError(
    'ERR_NOT_POSITIVE_DEFINITE',
    'the noise matrix is not clearly positive definite: propose a task with a larger ridge, or without features that are constant or follow from others',
  );
}
