/** PCA, DCA, LDA and MDR in the clear: the reference, the owner's projector, and how to compare projections. */
export { type AgreedTask, type ClaimedProjection, checkAgreed } from './agreed.ts';
export { principalAngles, residual, varianceCaptured } from './compare.ts';
export { type EigenPairs, generalisedEigen, symmetricEigen } from './eigen.ts';
export { ProjectionError, type ProjectionErrorCode } from './errors.ts';
export { decompose, type Pencil, pencil } from './methods.ts';
export {
  cappedComponents,
  checkProgram,
  type Decomposition,
  maximumComponents,
  type Output,
  type Program,
  programOf,
} from './program.ts';
export { explainedVariance, project, reconstruct } from './project.ts';
export { Projector } from './projector.ts';
export { fullRank, leastRank, rankRefusal } from './rank.ts';
export {
  betweenClassScatter,
  meanOfRows,
  totalScatter,
  traceOfTotalScatter,
  withinClassScatter,
} from './scatter.ts';
export { shiftRidge, withoutShift } from './shift.ts';
