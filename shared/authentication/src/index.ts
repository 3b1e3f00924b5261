/**
 * Continuous authentication on reduced rows, as pure functions: frames, templates, scores, decisions, drift.
 */
export { crossScores, trustSettings } from './calibration.ts';
export { AUTHENTICATION_CODES } from './codes.ts';
export {
  type Decision,
  type Engine,
  type EngineState,
  engineOf,
  SequentialEngine,
  type SequentialSettings,
  TrustEngine,
  type TrustSettings,
} from './decision.ts';
export { driftProbability, FEWEST_PAIRS, flagBound, lookLevel, movementOf } from './drift.ts';
export { FRAME_SEED_BYTES, Frame } from './frame.ts';
export { momentsOf, WindowSums } from './moments.ts';
export { likelihoodRatios } from './ratios.ts';
export { type ScoreKind, Scorer } from './scorer.ts';
export {
  decodeTemplate,
  encodeTemplate,
  makeTemplate,
  type Template,
  updated,
} from './template.ts';
export { checkWindow, MAXIMUM_DIMENSIONS } from './window.ts';
