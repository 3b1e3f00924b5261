/** Projections that rows of a scene are reduced by, and who is attacked: what all attacks on reduced rows start from. */

import { project } from '@eigenveil/projection';
import type { TaskProposal } from '@eigenveil/task';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { Matrix } from 'ml-matrix';
import { orthonormal, squareOf } from '../../../privacy/methods/matrix.ts';
import { meanOfRows } from '../../../recognition/alignment.ts';
import type { Draws } from '../../draws.ts';
import { reducerOf, releasedBy, scaledRows } from '../../released.ts';
import { byPerson, type Person, type Scene, type SceneRow } from '../../scene.ts';
import { classesOf, type Variant, variantOf } from '../../scenes/split.ts';
import type { Projection, Row } from './inverses.ts';

/** A projection of features on [−1, 1], and rows reduced by it. Components descend: the first k are those of a task for k. */
export interface Reduction {
  /** The name for readers. */
  readonly name: string;
  readonly projection: Projection;
  readonly reduce: (rows: readonly SceneRow[]) => readonly Row[];
}

export const firstOf = ({ name, projection, reduce }: Reduction, k: number): Reduction => ({
  name,
  projection: { ...projection, vectors: projection.vectors.slice(0, k) },
  reduce: (rows) => reduce(rows).map((row) => row.slice(0, k)),
});

/** Reduces by what the scene's own task releases, or another over the same rows. */
export function reductionOf({ owners }: Scene, proposal: TaskProposal, draws: Draws): Reduction {
  const projection = releasedBy(proposal, owners, draws);
  return { name: proposal.method.kind.toUpperCase(), projection, reduce: reducerOf(proposal, projection) };
}

/** Reduces by the task with another method; with the mean, and as many components as it gives. */
export function methodReduction(scene: Scene, variant: Variant, draws: Draws): Reduction {
  const proposal = variantOf(scene, { outputs: ['mean'], allowFullRank: true, ...variant });
  return reductionOf(scene, proposal, draws);
}

/** The book's form of DCA gives as many components as there are features. */
export function bookReduction(scene: Scene, components: number, draws: Draws): Reduction {
  const proposal = variantOf(scene, { method: 'dca', components, outputs: ['mean'], allowFullRank: true });
  const method = { kind: 'dca', form: 'book', ridge: 1, signalRidge: 0 } as const;
  return { ...reductionOf(scene, { ...proposal, method }, draws), name: 'DCA, the book’s form' };
}

/** Random directions at right angles, around the mean of the public sample: a projection that looked at no row. */
export function randomReduction({ proposal, publicSample }: Scene, draws: Draws): Reduction {
  const vectors = orthonormal(squareOf(proposal.features.length, () => draws.normal()));
  const projection = { vectors, mean: meanOfRows(scaledRows(proposal, publicSample)) };
  const reduce = (rows: readonly SceneRow[]) => project(projection, scaledRows(proposal, rows));
  return { name: 'random directions', projection, reduce };
}

/** Rows themselves, on [−1, 1]. */
export const noReduction = ({ proposal }: Scene): Reduction => ({
  name: 'no projection',
  projection: { vectors: Matrix.eye(proposal.features.length).to2DArray() },
  reduce: (rows) => scaledRows(proposal, rows),
});

/** Labels of a column that a task takes. */
const MOST_CLASSES = 100;

/** The number of directions that a discriminant method of this label gives: one less than members have classes. None where a task cannot have the label. */
export function directionsOf(scene: Scene, label: string | undefined): number {
  if (label === undefined || classesOf(scene, label).length > MOST_CLASSES) return 0;
  const classes = new Set(scene.owners.flat().map(({ labels }) => labels[label])).size;
  return Math.min(scene.proposal.features.length, classes - 1);
}

/** The public sample's people are dealt to parts. */
const LEAST_PEOPLE = 6;

export const omitsFewPublic = ({ publicSample }: Scene): string | undefined =>
  byPerson(publicSample).length < LEAST_PEOPLE
    ? `the public sample has fewer than ${LEAST_PEOPLE} people`
    : undefined;

/** Fewer people cannot show a leak at the level of a quick run, however large: they make no control. */
const LEAST_MEMBERS = 50;

export const omitsFewMembers = ({ owners }: Scene): string | undefined =>
  byPerson(owners.flat()).length < LEAST_MEMBERS ? `there are fewer than ${LEAST_MEMBERS} people` : undefined;

/** Draws at most this number of people, each with at most a number of rows. */
export function somePeople(
  of: readonly SceneRow[],
  { people, rows }: { readonly people: number; readonly rows: number },
  draws: Draws,
): Person[] {
  return draws.some(byPerson(of), people).map((own) => draws.some(own, rows));
}

/** The mean of each person's rows, of values by row. */
export function meansByPerson(people: readonly Person[], values: readonly number[]): number[] {
  let next = 0;
  return people.map((own) => mean(own.map(() => values[next++]!)));
}
