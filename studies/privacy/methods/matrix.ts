/** Sums over rows and eigenvectors, in doubles: the arithmetic that published methods share. */

import { invalid } from '@eigenveil/privacy/parts';
import { EigenvalueDecomposition, Matrix, QrDecomposition } from 'ml-matrix';
import type { PcaSetting, Row, Site } from './method.ts';

/** Symmetric, d × d. */
export type Square = readonly (readonly number[])[];

export const featuresOf = (sites: readonly Site[]): number =>
  sites.find(({ length }) => length > 0)![0]!.length;

/** The number of rows at all sites. */
export const rowsOf = (sites: readonly Site[]): number => sites.reduce((sum, { length }) => sum + length, 0);

/** Without underflow: rows may lie as close to their mean as they like. */
export const norm = (values: readonly number[]): number => Math.hypot(...values);

export const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, x, i) => sum + x * b[i]!, 0);

const matrixOf = (rows: readonly Row[], dimension: number): Matrix =>
  rows.length === 0 ? new Matrix(0, dimension) : new Matrix(rows as number[][]);

/** Σ x xᵀ. */
export const secondMoment = (rows: readonly Row[], dimension: number): number[][] =>
  matrixOf(rows, dimension).gram().to2DArray();

/** Σ x. */
export const sumOfRows = (rows: readonly Row[], dimension: number): number[] =>
  matrixOf(rows, dimension).sum('column');

export const squareOf = (dimension: number, entry: (i: number, j: number) => number): number[][] =>
  Array.from({ length: dimension }, (_, i) => Array.from({ length: dimension }, (_, j) => entry(i, j)));

export const add = (a: Square, b: Square): number[][] => squareOf(a.length, (i, j) => a[i]![j]! + b[i]![j]!);

export const scaled = (a: Square, factor: number): number[][] =>
  squareOf(a.length, (i, j) => a[i]![j]! * factor);

/** The entries on and above the diagonal, row by row. */
export const upperTriangle = (a: Square): number[] => a.flatMap((row, i) => row.slice(i));

/** The symmetric matrix of these entries on and above the diagonal. */
export function fromUpperTriangle(entries: readonly number[], dimension: number): number[][] {
  const at = (i: number, j: number) => i * dimension - (i * (i - 1)) / 2 + j - i;
  return squareOf(dimension, (i, j) => entries[at(Math.min(i, j), Math.max(i, j))]!);
}

/** Σ x xᵀ − V Vᵀ/Q of the sums of Q rows: their scatter around their mean. */
export const centredScatter = (R: Square, V: readonly number[], Q: number): number[][] =>
  squareOf(V.length, (i, j) => R[i]![j]! - (V[i]! * V[j]!) / Q);

/** The scatter of these rows around their exact mean. */
export const scatterOf = (rows: readonly Row[]): number[][] => {
  const d = rows[0]!.length;
  return centredScatter(secondMoment(rows, d), sumOfRows(rows, d), rows.length);
};

/**
 * The row, scaled down to length C where it is longer, and divided by C: ‖x‖₂ <= 1 for any C, so that noise for such rows is noise for rows that are
 * clipped to C. C = 0 is the limit: the row divided by its length. `longest` is what no row exceeds, and all that Infinity clips to.
 * @throws ERR_DP_PARAMETER unless C >= 0
 */
export function boundedRow(row: Row, clippingNorm: number, longest: number): Row {
  if (!(clippingNorm >= 0)) throw invalid('clippingNorm', 'a number >= 0 or Infinity', clippingNorm);
  const length = norm(row);
  const divisor = Math.max(length, Math.min(clippingNorm, longest));
  return divisor === 0 ? row : row.map((x) => x / divisor);
}

/** Rows as they are given, in the unit ball, clipped. */
export const bounded = (
  sites: readonly Site[],
  { clippingNorm }: Pick<PcaSetting, 'clippingNorm'>,
): Row[][] => sites.map((site) => site.map((row) => boundedRow(row, clippingNorm, 1)));

/** The rows less this vector of the unit ball, which leaves none longer than 2, clipped then. */
export const centreBy = (site: Site, mean: readonly number[], clippingNorm: number): Row[] =>
  site.map((row) => {
    const centred = row.map((x, i) => x - mean[i]!);
    return boundedRow(centred, clippingNorm, 2);
  });

/**
 * The rows less the exact mean of them all, clipped then: what publications start from that take centred rows as given. Nothing
 * protects that mean.
 */
export function centredExactly(
  sites: readonly Site[],
  { clippingNorm }: Pick<PcaSetting, 'clippingNorm'>,
): Row[][] {
  const mean = sumOfRows(sites.flat(), featuresOf(sites)).map((x) => x / rowsOf(sites));
  return sites.map((site) => centreBy(site, mean, clippingNorm));
}

/** Eigenpairs of a symmetric matrix, largest eigenvalue first. */
export function eigenpairs(matrix: Square): { readonly value: number; readonly vector: number[] }[] {
  const eigen = new EigenvalueDecomposition(new Matrix(matrix as number[][]), { assumeSymmetric: true });
  const vectors = eigen.eigenvectorMatrix.transpose().to2DArray();
  return eigen.realEigenvalues
    .map((value, i) => ({ value, vector: vectors[i]! }))
    .sort((a, b) => b.value - a.value);
}

/** Eigenvectors of the largest eigenvalues of a symmetric matrix. */
export const topEigenvectors = (matrix: Square, components: number): number[][] =>
  eigenpairs(matrix)
    .slice(0, components)
    .map(({ vector }) => vector);

/** Left singular vectors of the largest singular values of a symmetric matrix: its eigenvectors by |λ|. */
export const topSingularVectors = (matrix: Square, components: number): number[][] =>
  eigenpairs(matrix)
    .sort((a, b) => Math.abs(b.value) - Math.abs(a.value))
    .slice(0, components)
    .map(({ vector }) => vector);

/** Gram and Schmidt's vectors of a list of independent ones, by QR decomposition. */
export const orthonormal = (vectors: readonly (readonly number[])[]): number[][] =>
  new QrDecomposition(new Matrix(vectors as number[][]).transpose()).orthogonalMatrix.transpose().to2DArray();

/** A v, of the rows of A. */
export const times = (a: readonly Row[], v: readonly number[]): number[] => a.map((row) => dot(row, v));
