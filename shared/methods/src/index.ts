/** Every method as one object, what tasks are made of that methods have rules for, and releases of histograms. */
export { releaseNoiseOf, strategyOf, sumsOf } from './histogram/release.ts';
export * from './schema.ts';
