/** The share of the variance of rows that a linear map of reduced rows explains, and reduced rows in units of their deviations. */
import { Matrix, SingularValueDecomposition } from 'ml-matrix';
import { dot, eigenpairs } from '../privacy/methods/matrix.ts';
import type { Row } from '../privacy/methods/method.ts';

/** Below this share of the largest, a direction of reduced rows is constant except for rounding. */
const NEGLIGIBLE = 1e-12;

/** Each feature with mean 0 and variance 1 over these rows; 0 where it is constant. */
export function standardised(rows: readonly Row[]): (row: Row) => number[] {
  const matrix = new Matrix(rows as number[][]);
  const means = matrix.mean('column');
  const deviations = matrix.standardDeviation('column', { unbiased: false });
  return (row) => row.map((x, j) => (deviations[j]! > NEGLIGIBLE ? (x - means[j]!) / deviations[j]! : 0));
}

/**
 * tr(XᵀP X) over that of the best projection of as many dimensions, X the centred rows and P the projector on what reduced rows span: in [0, 1], the share of
 * the variance that as many principal components would explain.
 */
export function explained(rows: readonly Row[], reduced: readonly Row[]): number {
  const X = new Matrix(rows as number[][]).center('column');
  const best = eigenpairs(X.gram().to2DArray())
    .slice(0, reduced[0]!.length)
    .reduce((sum, { value }) => sum + value, 0);
  const Z = new Matrix(reduced.map(standardised(reduced)));
  const { leftSingularVectors, diagonal } = new SingularValueDecomposition(Z, {
    computeRightSingularVectors: false,
    autoTranspose: true,
  });
  const along = leftSingularVectors.transpose().mmul(X).to2DArray();
  const captured = along.reduce(
    (sum, row, i) => (diagonal[i]! ** 2 > NEGLIGIBLE * diagonal[0]! ** 2 ? sum + dot(row, row) : sum),
    0,
  );
  return best > 0 ? captured / best : 0;
}
