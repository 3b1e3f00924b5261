/** The earlier results that a task names, once their signatures have been verified. */
import type { Task } from '@eigenveil/task';
import type { Projection } from '@eigenveil/wire';

/**
 * The links before a task, the first of the chain first; empty without a basis. Rows are reduced by them in
 * `statisticsThrough`.
 */
export type Basis = readonly { readonly task: Task; readonly projection: Projection }[];

/** The earlier results that a task names. */
export interface Named {
  readonly basis: Basis;
  /** The result that a sketch refines: its vectors are the first columns of Ω. */
  readonly refined?: Basis[number];
}

/** Removes what was signed about the links. */
export const basisOf = (links: Basis): Basis => links.map(({ task, projection }) => ({ task, projection }));

/**
 * Returns the number of tasks in a chain, including the task that these links come before. A sketch and the
 * result that it refines count as a chain of two.
 */
export const chainLength = ({ basis, refined }: Named): number =>
  1 + basis.length + (refined === undefined ? 0 : 1);
