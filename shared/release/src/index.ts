/**
 * Linear releases of histograms: strategies, their exact errors, and what follows from noisy counts. Pure: no
 * file, no network.
 */
export {
  averageError,
  type Workload,
} from './averages.ts';
export { type Candidate, chooseStrategy } from './choice.ts';
export { toNumber } from './fraction.ts';
export {
  type CoefficientNoise,
  calibrateRelease,
  noiseMoments,
  noiseSampler,
  type ReleaseBudget,
} from './noise.ts';
export { LARGEST_LEVEL, type PrivateRange, prefixDeviation, privateRange } from './private-range.ts';
export { monotoneCumulative, type NoisyHistogram, privateQuantile } from './quantiles.ts';
export {
  commonHeight,
  covarianceByHeight,
  type Interval,
  intervalError,
  quantileError,
  restore,
} from './restoration.ts';
export {
  binaryTree,
  coefficientCount,
  coefficientsOf,
  flat,
  privelet,
  type Strategy,
  tree,
} from './strategy.ts';
