/**
 * Exact parts of discrete Laplace noise: s parties draw one each, and the sum is discrete Laplace (Goryczka and Xiong, "A comprehensive
 * comparison of multiparty secure additions with differential privacy", 2017, section 5). Integers and rationals only.
 *
 * Discrete Laplace noise is G − G′ with geometric G, G′, and a geometric number is the sum of s Pólya numbers: negative binomial ones of shape
 * 1/s, of probability generating function ((1 − p)/(1 − p z))^(1/s), p = exp(−1/τ). One is drawn so: a permutation of G things, uniformly at
 * random, each of its cycles kept with probability 1/s; the number of things kept. For G geometric with p, the generating function of what is
 * kept is, by the cycle index, (1 − p) exp(Σ_l (p^l/l) (z^l/s + 1 − 1/s)) = (1 − p) (1 − p z)^(−1/s) (1 − p)^(−(1 − 1/s)): that of a
 * Pólya number. The cycle that holds the first thing has any length from 1 to G with the same probability, and what is left is again a
 * uniform permutation; so a draw takes about ln G uniform integers. How long it takes depends on the value drawn.
 */

import type { DiscreteLaplaceParameters, RandomSource } from '@eigenveil/privacy';
import { checkRational, drawGeometric, invalid, RandomBits } from '@eigenveil/privacy/parts';

interface LaplacePartParameters extends DiscreteLaplaceParameters {
  /** The number of parties that draw, s >= 1. */
  readonly parts: number;
}

/**
 * Draws integers of which s independent ones add up to an integer y with probability proportional to exp(−|y|/τ).
 * @throws ERR_DP_PARAMETER when the scale is no rational >= 0, or s no integer >= 1
 */
export function discreteLaplacePartSampler(
  source: RandomSource,
  { scale, parts }: LaplacePartParameters,
): () => bigint {
  checkRational('scale', scale);
  if (!Number.isSafeInteger(parts) || parts < 1) throw invalid('parts', 'an integer from 1', parts);
  const { numerator: t, denominator: s } = scale;
  if (t === 0n) return () => 0n;
  const random = new RandomBits(source);
  const polya = (): bigint => keptOfCycles(random, drawGeometric(random, t, s), BigInt(parts));
  return () => polya() - polya();
}

function keptOfCycles(random: RandomBits, things: bigint, parts: bigint): bigint {
  let kept = 0n;
  for (let left = things; left > 0n; ) {
    const cycle = random.below(left) + 1n;
    if (random.below(parts) === 0n) kept += cycle;
    left -= cycle;
  }
  return kept;
}
