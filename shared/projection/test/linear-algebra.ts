/** Scatter matrices straight from rows of numbers, and an eigensolver that shares no step with the one under test. */

import { EigenvalueDecomposition, inverse, Matrix } from 'ml-matrix';

type Rows = readonly (readonly number[])[];

export const matrixOf = (rows: Rows): Matrix => new Matrix(rows.map((row) => [...row]));

/** Sum of (x − mean)(x − mean)ᵀ. */
export function scatterOf(rows: Rows): Matrix {
  const centred = matrixOf(rows).center('column');
  return centred.transpose().mmul(centred);
}

/** Sum over classes of the scatter within each. */
export function withinOf(rows: Rows, classes: readonly number[]): Matrix {
  const d = rows[0]!.length;
  const total = Matrix.zeros(d, d);
  for (const k of new Set(classes)) total.add(scatterOf(rows.filter((_, n) => classes[n] === k)));
  return total;
}

/** Sum over classes of M_k (mean_k − mean)(mean_k − mean)ᵀ. */
export function betweenOf(rows: Rows, classes: readonly number[]): Matrix {
  const mean = matrixOf(rows).mean('column');
  const d = mean.length;
  const total = Matrix.zeros(d, d);
  for (const k of new Set(classes)) {
    const members = rows.filter((_, n) => classes[n] === k);
    const offset = Matrix.columnVector(
      matrixOf(members)
        .mean('column')
        .map((m, i) => m - mean[i]!),
    );
    total.add(offset.mmul(offset.transpose()).mul(members.length));
  }
  return total;
}

export const withRidge = (matrix: Matrix, ridge: number): Matrix =>
  Matrix.add(matrix, Matrix.eye(matrix.rows, matrix.rows, ridge));

/** Eigenpairs of B⁻¹ A by the general, non-symmetric algorithm, descending; vectors as columns turned rows. */
export function generalEigen(A: Matrix, B: Matrix): { values: number[]; vectors: number[][] } {
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(inverse(B).mmul(A));
  const columns = eigenvectorMatrix.transpose().to2DArray();
  const order = realEigenvalues.map((_, i) => i).sort((a, b) => realEigenvalues[b]! - realEigenvalues[a]!);
  return { values: order.map((i) => realEigenvalues[i]!), vectors: order.map((i) => columns[i]!) };
}

/** Largest difference of two equally large matrices. */
export function difference(a: Rows, b: Rows): number {
  return Math.max(...a.flatMap((row, i) => row.map((entry, j) => Math.abs(entry - b[i]![j]!))));
}
