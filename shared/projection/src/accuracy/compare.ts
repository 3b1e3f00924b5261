/**
 * The distance of two projections, and the quality of one: principal angles, residuals, captured variance.
 */

import { Matrix, QrDecomposition, SingularValueDecomposition } from 'ml-matrix';

type Vectors = readonly (readonly number[])[];

/**
 * Unit vectors whose part outside the span of those before is shorter than this do not count as independent.
 */
const DEPENDENT = 1e-12;

/**
 * Principal angles between the spans of two lists of k vectors over d features, ascending, in [0, π/2]
 * radians.
 *
 * Angles below π/4 come from their sines, the singular values of (I − U Uᵀ) W for orthonormal U and W,
 * because cosines near 1 cannot tell 1e-8 from 0; the others come from cosines for the same reason (Björck
 * and Golub, "Numerical methods for computing angles between linear subspaces", 1973; Knyazev and Argentati,
 * 2002). Absolute error about 1e-15.
 * @throws RangeError when the lists differ in length or dimension, or the vectors of one are linearly
 * dependent
 * @example
 * import { principalAngles } from '@eigenveil/projection';
 *
 * principalAngles([[1, 0]], [[0, 2]]); // → [Math.PI / 2]
 */
export function principalAngles(a: Vectors, b: Vectors): number[] {
  if (a.length !== b.length || a[0]?.length !== b[0]?.length) {
    throw new RangeError(
      `lists of vectors expected the same size, got ${a.length} x ${a[0]?.length} and ${b.length} x ${b[0]?.length}`,
    );
  }
  const U = orthonormalise(a);
  const W = orthonormalise(b);
  const cosines = U.transpose().mmul(W);
  const sines = singularValues(Matrix.sub(W, U.mmul(cosines))).reverse();
  return singularValues(cosines).map((cosine, i) =>
    sines[i]! < Math.SQRT1_2 ? Math.asin(sines[i]!) : Math.acos(Math.min(1, cosine)),
  );
}

/**
 * ‖A w − λ B w‖, or ‖A w − λ w‖ without B: zero for an eigenpair.
 * @throws RangeError when the sizes differ
 */
export function residual(A: Vectors, value: number, vector: readonly number[], B?: Vectors): number {
  const left = multiply(A, vector);
  const right = B === undefined ? vector : multiply(B, vector);
  return Math.hypot(...left.map((entry, i) => entry - value * right[i]!));
}

/**
 * The fraction of the total scatter (d × d) that lies in the span of the vectors, tr(Uᵀ S̄ U)/tr(S̄) for an
 * orthonormal basis U; in [0, 1], and 0 when there is no scatter.
 * @throws RangeError when the sizes differ or the vectors are linearly dependent
 */
export function varianceCaptured(vectors: Vectors, totalScatter: Vectors): number {
  const trace = totalScatter.reduce((sum, row, i) => sum + row[i]!, 0);
  const basis = orthonormalise(vectors).transpose().to2DArray();
  const captured = basis.reduce((sum, u) => sum + inner(u, multiply(totalScatter, u)), 0);
  return trace === 0 ? 0 : captured / trace;
}

/** An orthonormal basis of the span, as the columns of a d × k matrix. */
function orthonormalise(vectors: Vectors): Matrix {
  const d = vectors[0]?.length ?? 0;
  if (vectors.length === 0 || vectors.length > d || vectors.some(({ length }) => length !== d)) {
    throw new RangeError(`vectors expected one to ${d} of length ${d}, got ${vectors.length}`);
  }
  // Unit lengths first, so that short vectors are not mistaken for dependent ones.
  const units = vectors.map((vector) => {
    const length = Math.hypot(...vector);
    return vector.map((entry) => entry / length);
  });
  const qr = new QrDecomposition(new Matrix(units).transpose());
  if (!qr.upperTriangularMatrix.diagonal().every((entry) => Math.abs(entry) > DEPENDENT)) {
    throw new RangeError('vectors expected linearly independent, got dependent ones');
  }
  return qr.orthogonalMatrix;
}

/** Descending. */
function singularValues(matrix: Matrix): number[] {
  return new SingularValueDecomposition(matrix, {
    computeLeftSingularVectors: false,
    computeRightSingularVectors: false,
  }).diagonal;
}

function multiply(matrix: Vectors, vector: readonly number[]): number[] {
  if (matrix.length !== vector.length) {
    throw new RangeError(`vector expected ${matrix.length} entries, got ${vector.length}`);
  }
  return matrix.map((row) => inner(row, vector));
}

function inner(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, entry, i) => sum + entry * b[i]!, 0);
}
