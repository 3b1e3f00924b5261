/** The task: what all parties agree on, its one check, and the slots of its statistics. */
export { basisFeatures, checkBasis, componentName, namedResult } from './basis.ts';
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
  productOfGrains,
  RELEASED_BITS,
  type ReleasedFraction,
  ROTATED_PENCIL_BITS,
  raiseOf,
} from './floor/floor.ts';
export {
  OWN_FLOOR_REACH,
  type OwnFloor,
  ownFloorOf,
  ownNoiseBounds,
  ownSumDeviation,
  takesOwnFloor,
} from './floor/own-floor.ts';
export {
  binsOf,
  checkRanges,
  edgesOf,
  type Histogram,
  histogramsOf,
  LINEAR_RING_BITS,
  releaseNoiseOf,
  strategyOf,
  sumsOf,
} from './histogram.ts';
export { largestScatter, noiseNorm, noisePlanOf, rowsToStandOut, stageTaskOf } from './noise.ts';
export {
  type CheckTerm,
  checkFeatures,
  checkProgram,
  checkRevealedByRotation,
  checkStatisticsTask,
  checkTask,
  LABELLINGS,
} from './rules/check.ts';
export {
  cappedComponents,
  maximumComponents,
  type Program,
  programOf,
  revealedByRotation,
  SKETCH_OUTPUTS,
} from './rules/program.ts';
export { fullRankRule, leastRank, mostRotatedComponents } from './rules/rank.ts';
export {
  ClosesWhen,
  DAY_MILLISECONDS,
  DEFAULT_FRACTION_BITS,
  DifferentialPrivacy,
  LIMITS,
  type MethodName,
  newTaskId,
  Output,
  ProposalFile,
  Scale,
  Series,
  Task,
  TaskCreation,
  TaskId,
  TaskProposal,
  Thumbprint,
  TwoPartyName,
  USUAL_DELTA,
} from './schema.ts';
export { draftedColumns, LEAST_FRESH_COLUMNS, sketchColumnBound, sketchScaleBits } from './sketch.ts';
export { type Places, placesOf, type Span } from './values/places.ts';
export { planShift, shiftOf, shiftRidge, withoutShift } from './values/shift.ts';
export {
  collectsR,
  constantFeatures,
  type Feature,
  type HistogramMethod,
  isStandardised,
  type Labelling,
  type Method,
  type StatisticsTask,
  summedClasses,
} from './values/statistics-task.ts';
export {
  computedBitsOf,
  computedBounds,
  statisticsBounds,
  valueBitsOf,
  type Widths,
  widthsOf,
} from './values/widths.ts';
