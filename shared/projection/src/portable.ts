/** PCA, DCA, LDA and MDR in the clear, and the owner's projector, in Node.js and in browsers. */
// What opening a projection takes, since the package behind it is not installed on its own.
export { Thumbprint } from '@eigenveil/task';
export { type AgreedTask, type ClaimedProjection, checkAgreed } from './agreed.ts';
export { PROJECTION_CODES } from './codes.ts';
export { principalAngles, residual, varianceCaptured } from './compare.ts';
export {
  correlationNoise,
  correlationOf,
  undividedVariances,
  unstandardised,
} from './correlation.ts';
export type { Decomposition } from './decomposition.ts';
export { type EigenPairs, generalisedEigen, symmetricEigen } from './eigen.ts';
export { notPositiveDefinite } from './errors.ts';
export {
  type ExplainedVariance,
  explainedVariance,
  type ShareOfVariance,
  type Untold,
  wholeVariance,
} from './explained.ts';
export { CONFIDENCE, QUANTILES, type ReleasedHistogram, releaseOf } from './histograms.ts';
export { decompose, type Pencil, pencil } from './methods.ts';
export { Predictor } from './predictor.ts';
export { project, reconstruct } from './project.ts';
export { type Link, Projector } from './projector.ts';
export { fullRank, rankOf, rankRefusal, ZERO_EIGENVALUE } from './rank.ts';
export { asReleased } from './released.ts';
export { type Regression, regressionInUnits, ridgeRegression } from './ridge.ts';
export { type Moved, RoundedRows, roundingAngles, UnroundedRows } from './rounding.ts';
export {
  betweenClassScatter,
  meanOfRows,
  totalScatter,
  traceOfTotalScatter,
  withinClassScatter,
} from './scatter.ts';
export { openProjection, SignedProjection, verifyBasis, verifyProjection } from './signed.ts';
export { coreOf, type Sketch, sketchEigen, sketchIsWhole, sketchOf, sketchRefusal } from './sketch.ts';
export { type Columns, columnsFor, statisticsThrough } from './through.ts';
