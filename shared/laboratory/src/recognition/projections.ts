/** Projections of prepared rows in the clear, as the protocol would give them: vectors of length 1, and a window is W x, not centred. */
import { generalisedEigen } from '@eigenveil/projection';
import { add, centredScatter, secondMoment, squareOf, sumOfRows, times, topEigenvectors } from '../methods/matrix.ts';
import type { Row } from './people.ts';

/** k × d. */
export type Vectors = readonly Row[];

export interface Kind {
  readonly method: 'pca' | 'dca';
  readonly components: number;
}

/** In units of the mean eigenvalue of the total scatter. */
const RIDGE = 0.01;

/** Of rows by person, who are the classes. A DCA of K people has at most K − 1 components. */
export function vectorsOf({ method, components }: Kind, people: readonly (readonly Row[])[]): Vectors {
  const rows = people.flat();
  const d = rows[0]!.length;
  const [R, V] = [secondMoment(rows, d), sumOfRows(rows, d)];
  const total = centredScatter(R, V, rows.length);
  if (method === 'pca') return topEigenvectors(total, components);
  const within = people.reduce((S, own) => centredScatter(S, sumOfRows(own, d), own.length), R);
  const between = squareOf(d, (i, j) => total[i]![j]! - within[i]![j]!);
  const ridge = (RIDGE * total.reduce((sum, row, i) => sum + row[i]!, 0)) / d;
  const identity = squareOf(d, (i, j) => (i === j ? ridge : 0));
  return generalisedEigen(between, add(total, identity)).vectors.slice(
    0,
    Math.min(components, people.length - 1),
  );
}

export const reduced = (vectors: Vectors, rows: readonly Row[]): number[][] =>
  rows.map((row) => times(vectors, row));
