/** Sums over rows and eigenvectors, in doubles: the arithmetic that published methods share. */

import { invalid } from '@eigenveil/privacy/parts';
import { EigenvalueDecomposition, Matrix, QrDecomposition } from 'ml-matrix';
import type { PcaSetting, Row, Site } from './method.ts';

/** Symmetric, d × d. */
export type Square = readonly (readonly number[])[];

export function pooled(sites: readonly Site[]): Row[] {
  return sites.flat();
}

export function featuresOf(sites: readonly Site[]): number {
  return sites.find((site) => site.length > 0)![0]!.length;
}

/** Of all sites. */
export function rowsOf(sites: readonly Site[]): number {
  return sites.reduce((sum, site) => sum + site.length, 0);
}

/** Without underflow: rows may lie as close to their mean as they like. */
export function norm(values: readonly number[]): number {
  return Math.hypot(...values);
}

/** Σ x xᵀ. */
export function secondMoment(rows: readonly Row[], dimension: number): number[][] {
  const sum = squareOf(dimension, () => 0);
  for (const row of rows) {
    for (let i = 0; i < dimension; i++) {
      const x = row[i]!;
      if (x === 0) continue;
      const target = sum[i]!;
      for (let j = i; j < dimension; j++) target[j]! += x * row[j]!;
    }
  }
  for (let i = 0; i < dimension; i++) for (let j = 0; j < i; j++) sum[i]![j] = sum[j]![i]!;
  return sum;
}

/** Σ x. */
export function sumOfRows(rows: readonly Row[], dimension: number): number[] {
  const sum = new Array<number>(dimension).fill(0);
  for (const row of rows) for (let i = 0; i < dimension; i++) sum[i]! += row[i]!;
  return sum;
}

export function squareOf(dimension: number, entry: (i: number, j: number) => number): number[][] {
  return Array.from({ length: dimension }, (_, i) =>
    Array.from({ length: dimension }, (_, j) => entry(i, j)),
  );
}

export function add(a: Square, b: Square): number[][] {
  return squareOf(a.length, (i, j) => a[i]![j]! + b[i]![j]!);
}

export function scaled(a: Square, factor: number): number[][] {
  return squareOf(a.length, (i, j) => a[i]![j]! * factor);
}

/** The entries on and above the diagonal, row by row. */
export function upperTriangle(a: Square): number[] {
  return a.flatMap((row, i) => row.slice(i));
}

/** The symmetric matrix of these entries on and above the diagonal. */
export function fromUpperTriangle(entries: readonly number[], dimension: number): number[][] {
  const at = (i: number, j: number) => i * dimension - (i * (i - 1)) / 2 + j - i;
  return squareOf(dimension, (i, j) => entries[at(Math.min(i, j), Math.max(i, j))]!);
}

/** Σ x xᵀ − V Vᵀ/Q of the sums of Q rows: their scatter around their mean. */
export function centredScatter(R: Square, V: readonly number[], Q: number): number[][] {
  return squareOf(V.length, (i, j) => R[i]![j]! - (V[i]! * V[j]!) / Q);
}

/** The longest that a row of the unit ball is once a vector of it is subtracted. */
const LONGEST_CENTRED = 2;

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
export function bounded(sites: readonly Site[], { clippingNorm }: Pick<PcaSetting, 'clippingNorm'>): Row[][] {
  return sites.map((site) => site.map((row) => boundedRow(row, clippingNorm, 1)));
}

/** The rows less this vector of the unit ball, clipped then. */
export function centreBy(site: Site, mean: readonly number[], clippingNorm: number): Row[] {
  return site.map((row) =>
    boundedRow(
      row.map((x, i) => x - mean[i]!),
      clippingNorm,
      LONGEST_CENTRED,
    ),
  );
}

/**
 * The rows less the exact mean of them all, clipped then: what publications start from that take centred rows as given. Nothing
 * protects that mean.
 */
export function centredExactly(
  sites: readonly Site[],
  { clippingNorm }: Pick<PcaSetting, 'clippingNorm'>,
): Row[][] {
  const mean = sumOfRows(pooled(sites), featuresOf(sites)).map((x) => x / rowsOf(sites));
  return sites.map((site) => centreBy(site, mean, clippingNorm));
}

/** Eigenpairs of a symmetric matrix, largest eigenvalue first. */
export function eigenpairs(matrix: Square): { readonly value: number; readonly vector: number[] }[] {
  const eigen = new EigenvalueDecomposition(new Matrix(matrix.map((row) => [...row])), {
    assumeSymmetric: true,
  });
  const vectors = eigen.eigenvectorMatrix.transpose().to2DArray();
  return eigen.realEigenvalues
    .map((value, i) => ({ value, vector: vectors[i]! }))
    .sort((a, b) => b.value - a.value);
}

/** Eigenvectors of the largest eigenvalues of a symmetric matrix. */
export function topEigenvectors(matrix: Square, components: number): number[][] {
  return eigenpairs(matrix)
    .slice(0, components)
    .map(({ vector }) => vector);
}

/** Left singular vectors of the largest singular values of a symmetric matrix: its eigenvectors by |λ|. */
export function topSingularVectors(matrix: Square, components: number): number[][] {
  return eigenpairs(matrix)
    .sort((a, b) => Math.abs(b.value) - Math.abs(a.value))
    .slice(0, components)
    .map(({ vector }) => vector);
}

/** Gram and Schmidt's vectors of a list of independent ones, by QR decomposition. */
export function orthonormal(vectors: readonly (readonly number[])[]): number[][] {
  const qr = new QrDecomposition(new Matrix(vectors.map((vector) => [...vector])).transpose());
  return qr.orthogonalMatrix.transpose().to2DArray();
}

/** A v, of the rows of A. */
export function times(a: readonly Row[], v: readonly number[]): number[] {
  return a.map((row) => row.reduce((sum, entry, i) => sum + entry * v[i]!, 0));
}
