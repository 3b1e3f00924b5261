/** Linear releases of histograms: strategies, their exact errors, and what follows from noisy counts. Pure: no file, no network. */
export {
  type Asymptote,
  type Asymptotic,
  accuracyIndex,
  asymptoteOf,
  averageError,
  plainTreeAverage,
  plainTreeError,
  type Workload,
} from './averages.ts';
export { type Candidate, type ChoiceOf, chooseStrategy, fanoutsOf } from './choice.ts';
export {
  commonHeight,
  covarianceByHeight,
  type Interval,
  intervalError,
  quantileError,
} from './covariance.ts';
export { type Fraction, toNumber } from './fraction.ts';
export {
  type CoefficientNoise,
  calibrateRelease,
  type NoiseMoments,
  noiseMoments,
  noiseSampler,
  type ReleaseBudget,
} from './noise.ts';
export { countsOf, monotoneCumulative } from './quantiles/monotone.ts';
export {
  type AskedRange,
  type AttainableLevel,
  attainableLevel,
  LARGEST_LEVEL,
  type PrivateRange,
  prefixDeviation,
  privateRange,
} from './quantiles/private-range.ts';
export {
  type NoisyHistogram,
  privateQuantile,
  privateRows,
  type QuantileEstimate,
  quantileEdge,
} from './quantiles/quantiles.ts';
export { restore } from './restoration.ts';
export { type Sensitivity, sensitivityOf } from './sensitivity.ts';
export { type SquareRoot, squareRootErrors } from './square-root.ts';
export {
  binaryTree,
  coefficientCount,
  coefficientShares,
  coefficientsOf,
  flat,
  fromRing,
  privelet,
  type Strategy,
  tree,
} from './strategy.ts';
