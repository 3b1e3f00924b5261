/**
 * Gaussian noise rounded to integers, for integers: as private as the continuous Gaussian mechanism, whose calibration is exact, where that of the discrete
 * Gaussian by zCDP (calibration/zcdp.ts) asks for 6 to 11 % more noise at δ = 10^-5.
 *
 * Proof note. Values are integers q, neighbours shift them by integers v with Σ (v_i/σ_i)² <= h², and σ_i >= 1. The noise is N_i = round(2^-64 G_i), G_i discrete
 * Gaussian of deviation s_i = 2^64 σ_i. As q + N = round(2^-64 (2^64 q + G)), it is enough that 2^64 q + G is private: the shift there is w = 2^64 v, and
 * |w_i| <= h s_i. Let P be the law of G and Y that of round(N(0, s_i²)), both for m values.
 *
 * 1. 2^64 q + round(N(0, s²)) = round(2^64 q + N(0, s²)) is a function of what the continuous Gaussian mechanism gives: for all S,
 *    Y_w(S) <= e^ε′ Y(S) + δ′, δ′ = dpDeltaOfGaussian of h and ε′.
 * 2. On the cell of z, where |z_i| <= 64 s_i, log densities of N(0, s_i²) differ from the one in the middle by at most (64 s_i + 1/4)/(2 s_i²) < 33/s_i; normalisers
 *    differ by a factor within 1 ± 3 exp(−2π² s_i²) (Poisson summation). So P(z) and Y(z) differ by a factor of at most e^η with η = 34 m 2^-64.
 * 3. Let E be where |z_i − w_i| <= 16 s_i for all i, which P_w leaves with probability at most 2 m e^-128. For h <= 32 both z and z − w are within
 *    64 s there. Then P_w(S) <= P_w(S ∩ E) + 2 m e^-128 <= e^η Y_w(S ∩ E) + … <= e^(ε′ + 2η) P(S) + e^η δ′ + 2 m e^-128.
 *
 * For m <= 2^20 values η < 2^-38, so ε′ = ε − 2^-36 and δ′ = δ (1 − 2^-30) make this (ε, δ)-private where δ >= 2^-128.
 */

import { calibrateAnalyticGaussian } from '../calibration/gaussian.ts';
import { invalid } from '../parameters.ts';
import { type DiscreteGaussianParameters, discreteGaussianSampler } from './discrete-gaussian.ts';
import type { RandomSource } from './source.ts';

const GRID_BITS = 64n;
const HALF = 1n << (GRID_BITS - 1n);

const EPSILON_SLACK = 2 ** -36;
const DELTA_SLACK = 2 ** -30;
const SMALLEST_EPSILON = 2 ** -20;
const SMALLEST_DELTA = 2 ** -128;
const LARGEST_VALUES = 2 ** 20;
/** h in the proof. */
const LARGEST_SHIFT = 32;

/** Draws N of the proof above: σ² of the Gaussian that is rounded. 0 draws only zeros. */
export function roundedGaussianSampler(
  source: RandomSource,
  { sigmaSquared: { numerator, denominator } }: DiscreteGaussianParameters,
): () => bigint {
  const draw = discreteGaussianSampler(source, {
    sigmaSquared: { numerator: numerator << (2n * GRID_BITS), denominator },
  });
  return () => (draw() + HALF) >> GRID_BITS;
}

/**
 * The least σ per unit of sensitivity, for so many values, each of whose deviations comes out as at least 1.
 * @throws PrivacyError ERR_DP_PARAMETER where the proof does not reach
 */
export function calibrateRoundedGaussian(parameters: {
  readonly epsilon: number;
  readonly dpDelta: number;
  readonly values: number;
}): number {
  const { epsilon, dpDelta, values } = parameters;
  if (!(epsilon >= SMALLEST_EPSILON)) throw invalid('epsilon', 'at least 2^-20', epsilon);
  if (!(dpDelta >= SMALLEST_DELTA)) throw invalid('delta', 'at least 2^-128', dpDelta);
  if (!(values <= LARGEST_VALUES)) throw invalid('values', 'at most 2^20', values);
  const sigma = calibrateAnalyticGaussian({
    sensitivity: 1,
    epsilon: epsilon - EPSILON_SLACK,
    dpDelta: dpDelta * (1 - DELTA_SLACK),
  });
  if (1 / sigma > LARGEST_SHIFT) throw invalid('epsilon', 'a smaller one', epsilon);
  return sigma;
}
