/** Differential privacy: mechanisms, their calibration and a budget accountant. */
export { BudgetAccountant, type PrivacyBudget } from './accountant.ts';
export {
  calibrateAnalyticGaussian,
  dpDeltaOfGaussian,
} from './calibration/gaussian.ts';
export { calibrateRoundedGaussian, latticeBitsFor } from './calibration/rounded-gaussian.ts';
export { type Budget, partOfBudget, restOfBudget, SHARE_OF_MEAN } from './calibration/two-tasks.ts';
export { epsilonOfZcdp, rhoOfBudget } from './calibration/zcdp.ts';
export type { Neighbours } from './parameters.ts';
export { keyedRandomness, type RandomSource, systemRandomness } from './random/randomness.ts';
export {
  type DiscreteLaplaceParameters,
  discreteGaussianSampler,
  discreteLaplaceSampler,
  roundedGaussianSampler,
} from './random/samplers.ts';
export { type Rational, rationalOf } from './rational.ts';
export { costOfTask, replacing, type TaskCost } from './stage/cost.ts';
export { largestEntry, type NoisePlan, noisePlan, sampleNoise } from './stage/noise-plan.ts';
export { sensitivitySquared } from './stage/sensitivity.ts';
export {
  clippingBound,
  defaultClippingNorm,
  type NoiseDrawers,
  type PrivacySetting,
  type StageTask,
} from './stage/setting.ts';
