/**
 * Every method as one object, and what tasks are made of that methods have rules for: all of it but releases
 * of histograms, so that a command line can load it at once.
 */
export { expectation, expecting, invalid, rule } from './codes.ts';
export { CLASS_WEIGHTS } from './discriminant.ts';
export { BOOK_RIDGE, BOOK_RIDGE_SHARE, BOOK_SIGNAL_SHARE, type Flags } from './draft.ts';
export {
  ACTING,
  FEATURE,
  type Feature,
  FeatureSchema,
  isRange,
  type Labelling,
  LabellingSchema,
  varyingFeatures,
} from './features.ts';
export { edgesOf, histogramsOf, LINEAR_RING_BITS, SERVERS } from './histogram/bins.ts';
export type { HistogramParameters } from './histogram/parameters.ts';
export type { Immutable } from './immutable.ts';
export { DEFAULT_FRACTION_BITS, FRACTION_BITS, LIMITS } from './limits.ts';
export type { Pencil, Sums, Told } from './method.ts';
export {
  type DraftedMethod,
  draftedMethod,
  draftingOf,
  entryOf,
  flagNaming,
  flagsSchema,
  isPrincipal,
  METHODS,
  type MethodName,
  MethodParameters,
  type MethodTable,
  methodNameOf,
  methodOf,
  type ProjectionKind,
  type ResultKind,
} from './methods.ts';
export { type MethodOf, Output, type SketchParameters, TwoPartyName } from './parameters.ts';
export { SCATTER_WEIGHTS } from './pca.ts';
export type { ReleasedHistogram } from './result.ts';
export {
  type Components,
  type Counted,
  type Fitted,
  type FlatResult,
  flatResult,
  ofKind,
  RESULT_FORMS,
  RESULT_MEMBERS,
  type Result,
  type ResultOf,
  readResult,
  type SignedResult,
} from './results.ts';
export {
  DIGEST,
  LEAST_FRESH_COLUMNS,
  SKETCH_OUTPUTS,
  Sketch,
  sketchColumnBound,
  sketchScaleBits,
} from './sketch.ts';
