/**
 * Exact samples of the discrete Laplace distribution: Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential
 * Privacy" (2020), algorithm 2. Integers and rationals only. How long a draw takes depends on the value drawn, so an
 * adversary who can time it is out of scope.
 */

import { bitLength, checkRational, type Rational } from '../rational.ts';
import { bernoulliExpFraction } from './bernoulli.ts';
import { RandomBits } from './bits.ts';
import type { RandomSource } from './source.ts';

export interface DiscreteLaplaceParameters {
  /** τ >= 0; 0 draws only zeros. */
  readonly scale: Rational;
}

/**
 * Draws integers y with probability proportional to exp(−|y|/τ).
 * @throws ERR_DP_PARAMETER when the scale is no rational >= 0
 */
export function discreteLaplaceSampler(
  source: RandomSource,
  { scale }: DiscreteLaplaceParameters,
): () => bigint {
  checkRational('scale', scale);
  if (scale.numerator === 0n) return () => 0n;
  const random = new RandomBits(source);
  return () => drawDiscreteLaplace(random, scale.numerator, scale.denominator);
}

/** One draw for τ = t/s with t, s > 0. */
export function drawDiscreteLaplace(
  random: RandomBits,
  t: bigint,
  s: bigint,
  length = bitLength(t - 1n),
): bigint {
  for (;;) {
    const magnitude = drawGeometric(random, t, s, length);
    if (!random.coin()) return magnitude;
    // Otherwise zero, having two signs, would come twice as often as it should.
    if (magnitude !== 0n) return -magnitude;
  }
}

/** Integers y >= 0 with probability proportional to exp(−y/τ), τ = t/s with t, s > 0. */
export function drawGeometric(random: RandomBits, t: bigint, s: bigint, length = bitLength(t - 1n)): bigint {
  for (;;) {
    // x = u + t v has probability proportional to exp(−x/t), and ⌊x/s⌋ to exp(−⌊x/s⌋ s/t).
    const u = random.below(t, length);
    if (!bernoulliExpFraction(random, u, t)) continue;
    let v = 0n;
    while (bernoulliExpFraction(random, 1n, 1n)) v++;
    return (u + t * v) / s;
  }
}
