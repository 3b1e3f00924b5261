/** Checks what a window may be: one reduced row, as a Float64Array of k numbers, the same k everywhere. */
import { CodedError } from '@eigenveil/platform';
import { AUTHENTICATION_CODES } from './codes.ts';

/** Components of a window; more than any task offers (see docs/tasks.md). */
export const MAXIMUM_DIMENSIONS = 512;

/**
 * Features lie in [−1, 1] and vectors have length 1, so an entry is below √d. What is larger than this is no
 * reduced row, and its squares would soon be no numbers.
 */
export const LARGEST_ENTRY = 1e6;

/**
 * Refuses a value that is not a window.
 * @throws ERR_WINDOW_INVALID when it has another width than `dimensions`, or an entry that is not finite or
 *   beyond ±10⁶
 */
export function checkWindow(window: Float64Array, dimensions: number): void {
  if (window.length !== dimensions)
    throw new CodedError(
      AUTHENTICATION_CODES.ERR_WINDOW_INVALID,
      `"window" expected ${dimensions} numbers, got ${window.length}`,
    );
  for (let i = 0; i < dimensions; i += 1) {
    // Written so that NaN is refused.
    if (!(Math.abs(window[i]!) <= LARGEST_ENTRY))
      throw new CodedError(
        AUTHENTICATION_CODES.ERR_WINDOW_INVALID,
        `"window[${i}]" expected a finite number within ±${LARGEST_ENTRY}, as reduced rows have them`,
      );
  }
}

/** @throws RangeError when it is no number of components */
export function checkDimensions(dimensions: number): void {
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > MAXIMUM_DIMENSIONS)
    throw new RangeError(
      `"dimensions" expected an integer from 1 to ${MAXIMUM_DIMENSIONS}, got ${dimensions}`,
    );
}
