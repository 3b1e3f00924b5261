/** Differential privacy: mechanisms, their calibration and a budget accountant. */
export { BudgetAccountant, type PrivacyBudget, type PrivacyCost } from './accountant.ts';
export {
  calibrateDiscreteGaussian,
  rhoOfDiscreteGaussian,
  sigmaSquaredOfRho,
} from './calibration/discrete-gaussian.ts';
export {
  calibrateAnalyticGaussian,
  calibrateClassicGaussian,
  dpDeltaOfGaussian,
} from './calibration/gaussian.ts';
export { calibrateRoundedGaussian, latticeBitsFor } from './calibration/rounded-gaussian.ts';
export { type Budget, partOfBudget, restOfBudget, SHARE_OF_MEAN } from './calibration/two-tasks.ts';
export { dpDeltaOfZcdp, epsilonOfZcdp, rhoOfBudget } from './calibration/zcdp.ts';
export { PRIVACY_CODES } from './codes.ts';
export type { Neighbours } from './parameters.ts';
export { keyedRandomness, type RandomSource, systemRandomness } from './random/randomness.ts';
export {
  type DiscreteGaussianParameters,
  type DiscreteLaplaceParameters,
  discreteGaussianSampler,
  discreteLaplaceSampler,
  type RoundedGaussianParameters,
  roundedGaussianSampler,
  sampleDiscreteGaussian,
} from './random/samplers.ts';
export { type Rational, rationalOf } from './rational.ts';
export { costOfTask, replacing, type TaskCost } from './stage/cost.ts';
export { largestEntry, type NoisePlan, noisePlan, type PerKind, sampleNoise } from './stage/noise-plan.ts';
export { sensitivitySquared } from './stage/sensitivity.ts';
export {
  checkSetting,
  clippingBound,
  defaultClippingNorm,
  type NoiseDrawers,
  type PrivacySetting,
  type StageTask,
} from './stage/setting.ts';
