/**
 * Exact samples of the discrete Gaussian distribution: Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential
 * Privacy" (2020), algorithm 3. Integers and rationals only. How long a draw takes depends on the value drawn, so an
 * adversary who can time it is out of scope.
 */

import { bitLength, checkRational, integerSqrt, type Rational } from '../rational.ts';
import { bernoulliExp } from './bernoulli.ts';
import { RandomBits } from './bits.ts';
import { drawDiscreteLaplace } from './discrete-laplace.ts';
import type { RandomSource } from './source.ts';

export interface DiscreteGaussianParameters {
  /** σ² >= 0, of any size; 0 draws only zeros. The variance of the noise is at most σ² (ibid., section 3). */
  readonly sigmaSquared: Rational;
}

/**
 * Draws integers y with probability proportional to exp(−y²/(2σ²)).
 * @throws ERR_DP_PARAMETER when σ² is no rational >= 0
 * @example
 * import { discreteGaussianSampler, systemRandomness } from '@eigenveil/privacy';
 *
 * const sigmaSquared = { numerator: 25n, denominator: 1n };
 * const draw = discreteGaussianSampler(systemRandomness, { sigmaSquared });
 * const noise = [draw(), draw()];
 */
export function discreteGaussianSampler(
  source: RandomSource,
  { sigmaSquared }: DiscreteGaussianParameters,
): () => bigint {
  checkRational('sigmaSquared', sigmaSquared);
  const { numerator: p, denominator: q } = sigmaSquared;
  if (p === 0n) return () => 0n;
  const random = new RandomBits(source);
  // ⌊σ⌋ + 1: any positive t gives the same distribution, this one the fewest rejections.
  const t = integerSqrt(p / q) + 1n;
  const length = bitLength(t - 1n);
  const tq = t * q;
  const denominator = 2n * p * tq * t;
  return () => {
    for (;;) {
      const y = drawDiscreteLaplace(random, t, 1n, length);
      // (|y| − σ²/t)²/(2σ²) over the common denominator 2 p q t².
      const distance = (y < 0n ? -y : y) * tq - p;
      if (bernoulliExp(random, distance * distance, denominator)) return y;
    }
  };
}

/** One draw; for more than one, `discreteGaussianSampler` saves the preparation. */
export function sampleDiscreteGaussian(source: RandomSource, parameters: DiscreteGaussianParameters): bigint {
  return discreteGaussianSampler(source, parameters)();
}
