/**
 * Components of PCA, DCA and MDR in the span of the training rows, in the order in which a solver of the whole d × d problem has them.
 * Lengths are such that wᵀBw = 1, as the book's code leaves them (PCA: B = I).
 */
import { BOOK_RIDGE_SHARE, BOOK_SIGNAL_SHARE } from '@eigenveil/methods';
import { generalisedEigen, symmetricEigen } from '@eigenveil/projection';
import { dot, type Matrix, orthonormal, type Span } from './span.ts';

export interface Components {
  /** Within the span, in order (at most r × r). */
  readonly vectors: Matrix;
  /** The number of `vectors` before the components beyond the span, which all have one eigenvalue. */
  readonly before: number;
  /** Length of a component beyond the span; undefined where the method has none there. */
  readonly lengthBeyond: number | undefined;
}

export function pcaComponents({ rank }: Span): Components {
  const vectors = Array.from({ length: rank }, (_, a) =>
    Array.from({ length: rank }, (_, b) => Number(a === b)),
  );
  return { vectors, before: rank, lengthBeyond: 1 };
}

/**
 * DCA of the book's code: (S̄ + (ρ + ρ′)I, S_W + ρI). With B = S_W + ρI and S̄ = S_W + S_B its eigenvalues are 1 + those of
 * (S_B + ρ′I, B): K − 1 large ones, and 1 + ρ′/β for the eigenvalues β of B on what is B-orthogonal to them; beyond the span β = ρ. Those
 * differ from 1 by as little as 1e-10, which a solver that has the large ones beside them (1e6) cannot tell. So they are taken apart:
 * the K − 1, then the rest from B itself. For ρ′ < 0 the largest β comes first and what is beyond the span last; for ρ′ > 0 what is
 * beyond the span comes right after those of the K − 1 that are above ρ′/ρ, which is all of them here, and the least β next. At ρ′ = 0 rounding would decide; here it is as for ρ′ < 0.
 */
export function dcaComponents(
  span: Span,
  train: readonly number[],
  labels: readonly number[],
  { ridge, signalRidge }: Ridges,
): Components {
  const { between, within } = scattersOf(span, train, labels);
  const signals = signalsOf(span, train, labels);
  const B = plusRidge(within, ridge);
  const leading = generalisedEigen(plusRidge(between, signalRidge), B).vectors.slice(0, signals);
  const rest = symmetricEigen(projectedOff(B, leading));
  const count = span.rank - signals;
  const others = rest.vectors
    .slice(0, count)
    .map((vector, i) => vector.map((entry) => entry / Math.sqrt(rest.values[i]!)));
  return {
    vectors: [
      ...leading.map((vector) => unitIn(B, vector)),
      ...(signalRidge > 0 ? others.reverse() : others),
    ],
    before: signalRidge > 0 ? signals : span.rank,
    lengthBeyond: 1 / Math.sqrt(ridge),
  };
}

export interface Ridges {
  /** ρ, for grey levels from 0 to 255. */
  readonly ridge: number;
  /** ρ′, likewise. */
  readonly signalRidge: number;
}

/** ρ = 0.02·λ_max(S_W) and ρ′ = 0.1·ρ of the label that is fitted: what the code that accompanies the book takes where no ridge is given. */
export function bookRidges(span: Span, train: readonly number[], labels: readonly number[]): Ridges {
  const ridge = BOOK_RIDGE_SHARE * symmetricEigen(scattersOf(span, train, labels).within).values[0]!;
  return { ridge, signalRidge: BOOK_SIGNAL_SHARE * ridge };
}

/** The number of components that distinguish classes: K − 1, or all that the training rows span. */
export const signalsOf = ({ rank }: Span, train: readonly number[], labels: readonly number[]): number =>
  Math.min(new Set(train.map((row) => labels[row]!)).size - 1, rank);

/** MDR: (S_B of the utility label, S_B of the privacy label + ρI), of which as many components are kept as the first has rank. */
export function mdrComponents(
  span: Span,
  train: readonly number[],
  labels: { readonly utility: readonly number[]; readonly privacy: readonly number[] },
  ridge: number,
): Components {
  const B = plusRidge(scattersOf(span, train, labels.privacy).between, ridge);
  const rank = signalsOf(span, train, labels.utility);
  const { vectors } = generalisedEigen(scattersOf(span, train, labels.utility).between, B);
  return {
    vectors: vectors.slice(0, rank).map((vector) => unitIn(B, vector)),
    before: rank,
    lengthBeyond: undefined,
  };
}

/** Some of the components within the span alone: one beyond it tells nothing that was learnt. */
export function within({ vectors: all }: Components, from: number, to: number): Components {
  const vectors = all.slice(from, to);
  return { vectors, before: vectors.length, lengthBeyond: undefined };
}

/** The numbers of the first k components within the span and beyond it. */
export function partsOf({ vectors, before }: Components, k: number, directions: number) {
  const beyond = Math.min(directions, Math.max(0, k - before));
  return { inside: Math.min(vectors.length, k - beyond), beyond };
}

/** Between-class and within-class scatter of the training rows, in principal directions (r × r). */
function scattersOf(
  { coordinates, centre, eigenvalues }: Span,
  train: readonly number[],
  labels: readonly number[],
) {
  const classes = [...Map.groupBy(train, (row) => labels[row]!).values()];
  const means = classes.map((rows) => ({
    count: rows.length,
    mean: centre.map((c, a) => rows.reduce((sum, row) => sum + coordinates[row]![a]!, 0) / rows.length - c),
  }));
  const between = centre.map((_, a) =>
    centre.map((_, b) => means.reduce((sum, { count, mean }) => sum + count * mean[a]! * mean[b]!, 0)),
  );
  // The total scatter is diagonal there.
  const within = between.map((row, a) => row.map((entry, b) => (a === b ? eigenvalues[a]! : 0) - entry));
  return { between, within };
}

const plusRidge = (matrix: Matrix, ridge: number): number[][] =>
  matrix.map((row, a) => row.map((entry, b) => (a === b ? entry + ridge : entry)));

const times = (matrix: Matrix, vector: readonly number[]): number[] => matrix.map((row) => dot(row, vector));

function unitIn(B: Matrix, vector: readonly number[]): number[] {
  const length = Math.sqrt(dot(vector, times(B, vector)));
  return vector.map((entry) => entry / length);
}

/** P B P, P the projection onto what is B-orthogonal to these vectors: its other eigenvalues are zero. */
function projectedOff(B: Matrix, vectors: Matrix): number[][] {
  const basis = orthonormal(vectors.map((vector) => times(B, vector)));
  const off = (vector: readonly number[]): number[] => {
    const rest = [...vector];
    for (const direction of basis) {
      const along = dot(direction, vector);
      for (let i = 0; i < rest.length; i += 1) rest[i]! -= along * direction[i]!;
    }
    return rest;
  };
  const half = B.map(off); // B P
  return half[0]!.map((_, column) => off(half.map((row) => row[column]!)));
}
