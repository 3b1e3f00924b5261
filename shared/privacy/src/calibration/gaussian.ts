/**
 * Tells how much continuous Gaussian noise a vector of real numbers needs.
 *
 * Proof note. Let ‖q(D) − q(D′)‖₂ <= Δ for all neighbours D, D′, under whichever neighbouring relation Δ was
 * derived for: add or remove one row, or replace one. Noise N(0, σ²I) looks the same from all sides, so only
 * the length of the shift matters and the question has one dimension; the worst shift is Δ itself. With h =
 * Δ/σ the logarithm of the density ratio is distributed as N(h²/2, h²), and the least δ for an ε is
 *
 *   δ = Φ(h/2 − ε/h) − exp(ε) Φ(−h/2 − ε/h)
 *
 * (Balle and Wang, "Improving the Gaussian mechanism for differential privacy", 2018, theorem 8). This is an
 * equality: a smaller σ is not private. With x = ε/h − h/2 and y = x + h = ε/h + h/2 we have exp(ε) φ(y) =
 * φ(x), hence δ = φ(x) (M(x) − M(y)) for Mills' ratio M = (1 − Φ)/φ, where exp(ε) has gone and far tails keep
 * their digits. Every error is rounded upwards, with bounds that hold for ε up to a thousand.
 */

import { checkDelta, checkEpsilon, checkPositive } from '../parameters.ts';
import { leastThatHolds } from './bisect.ts';

/** The relative error of products of a few doubles. */
const PRODUCT_ROUNDING = 1e-15;

/**
 * The least δ for which noise of standard deviation σ makes a query of L2 sensitivity Δ (ε, δ)-differentially
 * private, rounded up; in (0, 1].
 * @throws ERR_DP_PARAMETER unless all three are finite and positive
 */
export function dpDeltaOfGaussian(parameters: {
  readonly sigma: number;
  readonly sensitivity: number;
  readonly epsilon: number;
}): number {
  const { sigma, sensitivity, epsilon } = parameters;
  checkPositive('sigma', sigma);
  checkPositive('sensitivity', sensitivity);
  checkPositive('epsilon', epsilon);
  const h = sensitivity / sigma;
  const x = epsilon / h - h / 2;
  // This is what the rounding of x, a difference of numbers as large as h, does to the density.
  const slack = (1 + x * x + Math.abs(x) * h) * PRODUCT_ROUNDING;
  const subtracted = millsRatio(x + h) * (1 - MILLS_ERROR);
  const dpDelta =
    x >= 0
      ? normalDensity(x) * (1 + slack) * (millsRatio(x) * (1 + MILLS_ERROR) - subtracted)
      : 1 - normalDensity(x) * (1 - slack) * (millsRatio(-x) * (1 - MILLS_ERROR) + subtracted);
  return Math.min(1, Math.max(Number.MIN_VALUE, dpDelta));
}

/**
 * The least σ that the equality above allows, rounded up; in units of the query; 0 for ε = Infinity.
 * @throws ERR_DP_PARAMETER unless Δ is finite and positive, ε > 0 and δ in (0, 1)
 * @example
 * import { calibrateAnalyticGaussian } from '@eigenveil/privacy';
 *
 * const sigma = calibrateAnalyticGaussian({ sensitivity: 1, epsilon: 1, dpDelta: 1e-6 });
 * sigma.toFixed(2); // → '4.22'
 */
export function calibrateAnalyticGaussian(parameters: {
  readonly sensitivity: number;
  readonly epsilon: number;
  readonly dpDelta: number;
}): number {
  const { sensitivity, epsilon, dpDelta } = parameters;
  checkPositive('sensitivity', sensitivity);
  checkEpsilon(epsilon);
  checkDelta(dpDelta);
  if (epsilon === Infinity) return 0;
  return leastThatHolds(
    (sigma) => dpDeltaOfGaussian({ sigma, sensitivity, epsilon }) <= dpDelta,
    sensitivity,
  );
}

/**
 * The upper tail of the normal distribution, to full relative accuracy however far out.
 *
 * The erfc of jstat 1.9 is 1 − erf and has no correct digit left beyond 6, where δ of 1e-9 and less are
 * decided.
 */

/** Bound on the relative error of `millsRatio`; tests hold it against an integral. */
export const MILLS_ERROR = 2e-14;

/**
 * The power series serves up to here; beyond, the continued fraction does, which takes the longer the nearer
 * x is to zero.
 */
const SERIES_UP_TO = 2;

/** The density of the normal distribution. */
export function normalDensity(x: number): number {
  return Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
}

/**
 * (1 − Φ(x))/φ(x) for x >= 0: what is left of the tail once its exponential has been taken out, between 1/(x
 * + 1) and 1.26.
 */
export function millsRatio(x: number): number {
  return x < SERIES_UP_TO ? bySeries(x) : byContinuedFraction(x);
}

/**
 * √(π/2) exp(x²/2) − Σ x^(2k+1)/(2k+1)!!: Abramowitz and Stegun, "Handbook of Mathematical Functions",
 * 26.2.11.
 */
function bySeries(x: number): number {
  let term = x;
  let sum = 0;
  for (let k = 3; sum + term !== sum; k += 2) {
    sum += term;
    term *= (x * x) / k;
  }
  return Math.sqrt(Math.PI / 2) * Math.exp((x * x) / 2) - sum;
}

/**
 * 1/(x + 1/(x + 2/(x + 3/(x + …)))), ibid. 26.2.14, from the inside: 200 levels settle the last digit at x =
 * 2.
 */
function byContinuedFraction(x: number): number {
  let tail = x;
  for (let k = 200; k > 0; k--) tail = x + k / tail;
  return 1 / tail;
}
