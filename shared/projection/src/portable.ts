/** PCA, DCA, LDA and MDR in the clear, and the owner's projector, in Node.js and in browsers. */
// Callers need these for results, and the packages behind them are not installed on their own.
export type { Components, Result } from '@eigenveil/methods';
export { Thumbprint } from '@eigenveil/task';
export { principalAngles, residual, varianceCaptured } from './accuracy/compare.ts';
export {
  type ExplainedVariance,
  explainedVariance,
  type ShareOfVariance,
  wholeVariance,
} from './accuracy/explained.ts';
export { type Moved, RoundedRows, roundingAngles, UnroundedRows } from './accuracy/rounding.ts';
export { checkAgreed } from './claims/agreed.ts';
export type { ClaimedProjection } from './claims/claimed.ts';
export { notPositiveDefinite, PROJECTION_CODES } from './codes.ts';
export { Predictor } from './projector/predictor.ts';
export { project, reconstruct } from './projector/project.ts';
export { type Link, Projector } from './projector/projector.ts';
export { byProjector, type Reducer } from './projector/reducer.ts';
export { openProjection, SignedProjection, verifyBasis, verifyProjection } from './projector/signed.ts';
export { type EigenPairs, generalisedEigen, symmetricEigen } from './reference/eigen.ts';
export type { Pencil } from './reference/form.ts';
export { CONFIDENCE } from './reference/histograms.ts';
export {
  asReleased,
  decompose,
  pencil,
  referenceOf,
  resultInClear,
  resultOfSums,
} from './reference/methods.ts';
export {
  correlationNoise,
  correlationOf,
  fullRank,
  rankOf,
  rankRefusal,
  undividedVariances,
  unstandardised,
  ZERO_EIGENVALUE,
} from './reference/pca.ts';
export {
  leastPredictorRank,
  predictorNoise,
  tooFewDirections,
} from './reference/pcr.ts';
export { type Regression, regressionInUnits } from './reference/ridge.ts';
export { betweenClassScatter, meanOfRows, totalScatter } from './reference/scatter.ts';
export { type Sketch, sketchEigen, sketchIsWhole, sketchOf, sketchRefusal } from './reference/sketch.ts';
export { columnsFor, statisticsThrough } from './reference/through.ts';
export { keptInWords, shareInWords, type ToldShare } from './told/components.ts';
export { isKnownQuantile, UNKNOWN_QUANTILE } from './told/counts.ts';
export type { Remark } from './told/form.ts';
export { csvOf, linesOf, type ToldResult, tellingOf } from './told/index.ts';
export { momentsInUnits } from './told/moments.ts';
