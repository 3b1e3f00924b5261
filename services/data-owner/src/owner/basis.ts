/** The earlier results that a task names, once their signatures have been verified. */
import type { Task } from '@eigenveil/task';
import type { Projection } from '@eigenveil/wire';

/** The links before a task, the first of the chain first; empty without a basis. Rows go through them by `statisticsThrough`. */
export type Basis = readonly { readonly task: Task; readonly projection: Projection }[];

/** What a task names. */
export interface Named {
  readonly basis: Basis;
  /** What a sketch refines: its vectors are the first columns of Ω. */
  readonly refined?: Basis[number];
}

/** Without what was signed about them. */
export const basisOf = (links: Basis): Basis => links.map(({ task, projection }) => ({ task, projection }));

/** Tasks of a chain, that with these links counted; a sketch and the result that it refines count as one of two. */
export const chainLength = ({ basis, refined }: Named): number =>
  1 + basis.length + (refined === undefined ? 0 : 1);
