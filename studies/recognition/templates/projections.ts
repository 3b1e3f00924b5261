/** Projections that attacks on templates are measured with: those of the evaluation, at settings that are fixed here. */
import { times } from '../../privacy/methods/matrix.ts';
import type { Row } from '../people.ts';
import { type Projection, projectionOf as projectionBy } from '../scoring/spaces.ts';

export type { Projection } from '../scoring/spaces.ts';

export interface Kind {
  readonly method: 'pca' | 'dca';
  readonly components: number;
}

/** ρ of the total scatter, as of a task. */
const RIDGE = 1;

/** Makes a projection from prepared rows by person, who are the classes. A DCA of K people has at most K − 1 components. */
export function projectionOf({ method, components }: Kind, people: readonly (readonly Row[])[]): Projection {
  const most = method === 'dca' ? people.length - 1 : Infinity;
  return projectionBy(
    { method, ridge: RIDGE, whitened: false, components: Math.min(components, most), logUnit: 1 },
    people,
  );
}

export const reduced = ({ vectors, mean }: Projection, rows: readonly Row[]): number[][] =>
  rows.map((row) =>
    times(
      vectors,
      row.map((x, i) => x - mean[i]!),
    ),
  );
