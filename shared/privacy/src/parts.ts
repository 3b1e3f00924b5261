/**
 * The parts on which rooms with mechanisms of their own build: checks of parameters, exact fractions, random
 * bits and Bernoulli draws, bisection, the normal tail, rounded
 * multipliers.
 */
export { leastThatHolds } from './calibration/bisect.ts';
export { millsRatio, normalDensity } from './calibration/gaussian.ts';
export { roundedUp } from './calibration/rounded-gaussian.ts';
export {
  checkCount,
  checkDelta,
  checkEpsilon,
  checkPositive,
  checkPositiveInteger,
  checkScale,
  invalid,
  type Neighbours,
} from './parameters.ts';
export { RandomBits } from './random/randomness.ts';
export { bernoulliExp, drawGeometric } from './random/samplers.ts';
export { checkRational, type Rational, rationalOf, ZERO } from './rational.ts';
export type { SumWeights } from './stage/setting.ts';
