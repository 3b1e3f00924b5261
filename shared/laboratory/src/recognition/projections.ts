/** Projections of prepared rows in the clear, as the protocol would give them: vectors of length 1, and the mean of all rows, by which windows are centred. */
import { generalisedEigen } from '@eigenveil/projection';
import { add, centredScatter, secondMoment, squareOf, sumOfRows, times, topEigenvectors } from '../methods/matrix.ts';
import type { Row } from './people.ts';

export interface Projection {
  /** k × d. */
  readonly vectors: readonly Row[];
  readonly mean: Row;
}

export interface Kind {
  readonly method: 'pca' | 'dca';
  readonly components: number;
}

/** ρ of the total scatter, as of a task. */
const RIDGE = 1;

/** Of rows by person, who are the classes. A DCA of K people has at most K − 1 components. */
export function projectionOf({ method, components }: Kind, people: readonly (readonly Row[])[]): Projection {
  const rows = people.flat();
  const d = rows[0]!.length;
  const [R, V] = [secondMoment(rows, d), sumOfRows(rows, d)];
  const total = centredScatter(R, V, rows.length);
  const mean = V.map((x) => x / rows.length);
  if (method === 'pca') return { vectors: topEigenvectors(total, components), mean };
  const within = people.reduce((S, own) => centredScatter(S, sumOfRows(own, d), own.length), R);
  const between = squareOf(d, (i, j) => total[i]![j]! - within[i]![j]!);
  const ridge = squareOf(d, (i, j) => (i === j ? RIDGE : 0));
  const { vectors } = generalisedEigen(between, add(total, ridge));
  return { vectors: vectors.slice(0, Math.min(components, people.length - 1)), mean };
}

export const reduced = ({ vectors, mean }: Projection, rows: readonly Row[]): number[][] =>
  rows.map((row) =>
    times(
      vectors,
      row.map((x, i) => x - mean[i]!),
    ),
  );
