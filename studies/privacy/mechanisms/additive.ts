/**
 * Mechanisms that add independent noise to a vector of numbers; one sensitivity covers the whole vector.
 *
 * Proof note (Dwork, McSherry, Nissim and Smith, "Calibrating noise to sensitivity in private data analysis", 2006). Let
 * ‖q(D) − q(D′)‖₁ <= Δ for all neighbours, under whichever neighbouring relation Δ was derived for: add or remove one row, or
 * replace one. At every output z the densities exp(−‖z − q(D)‖₁/b) and exp(−‖z − q(D′)‖₁/b) differ by a factor of at most
 * exp(Δ/b), which is exp(ε) for b = Δ/ε: (ε, 0)-differential privacy. The same holds of probabilities of integers (Ghosh,
 * Roughgarden and Sundararajan, "Universally utility-maximizing privacy mechanisms", 2009), where the sampler is exact, so that the
 * proof covers what runs. Real numbers are for published methods: random/real.ts says what doubles do to the proof. That of Gaussian
 * noise stands beside its calibrations.
 */

import { discreteLaplaceSampler, type RandomSource } from '@eigenveil/privacy';
import {
  checkDelta,
  checkEpsilon,
  checkPositive,
  checkPositiveInteger,
  checkScale,
  invalid,
  type Rational,
  rationalOf,
  ZERO,
} from '@eigenveil/privacy/parts';
import { RealDraws } from '../random/real.ts';

/** Noise is calibrated to this; Δ is in units of the query. */
interface Claim<Sensitivity = number> {
  readonly sensitivity: Sensitivity;
  readonly epsilon: number;
}

/**
 * The scale b = Δ/ε, rounded up, in units of the query; 0 for ε = Infinity.
 * @throws ERR_DP_PARAMETER unless Δ is finite and positive and ε > 0
 */
export function calibrateLaplace({ sensitivity, epsilon }: Claim): number {
  checkPositive('sensitivity', sensitivity);
  checkEpsilon(epsilon);
  return (sensitivity / epsilon) * (1 + Number.EPSILON);
}

/**
 * The values with independent Laplace noise of scale b (variance 2b²), in the units of the values.
 * @throws ERR_DP_PARAMETER unless b is finite and >= 0
 */
export function laplaceMechanism(
  source: RandomSource,
  values: readonly number[],
  { scale }: { readonly scale: number },
): number[] {
  checkScale('scale', scale);
  if (scale === 0) return [...values];
  const draws = new RealDraws(source);
  return values.map((value) => value + scale * draws.laplace());
}

/**
 * The scale τ = Δ/ε, exactly; 0 for ε = Infinity.
 * @throws ERR_DP_PARAMETER unless Δ > 0 and ε > 0
 */
export function calibrateDiscreteLaplace({ sensitivity, epsilon }: Claim<bigint>): Rational {
  checkPositiveInteger('sensitivity', sensitivity);
  checkEpsilon(epsilon);
  if (epsilon === Infinity) return ZERO;
  const { numerator, denominator } = rationalOf('epsilon', epsilon);
  return { numerator: sensitivity * denominator, denominator: numerator };
}

/**
 * Whole numbers with discrete Laplace noise of L1 sensitivity Δ, exactly drawn; sums below 2^53 are exact, too.
 * @throws as `calibrateDiscreteLaplace`
 */
export function discreteLaplaceMechanism(
  source: RandomSource,
  values: readonly number[],
  claim: Claim<bigint>,
): number[] {
  const draw = discreteLaplaceSampler(source, { scale: calibrateDiscreteLaplace(claim) });
  return values.map((value) => Number(BigInt(value) + draw()));
}

/** The relative error of products of a few doubles. */
const ROUNDING = 1e-15;

/**
 * σ = Δ √(2 ln(1.25/δ))/ε: Dwork and Roth, "The algorithmic foundations of differential privacy" (2014),
 * theorem A.1. Its proof needs ε <= 1, and beyond that the formula does give too little noise. Larger than
 * the analytic σ.
 * @throws ERR_DP_PARAMETER unless Δ is finite and positive, ε in (0, 1] and δ in (0, 1)
 */
export function calibrateClassicGaussian({
  sensitivity,
  epsilon,
  dpDelta,
}: Claim & { readonly dpDelta: number }): number {
  checkPositive('sensitivity', sensitivity);
  if (!(epsilon > 0 && epsilon <= 1)) {
    throw invalid('epsilon', 'a number in (0, 1], where the classic calibration holds', epsilon);
  }
  checkDelta(dpDelta);
  return ((sensitivity * Math.sqrt(2 * Math.log(1.25 / dpDelta))) / epsilon) * (1 + ROUNDING);
}

/**
 * The same formula for any ε, as publications use it: beyond ε = 1 nothing says that it is enough; 0 for ε = Infinity.
 * @throws ERR_DP_PARAMETER unless Δ is finite and positive, ε > 0 and δ in (0, 1)
 */
export function publishedGaussian({
  sensitivity,
  epsilon,
  dpDelta,
}: Claim & { readonly dpDelta: number }): number {
  checkPositive('sensitivity', sensitivity);
  checkEpsilon(epsilon);
  checkDelta(dpDelta);
  return (sensitivity * Math.sqrt(2 * Math.log(1.25 / dpDelta))) / epsilon;
}

/**
 * The values with independent noise N(0, σ²), in the units of the values; σ covers an L2 sensitivity.
 * @throws ERR_DP_PARAMETER unless σ is finite and >= 0
 */
export function gaussianMechanism(
  source: RandomSource,
  values: readonly number[],
  { sigma }: { readonly sigma: number },
): number[] {
  checkScale('sigma', sigma);
  if (sigma === 0) return [...values];
  const draws = new RealDraws(source);
  return values.map((value) => value + sigma * draws.normal());
}
