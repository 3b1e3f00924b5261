/** Samples of a Gaussian rounded to integers, as closely as the discrete Gaussian on a finer lattice is one. Integers only. */

import type { Rational } from '../rational.ts';
import { discreteGaussianSampler } from './discrete-gaussian.ts';
import type { RandomSource } from './source.ts';

export interface RoundedGaussianParameters {
  /** σ² >= 0 before rounding, which adds 1/12; 0 draws only zeros. */
  readonly sigmaSquared: Rational;
  /** s >= 0: drawn in steps of 2^-s. 0 is the discrete Gaussian itself. */
  readonly latticeBits: number;
}

/**
 * Draws round(Y/2^s), Y a discrete Gaussian of parameter 4^s σ². Halves go up, for negative numbers as well, so that adding an integer and
 * rounding can change places: the proof in calibration/rounded-gaussian.ts needs that.
 * @throws ERR_DP_PARAMETER when σ² is no rational >= 0
 */
export function roundedGaussianSampler(
  source: RandomSource,
  { sigmaSquared: { numerator, denominator }, latticeBits }: RoundedGaussianParameters,
): () => bigint {
  const bits = BigInt(latticeBits);
  const half = (1n << bits) >> 1n;
  const draw = discreteGaussianSampler(source, {
    sigmaSquared: { numerator: numerator << (2n * bits), denominator },
  });
  // The shift of a negative bigint rounds down.
  return () => (draw() + half) >> bits;
}
