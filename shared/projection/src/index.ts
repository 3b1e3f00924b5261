/** PCA, DCA, LDA and MDR in the clear: the reference, the owner's projector, and how to compare projections. */

export { Projector, saveProjection } from './files.ts';
export * from './portable.ts';
