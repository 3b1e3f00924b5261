/**
 * Linear releases of histograms: strategies, their exact errors, and what follows from noisy counts. Pure: no
 * file, no network.
 */
export {
  type Asymptote,
  type Asymptotic,
  accuracyIndex,
  asymptoteOf,
  averageError,
  plainTreeAverage,
  plainTreeError,
  type SquareRoot,
  squareRootErrors,
  type Workload,
} from './averages.ts';
export { type Candidate, type ChoiceOf, chooseStrategy, fanoutsOf } from './choice.ts';
export { type Fraction, toNumber } from './fraction.ts';
export {
  type CoefficientNoise,
  calibrateRelease,
  type NoiseMoments,
  noiseMoments,
  noiseSampler,
  type ReleaseBudget,
  type Sensitivity,
  sensitivityOf,
} from './noise.ts';
export {
  type AskedRange,
  type AttainableLevel,
  attainableLevel,
  LARGEST_LEVEL,
  type PrivateRange,
  prefixDeviation,
  privateRange,
} from './private-range.ts';
export {
  countsOf,
  monotoneCumulative,
  type NoisyHistogram,
  privateQuantile,
  privateRows,
  type QuantileEstimate,
  quantileEdge,
} from './quantiles.ts';
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
  coefficientShares,
  coefficientsOf,
  flat,
  fromRing,
  privelet,
  type Strategy,
  tree,
} from './strategy.ts';
