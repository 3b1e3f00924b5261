/** What a task stands on, once its signatures have been verified. */
import type { Task } from '@eigenveil/task';
import type { Projection } from '@eigenveil/wire';

/** The links before a task, the first of the chain first; empty without a basis. Rows go through them by `statisticsThrough`. */
export type Basis = readonly { readonly task: Task; readonly projection: Projection }[];

/** Without what was signed about them. */
export const basisOf = (links: Basis): Basis => links.map(({ task, projection }) => ({ task, projection }));
