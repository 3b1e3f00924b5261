/** The means to find out a frame z = Q y + b: from windows that are known on both sides, and from distributions alone. */
import { Matrix, SingularValueDecomposition } from 'ml-matrix';
import {
  centredScatter,
  eigenpairs,
  secondMoment,
  squareOf,
  sumOfRows,
  times,
} from '../privacy/methods/matrix.ts';
import type { Row } from './people.ts';

export const meanOfRows = (rows: readonly Row[]): number[] =>
  sumOfRows(rows, rows[0]!.length).map((x) => x / rows.length);

export function covarianceOf(rows: readonly Row[]): number[][] {
  const k = rows[0]!.length;
  const scatter = centredScatter(secondMoment(rows, k), sumOfRows(rows, k), rows.length);
  return squareOf(k, (i, j) => scatter[i]![j]! / Math.max(1, rows.length - 1));
}

export const minus = (a: Row, b: Row): number[] => a.map((x, i) => x - b[i]!);
export const dot = (a: Row, b: Row): number => a.reduce((sum, x, i) => sum + x * b[i]!, 0);

/** Orthonormal directions in which both sides are known: `seen[i]`ᵀ(z − Q·…) is `known[i]`ᵀ y. r × k each. */
interface Span {
  readonly known: readonly Row[];
  readonly seen: readonly Row[];
}

/** A share of the largest singular value: what is below is rounding. */
const RANK_TOLERANCE = 1e-9;

/**
 * Orthogonal Procrustes (Schönemann, Psychometrika 31, 1966): the directions that pairs (y, z = Q y) determine, with their images. As many as
 * the pairs have ranks, so Q itself where there are k independent ones.
 */
export function procrustes(pairs: readonly { readonly known: Row; readonly seen: Row }[]): Span {
  const k = pairs[0]!.known.length;
  const cross = Matrix.zeros(k, k);
  for (const { known, seen } of pairs)
    for (let i = 0; i < k; i++)
      for (let j = 0; j < k; j++) cross.set(i, j, cross.get(i, j) + known[i]! * seen[j]!);
  const { leftSingularVectors, rightSingularVectors, diagonal } = new SingularValueDecomposition(cross, {
    autoTranspose: true,
  });
  const kept = diagonal.flatMap((value, i) => (value > RANK_TOLERANCE * diagonal[0]! ? [i] : []));
  return {
    known: kept.map((i) => leftSingularVectors.getColumn(i)),
    seen: kept.map((i) => rightSingularVectors.getColumn(i)),
  };
}

/** The knowledge of people's windows in the projection's own coordinates, to align a frame with. */
export interface Reference {
  readonly mean: Row;
  /** Eigenvectors of one person's spread, largest first. */
  readonly axes: readonly Row[];
  /** Along each axis: the variance of people's means, and of one window about its person's mean. */
  readonly between: Row;
  readonly within: Row;
  /** Along each axis: mean over people of the third standardised moment, and its variance over people. */
  readonly skewness: Row;
  readonly skewnessVariance: Row;
  /** Some windows of all. */
  readonly windows: readonly Row[];
}

const WINDOWS_KEPT = 400;

/** Least share of the largest variance: axes without variance have no skewness. */
const FLAT = 1e-12;

function skewnessAlong(axis: Row, centred: readonly Row[]): number {
  const values = centred.map((row) => dot(axis, row));
  const variance = values.reduce((sum, x) => sum + x * x, 0) / values.length;
  return variance <= FLAT ? 0 : values.reduce((sum, x) => sum + x ** 3, 0) / values.length / variance ** 1.5;
}

const centredAt = (rows: readonly Row[], mean: Row): number[][] => rows.map((row) => minus(row, mean));

/** @param people windows by person; of one person, when what is known is the very user */
export function referenceOf(people: readonly (readonly Row[])[]): Reference {
  const means = people.map(meanOfRows);
  const mean = meanOfRows(means);
  const pooled = people.flatMap((own, p) => centredAt(own, means[p]!));
  const pairs = eigenpairs(covarianceOf(pooled));
  const axes = pairs.map(({ vector }) => vector);
  const skews = people.map((own, p) => axes.map((axis) => skewnessAlong(axis, centredAt(own, means[p]!))));
  const skewness = meanOfRows(skews);
  const spreadOf = (values: readonly number[], centre: number) =>
    values.reduce((sum, x) => sum + (x - centre) ** 2, 0) / Math.max(1, values.length - 1);
  const all = people.flat();
  const step = Math.max(1, Math.floor(all.length / WINDOWS_KEPT));
  return {
    mean,
    axes,
    between: axes.map((axis) =>
      spreadOf(
        means.map((m) => dot(axis, m)),
        dot(axis, mean),
      ),
    ),
    within: pairs.map(({ value }) => Math.max(value, FLAT)),
    skewness,
    // One person tells nothing about how people differ: what a sample of that size varies by.
    skewnessVariance: axes.map((_, i) =>
      people.length > 1
        ? spreadOf(
            skews.map((s) => s[i]!),
            skewness[i]!,
          ) + FLAT
        : 6 / all.length,
    ),
    windows: all.filter((_, i) => i % step === 0),
  };
}

/** y ≈ rotation · (z − from) + to. */
interface Motion {
  readonly rotation: readonly Row[];
  readonly from: Row;
  readonly to: Row;
}

export const moved = ({ rotation, from, to }: Motion, row: Row): number[] =>
  times(rotation, minus(row, from)).map((x, i) => x + to[i]!);

/**
 * The frame of one user from windows in it and from distributions alone: eigenvectors of both spreads in the order of their eigenvalues,
 * signs by the means (unless a translation hides them) and by third moments, whatever says more.
 */
export function alignedByMoments(windows: readonly Row[], reference: Reference, translated: boolean): Motion {
  const k = windows[0]!.length;
  const mean = meanOfRows(windows);
  const pairs = eigenpairs(covarianceOf(windows));
  const centred = centredAt(windows, mean);
  const axes = pairs.map(({ vector }, i) => {
    const here = dot(vector, mean);
    const there = dot(reference.axes[i]!, reference.mean);
    const variance = reference.between[i]! + reference.within[i]! / windows.length;
    const byMean = translated ? 0 : (2 * here * there) / variance;
    const skew = skewnessAlong(vector, centred);
    const bySkewness =
      (2 * skew * reference.skewness[i]!) / (reference.skewnessVariance[i]! + 6 / windows.length);
    return byMean + bySkewness >= 0 ? vector : vector.map((x) => -x);
  });
  const rotation = squareOf(k, (i, j) =>
    axes.reduce((sum, axis, a) => sum + reference.axes[a]![i]! * axis[j]!, 0),
  );
  const origin = new Array<number>(k).fill(0);
  return translated ? { rotation, from: mean, to: reference.mean } : { rotation, from: origin, to: origin };
}

const ROUNDS = 20;

/**
 * Nearest known windows as partners, Procrustes on them, and again (iterated closest points, Besl and McKay 1992; for embeddings
 * Grave, Joulin and Berthet, "Unsupervised alignment of embeddings with Wasserstein Procrustes", 2019). Begins with a guess.
 */
export function refined(windows: readonly Row[], reference: Reference, guess: Motion): Motion {
  const { from, to } = guess;
  const seen = windows.map((row) => minus(row, from));
  const known = reference.windows.map((row) => minus(row, to));
  let rotation = guess.rotation;
  for (let round = 0; round < ROUNDS; round++) {
    const pairs = seen.map((z) => ({ seen: z, known: nearest(known, times(rotation, z)) }));
    const span = procrustes(pairs);
    // Where windows are fewer than dimensions, the rest of the guess stays.
    if (span.known.length < rotation.length) break;
    rotation = squareOf(rotation.length, (i, j) =>
      span.known.reduce((sum, axis, a) => sum + axis[i]! * span.seen[a]![j]!, 0),
    );
  }
  return { rotation, from, to };
}

function nearest(rows: readonly Row[], row: Row): Row {
  let [best, least] = [rows[0]!, Infinity];
  for (const candidate of rows) {
    let sum = 0;
    for (let i = 0; i < row.length && sum < least; i++) sum += (candidate[i]! - row[i]!) ** 2;
    if (sum < least) [best, least] = [candidate, sum];
  }
  return best;
}
