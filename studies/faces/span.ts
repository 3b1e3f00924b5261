/**
 * Thousands of features through the rows' Gram matrix (Kirby and Sirovich, "Application of the Karhunen-Loève procedure for the
 * characterization of human faces", 1990): n training rows of d > n features span at most n − 1 directions about their mean, and every
 * scatter matrix of PCA, DCA and MDR is zero, or its ridge, beyond them. So the d × d problem is one of n × n, exactly.
 *
 * Beyond that span every basis is as good as another: a solver's is what rounding makes of it. Where a number of components reaches there,
 * the basis here is uniformly random (Haar). Of it only what the rows' parts beyond the span have in common with it matters, and that is
 * the leading columns of a few random orthonormal rows, which are drawn.
 */
import { symmetricEigen } from '@eigenveil/projection';
import { normal } from '@eigenveil/testbed/random';

export type Matrix = readonly (readonly number[])[];

/** Inner products of all rows with each other (N × N), exact for grey levels. */
export function gramOf(rows: readonly Float64Array[]): number[][] {
  const gram = rows.map(() => new Array<number>(rows.length).fill(0));
  for (let i = 0; i < rows.length; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      const [a, b] = [rows[i]!, rows[j]!];
      let sum = 0;
      for (let f = 0; f < a.length; f += 1) sum += a[f]! * b[f]!;
      gram[i]![j] = sum;
      gram[j]![i] = sum;
    }
  }
  return gram;
}

export interface Span {
  /** The rank of the centred training rows: r. */
  readonly rank: number;
  /** The eigenvalues of their total scatter, descending (r): the PCA. */
  readonly eigenvalues: readonly number[];
  /** Weights of the centred training rows in each principal direction (r × n). */
  readonly weights: Matrix;
  /** The coordinates of every row, in principal directions, not centred (N × r). */
  readonly coordinates: Matrix;
  /** The coordinates of the training rows' mean (r). */
  readonly centre: readonly number[];
  /** Squared length of the training rows' mean. */
  readonly centreSquare: number;
  /** Inner products of the training rows' mean with every row (N). */
  readonly withCentre: readonly number[];
}

/** Below this fraction of the largest, an eigenvalue of a Gram matrix of doubles is rounding. */
const ROUNDING = 1e-11;

export function spanOf(gram: Matrix, train: readonly number[]): Span {
  const n = train.length;
  const withCentre = gram.map((row) => train.reduce((sum, j) => sum + row[j]!, 0) / n);
  const centreSquare = train.reduce((sum, j) => sum + withCentre[j]!, 0) / n;
  const centred = train.map((i) =>
    train.map((j) => gram[i]![j]! - withCentre[i]! - withCentre[j]! + centreSquare),
  );
  const { values, vectors } = symmetricEigen(centred);
  const rank = values.filter((value) => value > ROUNDING * values[0]!).length;
  const eigenvalues = values.slice(0, rank);
  const weights = vectors
    .slice(0, rank)
    .map((vector, a) => vector.map((entry) => entry / Math.sqrt(eigenvalues[a]!)));
  const coordinates = gram.map((row, i) =>
    weights.map((weight) => weight.reduce((sum, w, t) => sum + w * (row[train[t]!]! - withCentre[i]!), 0)),
  );
  const centre = eigenvalues.map((_, a) => train.reduce((sum, i) => sum + coordinates[i]![a]!, 0) / n);
  return { rank, eigenvalues, weights, coordinates, centre, centreSquare, withCentre };
}

/** The parts of the mean and of held-out rows that lie beyond the span, in a random basis of all that is beyond it. */
export interface Beyond {
  /** d − r. */
  readonly directions: number;
  /** The coordinates of the mean, and so of every training row (d − r). */
  readonly centre: Float64Array;
  /** The coordinates of held-out rows, not centred. */
  readonly rows: ReadonlyMap<number, Float64Array>;
}

/** @param next seeded uniform numbers for the basis */
export function beyondSpan(
  gram: Matrix,
  span: Span,
  heldOut: readonly number[],
  features: number,
  next: () => number,
): Beyond {
  const { coordinates, centre, centreSquare, withCentre, rank } = span;
  const directions = features - rank;
  // The mean first, then held-out rows.
  const inside = [centre, ...heldOut.map((row) => coordinates[row]!)];
  const product = (a: number, b: number): number => {
    if (a === 0 && b === 0) return centreSquare;
    if (a === 0 || b === 0) return withCentre[heldOut[Math.max(a, b) - 1]!]!;
    return gram[heldOut[a - 1]!]![heldOut[b - 1]!]!;
  };
  const outside = inside.map((one, a) => inside.map((other, b) => product(a, b) - dot(one, other)));
  const { values, vectors } = symmetricEigen(outside);
  const count = Math.min(inside.length, directions);
  // Normal numbers point in every direction alike, and so do rows that are made orthonormal from them.
  const frame = orthonormal(
    Array.from({ length: count }, () => Array.from({ length: directions }, () => normal(next))),
  );
  const parts = inside.map((_, a) => {
    const part = new Float64Array(directions);
    frame.forEach((direction, q) => {
      const weight = Math.sqrt(Math.max(0, values[q]!)) * vectors[q]![a]!;
      for (let i = 0; i < directions; i += 1) part[i]! += weight * direction[i]!;
    });
    return part;
  });
  return { directions, centre: parts[0]!, rows: new Map(heldOut.map((row, i) => [row, parts[i + 1]!])) };
}

/** The same span for each number of leading vectors (Gram and Schmidt, twice for accuracy). */
export function orthonormal(vectors: Matrix): number[][] {
  const basis: number[][] = [];
  for (const vector of vectors) {
    const rest = [...vector];
    for (let pass = 0; pass < 2; pass += 1) {
      for (const direction of basis) {
        const along = dot(direction, rest);
        for (let i = 0; i < rest.length; i += 1) rest[i]! -= along * direction[i]!;
      }
    }
    const length = Math.sqrt(dot(rest, rest));
    basis.push(rest.map((entry) => entry / length));
  }
  return basis;
}

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i]! * b[i]!;
  return sum;
}
