/**
 * Tells how much noise a vector of integers needs when the noise is a Gaussian rounded to integers: as much
 * as with the continuous Gaussian, which is less than zCDP proves of the discrete one
 * (Canonne, Kamath and Steinke, 2020, section 2.2).
 *
 * Nobody has exact samples of a rounded Gaussian, but of something as good: round(Y / 2^s), where Y is a
 * discrete Gaussian of deviation τ = 2^s σ on the integers, a fine lattice. Any rounding with round(n + y) =
 * n + round(y) for integers n will do.
 *
 * Proof note. Let q map rows to Z^D, and let noise N(0, σ_i²) on its values be (ε′, δ′)-differentially
 * private by the equality of gaussian.ts, under whichever neighbouring relation: it has no other use for σ_i
 * than Σ (change_i/σ_i)² <= h². Scaled by 2^s_i, the values 2^s_i q_i with G_i of N(0, τ_i²) are as private,
 * and so are, by post-processing, 2^s_i q_i + Z_i with Z_i = round(G_i). We compare Z with Y, first one
 * value, k an integer:
 *
 *   P(Y = k) = w(k)/W,  w(k) = e^(−k²/2τ²),  W = Σ w(k);   P(Z = k) = I(k)/√(2π)τ,  I(k) = ∫ e^(−t²/2τ²) dt over k ± 1/2.
 *
 * With u uniform in ±1/2, I(k)/w(k) = E e^(−(2ku + u²)/2τ²), where 0 <= u² <= 1/4, and E e^(−ku/τ²) =
 * sinh(v)/v for v = k/2τ²; by 1 <= sinh(v)/v <= e^(v²/6) it lies between e^(−1/8τ²) and e^(k²/24τ⁴). W >=
 * √(2π)τ by Poisson's summation formula, all terms of which are positive, and W <= e^(1/8τ²) Σ I(k) =
 * e^(1/8τ²) √(2π)τ. Hence
 *
 *   P(Y = k) <= e^(1/8τ²) P(Z = k) for every k,   P(Z = k) <= e^(1/8τ² + T²/24τ²) P(Y = k) for |k| <= Tτ.
 *
 * Let every τ_i be at least τ, β the probability of any |Z_i| > Tτ_i, at most 2D e^(−(Tτ − 1/2)²/2τ²), and q,
 * q′ neighbours' values. Then
 *
 *   P(q + Y ∈ S) <= e^(D/8τ²) P(q + Z ∈ S) <= e^(D/8τ²) (e^ε′ P(q′ + Z ∈ S) + δ′)
 *                <= e^(D/8τ²) (e^ε′ (e^(D/8τ² + DT²/24τ²) P(q′ + Y ∈ S) + β) + δ′)
 *
 * (here q stands for 2^s q), so that q + round(Y/2^s), post-processing of 2^s q + Y, is (ε, δ)-differentially
 * private for
 *
 *   ε = ε′ + D (T² + 6)/24τ²,   δ = e^(D/8τ²) (δ′ + e^ε′ β).
 *
 * We take τ² >= 2^80/min(1, ε), and T = 2^10 in the proof. For D <= 2^40, more values than anybody sums, what
 * ε gains is then below 2^−24 min(1, ε), the factor of δ at most e^(2^−43), and β below 2^−500,000, and ε′
 * and δ′ that are smaller by 2^−20 of themselves leave room for all of it. Tests do this arithmetic in
 * integers.
 *
 * The deviation takes square roots and exponentials of doubles, nothing else; IEEE 754 leaves the last digit
 * of exponentials open.
 */

import { checkDelta, invalid } from '../parameters.ts';
import { type Rational, rationalOf } from '../rational.ts';
import { calibrateAnalyticGaussian } from './gaussian.ts';

/** ε and δ below this are refused: from here on every double on the way has all its digits. */
export const LEAST_PARAMETER = 1e-100;
/** The share of ε and δ that the fine lattice may cost. */
const SLACK = 2 ** -20;
/** log2 of the least τ² for ε >= 1. */
const LATTICE_BITS = 80n;

/** The ε′ and δ′ of the continuous Gaussian. */
export function budgetOfContinuous({ epsilon, dpDelta }: { epsilon: number; dpDelta: number }): {
  epsilon: number;
  dpDelta: number;
} {
  return { epsilon: epsilon * (1 - SLACK), dpDelta: dpDelta * (1 - SLACK) };
}

/**
 * The deviation σ with which at most 2^40 integers of L2 sensitivity Δ become (ε, δ)-differentially private
 * by noise of `roundedGaussianSampler` with the lattice bits below; rounded up, in units of Δ. Values may
 * have different deviations σ_i as long as Σ (change_i/σ_i)² <= (Δ/σ)².
 * @throws ERR_DP_PARAMETER unless Δ is finite and positive, ε finite and δ < 1, and neither below 1e-100
 */
export function calibrateRoundedGaussian(parameters: {
  readonly sensitivity: number;
  readonly epsilon: number;
  readonly dpDelta: number;
}): number {
  const { sensitivity, epsilon, dpDelta } = parameters;
  checkDelta(dpDelta);
  for (const [name, value] of Object.entries({ epsilon, dpDelta })) {
    if (!(value >= LEAST_PARAMETER && value < Infinity)) {
      throw invalid(name, `a finite number >= ${LEAST_PARAMETER}`, value);
    }
  }
  return calibrateAnalyticGaussian({ sensitivity, ...budgetOfContinuous({ epsilon, dpDelta }) });
}

/** The least s >= 0 with σ² 4^s >= 2^80/min(1, ε), exactly; σ² > 0. */
export function latticeBitsFor(sigmaSquared: Rational, epsilon: number): number {
  const least = rationalOf('epsilon', Math.min(1, epsilon));
  let have = sigmaSquared.numerator * least.numerator;
  const need = (sigmaSquared.denominator * least.denominator) << LATTICE_BITS;
  let bits = 0;
  for (; have < need; bits++) have <<= 2n;
  return bits;
}

const MULTIPLIER_DIGITS = 10;

/**
 * Rounds a noise multiplier up to few binary digits, so that its square is exact, and logarithms which differ in
 * their last digits give the same. Exactly the result is what counts.
 */
export function roundedUp(multiplier: number): number {
  const unit = 2 ** (Math.floor(Math.log2(multiplier)) - MULTIPLIER_DIGITS);
  return Math.ceil(multiplier / unit) * unit;
}
