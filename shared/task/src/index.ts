/** The task: what all parties agree on, its one check, and the slots of its statistics. */
export { basisFeatures, checkBasis, componentName, namedResult, refinedResult } from './basis.ts';
export { TASK_CODES } from './codes.ts';
export { type FeatureRun, featureRuns } from './feature-runs.ts';
export {
  computedFractionBits,
  computedValues,
  cutTo,
  FLOOR_REACH,
  type Floor,
  floorDeviation,
  floorDeviations,
  floorInWords,
  floorOf,
  grainOf,
  isExact,
  privacyDeviation,
  RELEASED_BITS,
  type ReleasedFraction,
  ROTATED_PENCIL_BITS,
  raiseOf,
  takesFloor,
} from './floor/floor.ts';
export {
  OWN_FLOOR_REACH,
  type OwnFloor,
  ownFloorOf,
  ownNoiseBounds,
  ownSumDeviation,
  takesOwnFloor,
} from './floor/own-floor.ts';
export { DAY_MILLISECONDS, newTaskId, TaskId, Thumbprint } from './ids.ts';
export {
  deviationOfRows,
  largestScatter,
  noiseNorm,
  noisePlanOf,
  rowsToStandOut,
  stageTaskOf,
} from './noise.ts';
export { checkRanges } from './ranges.ts';
export {
  type CheckTerm,
  checkFeatures,
  checkProgram,
  checkRevealedByRotation,
  checkStatisticsTask,
  checkTask,
} from './rules/check.ts';
export { fullRankRule } from './rules/full-rank.ts';
export {
  cappedComponents,
  type Program,
  programOf,
} from './rules/program.ts';
export {
  ClosesWhen,
  DifferentialPrivacy,
  ProposalFile,
  Task,
  TaskCreation,
  TaskProposal,
  USUAL_DELTA,
} from './schema.ts';
export { asTitle, taskInWords, underTitle } from './title.ts';
export { placesOf, type Span } from './values/places.ts';
export { planShift, shiftOf, shiftRidge, withoutShift } from './values/shift.ts';
export {
  collectsR,
  constantFeatures,
  type StatisticsTask,
  summedClasses,
} from './values/statistics-task.ts';
export { computedBitsOf, computedBounds, statisticsBounds, valueBitsOf, widthsOf } from './values/widths.ts';
