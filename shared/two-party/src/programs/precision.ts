/**
 * The widths of the numbers of the programs: first those of PCA, some of which the discriminant programs share, then
 * those of the discriminant programs. docs/precision.md says why.
 */
import { gatesPerProduct } from '../circuits/index.ts';

/** Fraction bits of the normalised matrix, of reflections, rotations and vectors. */
export const FRACTION = 24;
/** Sign, one bit for integers up to 2, and the fraction: all of these numbers are below 2 in magnitude. */
export const WORD = FRACTION + 2;
/** Fraction bits of Sturm sequences. */
export const STURM_FRACTION = 22;
/** Bits of every eigenvalue that bisection finds. */
export const BISECTIONS = 20;
/** Magnitudes below 2^-NOTHING are almost zero for a rotation: a few times the error of a shift. */
export const NOTHING = BISECTIONS - 1;
/** QL sweeps per eigenvalue. */
export const SWEEPS = 2;
/** Fraction bits of revealed numbers. */
export const REVEALED_FRACTION = {
  /** Means, traces and eigenvalues of the undivided scatter. */
  scatter: 24,
  /** Eigenvalues of the discriminant methods' pencils. */
  pencil: 28,
} as const;
/** Fraction bits of the matrix, the eigenvalues and their vectors in the residual. */
export const RESIDUAL_FRACTION = 20;
export const RESIDUAL_VECTOR_FRACTION = 16;
/**
 * A component's status bit compares with 2^-RESIDUAL_PLACES: of a PCA it says that ‖S w − λ w‖ <= 2^-10 λ_1.
 */
export const RESIDUAL_PLACES = 10;

/**
 * With both servers' noise E, of deviation σ off the diagonal and norm 2√d σ, T = S + E of two features and
 * more has no eigenvalue below −4 norms, which is what all are raised by, except with a probability of 2^−46
 * (two features, in closed form; less of more). And none exceeds the trace by more than the largest of E −
 * tr(E) I, for S has none that is negative: for a unit vector v the deviation of vᵀEv − tr(E) is σ√(2(d −
 * 1)), and the mean of its largest at most the norm, so that it is at most 1 + 7.1/√2 norms, again except
 * with probability 2^−40 (Borell, Tsirelson, Ibragimov and Sudakov). Together less than 16.
 */
export const RAISE_PLACES = 2;
export const NORM_PLACES = 4;

/**
 * With a trace from 1/2 to 1 an eigenvalue below 2^-rankPlaces(d) may be zero: the rounding of Sturm
 * sequences amounts to at most about 11 units of 2^-STURM_FRACTION in the entries of T, and that of d
 * reflections to about d^1.5 units of 2^-FRACTION.
 */
export function rankPlaces(d: number): number {
  const units = 11 * 2 ** (FRACTION - STURM_FRACTION) + d ** 1.5;
  return Math.floor(FRACTION - Math.log2(units));
}

/** Fraction bits of the scaled noise matrix, its Cholesky factor, and everything that is solved with it. */
export const SOLVE_FRACTION = 32;
/** A sign and one bit for integers below 2. */
export const SOLVE_WORD = SOLVE_FRACTION + 2;
/** AND gates of a product of two such numbers and what is done with it, at most. */
export const SOLVE_PRODUCT_GATES = gatesPerProduct(SOLVE_WORD, SOLVE_WORD, SOLVE_FRACTION) + SOLVE_WORD;
/** A pivot of the noise matrix, whose diagonal is from 1/4 to 1, must be at least 2^-PIVOT_PLACES. */
export const PIVOT_PLACES = 20;
/** 1 − λ must be at least 2^-MARGIN_PLACES where 1/(1 − λ) is the eigenvalue. */
export const MARGIN_PLACES = 16;
/** More bits for what is multiplied by a power of two of up to 2^(PIVOT_PLACES / 2) afterwards. */
export const SCALING_GUARD = 6;
/** Solutions of triangular systems, which may be large: fraction bits, and bits. */
export const SOLUTION_FRACTION = SOLVE_FRACTION - 4;
export const SOLUTION_WORD = SOLUTION_FRACTION + 14;
/** Bits for the integer part of eigenvalues that nothing bounds by 1. */
export const INTEGER_BITS = 14;
/** Fraction bits of revealed vectors. */
export const VECTOR_FRACTION = 26;
/** Eigenvalues below 2^-NOISE_PLACES of the unit are as good as 0. */
export const NOISE_PLACES = 18;
