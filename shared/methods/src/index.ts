/** Every method as one object, and what tasks are made of that methods have rules for. */
export { expecting, invalid, METHOD_CODES, rule } from './codes.ts';
export {
  FEATURE,
  type Feature,
  FeatureSchema,
  isRange,
  type Labelling,
  LabellingSchema,
  varyingFeatures,
} from './features.ts';
export {
  edgesOf,
  type Histogram,
  histogramsOf,
  LINEAR_RING_BITS,
  releaseNoiseOf,
  strategyOf,
  sumsOf,
} from './histogram/bins.ts';
export type { HistogramParameters } from './histogram/parameters.ts';
export type { Immutable } from './immutable.ts';
export { DEFAULT_FRACTION_BITS, FRACTION_BITS, LIMITS } from './limits.ts';
export type { Checked, Method, MethodOf, ResultKind, Sums, Told } from './method.ts';
export {
  METHODS,
  type MethodName,
  MethodParameters,
  methodNameOf,
  methodOf,
  type ProjectionKind,
} from './methods.ts';
export { Output, TwoPartyName } from './parameters.ts';
export { Scale } from './pca.ts';
export {
  DIGEST,
  draftedColumns,
  LEAST_FRESH_COLUMNS,
  SKETCH_OUTPUTS,
  Sketch,
  sketchColumnBound,
  sketchScaleBits,
} from './sketch.ts';
