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
export { calibrateWishart, dpDeltaOfWishart } from './calibration/wishart.ts';
export { dpDeltaOfZcdp, epsilonOfZcdp, rhoOfBudget } from './calibration/zcdp.ts';
export { PrivacyError, type PrivacyErrorCode } from './errors.ts';
export { discreteGaussianMechanism } from './mechanisms/discrete-gaussian.ts';
export { calibrateDiscreteLaplace, discreteLaplaceMechanism } from './mechanisms/discrete-laplace.ts';
export { exponentialMechanism } from './mechanisms/exponential.ts';
export { gaussianMechanism } from './mechanisms/gaussian.ts';
export { calibrateLaplace, laplaceMechanism } from './mechanisms/laplace.ts';
export { randomisedResponse } from './mechanisms/randomised-response.ts';
export {
  secondMomentSensitivity,
  symmetricGaussianNoise,
  symmetricLaplaceNoise,
} from './mechanisms/symmetric.ts';
export { wishartNoise } from './mechanisms/wishart.ts';
export type { Neighbours } from './parameters.ts';
export {
  type DiscreteGaussianParameters,
  discreteGaussianSampler,
  sampleDiscreteGaussian,
} from './random/discrete-gaussian.ts';
export { type DiscreteLaplaceParameters, discreteLaplaceSampler } from './random/discrete-laplace.ts';
export { RealDraws } from './random/real.ts';
export { calibrateRoundedGaussian, roundedGaussianSampler } from './random/rounded-gaussian.ts';
export { predictableRandomness, type RandomSource, systemRandomness } from './random/source.ts';
export type { Rational } from './rational.ts';
export { largestEntry, type NoisePlan, noisePlan, type PerKind } from './stage/noise-plan.ts';
export { sampleNoise } from './stage/sample.ts';
export { sensitivitySquared, weightsOf } from './stage/sensitivity.ts';
export {
  checkSetting,
  clippingBound,
  type PrivacySetting,
  type StageTask,
} from './stage/setting.ts';
