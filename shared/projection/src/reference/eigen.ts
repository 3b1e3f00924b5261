/** Symmetric and symmetric-definite eigenproblems, guarded: checked, descending, of unit length and with a fixed sign. */

import { CodedError } from '@eigenveil/platform';
import { CholeskyDecomposition, EigenvalueDecomposition, Matrix } from 'ml-matrix';
import { notPositiveDefinite, PROJECTION_CODES } from '../codes.ts';

export interface EigenPairs {
  /** Descending. */
  readonly values: number[];
  /** vectors[i] belongs to values[i]; length 1, sign as `fixSign`. */
  readonly vectors: number[][];
}

/**
 * Entries within this fraction of the largest magnitude tie with it; the first of them is made positive. Without it,
 * rounding would choose between entries that are equal on paper, as in (1, -1)/√2.
 */
const TIE = 1e-9;

/** Far below any entry of a scatter matrix, of which the least is about 2^-100, and far above the subnormal numbers. */
const SMALLEST_ENTRY = 2 ** -900;

/**
 * All eigenpairs of the symmetric matrix (d × d); where it is not quite symmetric, of its symmetric part. The vectors
 * are orthonormal, also for equal eigenvalues, where they are one of many bases.
 * @throws ERR_NOT_FINITE
 */
export function symmetricEigen(matrix: readonly (readonly number[])[]): EigenPairs {
  const cleared = clearTraces(symmetrise(matrix));
  const decomposition = new EigenvalueDecomposition(new Matrix(cleared), { assumeSymmetric: true });
  const columns = decomposition.eigenvectorMatrix.transpose().to2DArray();
  return arrange(decomposition.realEigenvalues, columns);
}

/**
 * All eigenpairs of A w = λ B w for symmetric A and symmetric positive definite B (d × d), by B = L Lᵀ and the symmetric
 * problem L⁻¹ A L⁻ᵀ y = λ y, w = L⁻ᵀ y (Golub and Van Loan, "Matrix Computations", algorithm 8.7.1). Vectors have
 * length 1 and are orthogonal with respect to B, not to each other.
 * @throws ERR_NOT_FINITE, ERR_NOT_POSITIVE_DEFINITE (also when B is so to within rounding only)
 */
export function generalisedEigen(
  A: readonly (readonly number[])[],
  B: readonly (readonly number[])[],
): EigenPairs {
  const L = cholesky(symmetrise(B));
  // Each solve works on rows: first L⁻¹ A, then L⁻¹ (L⁻¹ A)ᵀ = L⁻¹ A L⁻ᵀ.
  const half = transpose(symmetrise(A).map((column) => solveLower(L, column)));
  const reduced = half.map((column) => solveLower(L, column));
  const { values, vectors } = symmetricEigen(reduced);
  return arrange(
    values,
    vectors.map((y) => solveUpper(L, y)),
  );
}

/**
 * x of B x = y for a symmetric positive definite B (d × d), by Cholesky's factor.
 * @throws ERR_NOT_FINITE, ERR_NOT_POSITIVE_DEFINITE (also when B is so to within rounding only)
 */
export function solveDefinite(B: readonly (readonly number[])[], y: readonly number[]): number[] {
  const L = cholesky(symmetrise(B));
  return solveUpper(L, solveLower(L, y));
}

/** Sorts by descending eigenvalue, scales to length 1 and fixes signs. */
function arrange(values: readonly number[], vectors: readonly (readonly number[])[]): EigenPairs {
  const order = values.map((_, i) => i).sort((a, b) => values[b]! - values[a]!);
  return {
    values: order.map((i) => values[i]!),
    vectors: order.map((i) => fixSign(unit(vectors[i]!))),
  };
}

function unit(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  return vector.map((entry) => entry / length);
}

/** The vector with its entry of largest magnitude positive. */
export function fixSign(vector: readonly number[]): number[] {
  const largest = Math.max(...vector.map(Math.abs));
  const leading = vector.find((entry) => Math.abs(entry) >= largest * (1 - TIE))!;
  // Adding 0 turns -0 into 0.
  return vector.map((entry) => (leading < 0 ? -entry : entry) + 0);
}

function symmetrise(matrix: readonly (readonly number[])[]): number[][] {
  const result = matrix.map((row, i) => row.map((entry, j) => (entry + matrix[j]![i]!) / 2));
  // The library answers NaN with NaN, or not at all.
  if (!result.every((row) => row.every(Number.isFinite))) {
    throw new CodedError(PROJECTION_CODES.ERR_NOT_FINITE, 'matrix expected finite entries, got others');
  }
  return result;
}

/**
 * Zero for entries that are too small to matter. The library divides by entries off the diagonal: a subnormal one
 * overflows, and it fails. An entry below ε² of the largest is far below the rounding errors of any solver.
 */
function clearTraces(matrix: readonly (readonly number[])[]): number[][] {
  const largest = Math.max(...matrix.map((row) => Math.max(...row.map(Math.abs))));
  const trace = Math.max(largest * Number.EPSILON ** 2, SMALLEST_ENTRY);
  return matrix.map((row) => row.map((entry) => (Math.abs(entry) < trace ? 0 : entry)));
}

/**
 * The lower triangle L with B = L Lᵀ.
 * @throws ERR_NOT_POSITIVE_DEFINITE, also when B is so to within rounding only
 */
export function cholesky(B: readonly (readonly number[])[]): number[][] {
  const decomposition = new CholeskyDecomposition(new Matrix(B.map((row) => [...row])));
  const L = decomposition.lowerTriangularMatrix.to2DArray();
  // Rounding alone can leave a singular matrix with pivots of about this size (Higham, "Accuracy and Stability of
  // Numerical Algorithms", theorem 10.3); anything below is noise.
  const floor = B.length * Number.EPSILON * Math.max(...B.map((row, i) => row[i]!));
  if (!decomposition.isPositiveDefinite() || L.some((row, i) => !(row[i]! ** 2 > floor))) {
    throw notPositiveDefinite();
  }
  return L;
}

/** x with L x = b. */
function solveLower(L: readonly (readonly number[])[], b: readonly number[]): number[] {
  const x = [...b];
  for (let i = 0; i < x.length; i++) {
    for (let j = 0; j < i; j++) x[i]! -= L[i]![j]! * x[j]!;
    x[i]! /= L[i]![i]!;
  }
  return x;
}

/** x with Lᵀ x = b. */
function solveUpper(L: readonly (readonly number[])[], b: readonly number[]): number[] {
  const x = [...b];
  for (let i = x.length - 1; i >= 0; i--) {
    for (let j = i + 1; j < x.length; j++) x[i]! -= L[j]![i]! * x[j]!;
    x[i]! /= L[i]![i]!;
  }
  return x;
}

function transpose(matrix: readonly (readonly number[])[]): number[][] {
  return matrix.map((_, j) => matrix.map((row) => row[j]!));
}
