/** How wide the numbers of the PCA program are; docs/precision.md says why. */

/** Fraction bits of the normalised matrix, of reflections, rotations and vectors. */
export const FRACTION = 24;
/** Sign, one bit for integers up to 2, and the fraction: all of these numbers are below 2 in magnitude. */
export const WORD = FRACTION + 2;
/** Fraction bits of Sturm sequences. */
export const STURM_FRACTION = 20;
/** Bits of every eigenvalue that bisection finds. */
export const BISECTIONS = 19;
/** Magnitudes below 2^-NOTHING are next to nothing for a rotation: a few times the error of a shift. */
export const NOTHING = BISECTIONS - 1;
/** QL sweeps per eigenvalue. */
export const SWEEPS = 2;
/** Fraction bits of revealed means, traces and eigenvalues of the undivided scatter. */
export const EIGENVALUE_FRACTION = 24;
/** Fraction bits of the matrix, the eigenvalues and their vectors in the residual. */
export const RESIDUAL_FRACTION = 20;
export const RESIDUAL_VECTOR_FRACTION = 16;
/** A component's status bit says that ‖S w − λ w‖ <= 2^-10 λ_1. */
export const RESIDUAL_PLACES = 10;

/**
 * An eigenvalue of a d × d matrix with trace from 1/2 to 1 counts as zero below 2^-RANK_PLACES(d): what reduction and Sturm sequences may
 * make of one that is zero.
 */
export function rankPlaces(d: number): number {
  return Math.min(18, FRACTION - Math.ceil(2 * Math.log2(d)));
}
