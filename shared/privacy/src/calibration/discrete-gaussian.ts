/**
 * Tells how much discrete Gaussian noise a vector of integers needs.
 *
 * Proof note. Let q map rows to Z^m and ‖q(D) − q(D′)‖₂ <= Δ for all neighbours D, D′, under whichever
 * neighbouring relation Δ was derived for: add or remove one row, or replace one. Independent noise of the
 * discrete Gaussian distribution with the same σ² on every entry makes q ρ-zCDP with ρ = Δ²/(2σ²): Canonne,
 * Kamath and Steinke, "The Discrete Gaussian for Differential Privacy" (2020, section 2.2 of
 * arXiv:2004.00010), for one entry; Rényi divergences of independent entries add up, to α Σ (qᵢ(D) −
 * qᵢ(D′))²/(2σ²). It holds for every σ² > 0 and exactly, with no term for discretisation, since the shifts
 * are integers. The step to (ε, δ) is that of zcdp.ts. The calibration of the continuous Gaussian (Balle and
 * Wang) is proved for continuous noise only, so it is not used here; rounded-gaussian.ts does, for noise of
 * another kind.
 *
 * The sum of several owners' discrete Gaussians is not itself one, and nothing here applies to it.
 */

import { bitLength } from '@eigenveil/platform';
import { checkDelta, checkEpsilon, checkPositive, checkPositiveInteger } from '../parameters.ts';
import { checkRational, type Rational, rationalOf, ZERO } from '../rational.ts';
import { rhoOfBudget } from './zcdp.ts';

/**
 * σ² is rounded up to a number with this many leading digits: 2^−40 of noise more, and short fractions for
 * the sampler.
 */
const SIGNIFICANT_BITS = 40;

/**
 * The σ² with which integers of L2 sensitivity Δ become (ε, δ)-differentially private; 0 for ε = Infinity.
 * `sensitivitySquared` is Δ², in squared units of the integers.
 * @throws ERR_DP_PARAMETER unless Δ² > 0, ε > 0 and δ in (0, 1)
 */
export function calibrateDiscreteGaussian(parameters: {
  readonly sensitivitySquared: bigint;
  readonly epsilon: number;
  readonly dpDelta: number;
}): Rational {
  const { sensitivitySquared, epsilon, dpDelta } = parameters;
  checkPositiveInteger('sensitivitySquared', sensitivitySquared);
  checkEpsilon(epsilon);
  checkDelta(dpDelta);
  if (epsilon === Infinity) return ZERO;
  return sigmaSquaredOfRho({ sensitivitySquared, rhoZcdp: rhoOfBudget({ epsilon, dpDelta }) });
}

/**
 * The σ² = Δ²/(2ρ), rounded up, with which integers of L2 sensitivity Δ become ρ-zCDP.
 * @throws ERR_DP_PARAMETER unless Δ² > 0 and ρ is finite and positive
 */
export function sigmaSquaredOfRho(parameters: {
  readonly sensitivitySquared: bigint;
  readonly rhoZcdp: number;
}): Rational {
  const { sensitivitySquared, rhoZcdp } = parameters;
  checkPositiveInteger('sensitivitySquared', sensitivitySquared);
  checkPositive('rhoZcdp', rhoZcdp);
  const rho = rationalOf('rhoZcdp', rhoZcdp);
  const numerator = sensitivitySquared * rho.denominator;
  const denominator = 2n * rho.numerator;
  const leading = bitLength(numerator) - bitLength(denominator);
  const shift = BigInt(Math.max(0, SIGNIFICANT_BITS - leading));
  return { numerator: ceilingOf(numerator << shift, denominator), denominator: 1n << shift };
}

/**
 * The ρ = Δ²/(2σ²), rounded up, that noise of σ² > 0 gives: what a budget in zCDP is charged.
 * @throws ERR_DP_PARAMETER unless Δ² > 0 and σ² > 0
 */
export function rhoOfDiscreteGaussian(parameters: {
  readonly sensitivitySquared: bigint;
  readonly sigmaSquared: Rational;
}): number {
  const { sensitivitySquared, sigmaSquared } = parameters;
  checkPositiveInteger('sensitivitySquared', sensitivitySquared);
  checkRational('sigmaSquared', sigmaSquared);
  checkPositiveInteger('sigmaSquared.numerator', sigmaSquared.numerator);
  const numerator = sensitivitySquared * sigmaSquared.denominator;
  const denominator = 2n * sigmaSquared.numerator;
  // 53 digits of the quotient, rounded up: such an integer is a double, and so is its product with a power of
  // two.
  const digits = (shift: number) =>
    ceilingOf(numerator << BigInt(Math.max(0, shift)), denominator << BigInt(Math.max(0, -shift)));
  // The quotient lies between 2^(leading − 1) and 2^(leading + 1).
  const leading = bitLength(numerator) - bitLength(denominator);
  const shift = digits(53 - leading) <= 1n << 53n ? 53 - leading : 52 - leading;
  return Number(digits(shift)) * 2 ** -shift;
}

function ceilingOf(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}
