/**
 * PCA, DCA, LDA and MDR in the clear: the reference, the owner's projector, and how to compare projections.
 * @module projection
 */

export * from './portable.ts';
export { Projector, saveProjection } from './projector/files.ts';
