/** The widths of the numbers of the discriminant programs; docs/precision.md says why. */
import { gatesPerProduct } from '../circuits/index.ts';

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
