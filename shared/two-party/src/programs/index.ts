/** Decompositions as programs of a two-party session. */
export { type CheckedDecomposition, pca } from './pca.ts';
export type { Shares } from './statistics.ts';
