/**
 * The exponential mechanism: one of finitely many candidates, the better the likelier; exact, with integer utilities.
 *
 * Proof note (McSherry and Talwar, "Mechanism design via differential privacy", 2007). Let every candidate's utility differ by at
 * most Δ between neighbours, under whichever neighbouring relation Δ was derived for: add or remove one row, or replace one;
 * the candidates themselves must not depend on the data. Candidate i is chosen with probability wᵢ/Σ w, with
 * wᵢ = exp(ε uᵢ/(2Δ)). Between neighbours wᵢ changes by a factor of at most exp(ε/2) and so does Σ w, hence the probability by
 * at most exp(ε): (ε, 0)-differential privacy.
 *
 * Sampler: a uniform candidate is accepted with probability exp(−ε (max u − uᵢ)/(2Δ)), by the exact coins of CKS20; the result
 * is proportional to wᵢ. With n candidates it takes at most n trials on average. How many it takes depends on the utilities,
 * so an adversary who can time it is out of scope.
 */

import type { RandomSource } from '@eigenveil/privacy';
import {
  bernoulliExp,
  checkEpsilon,
  checkPositiveInteger,
  invalid,
  RandomBits,
  rationalOf,
} from '@eigenveil/privacy/parts';

/**
 * The index of the chosen candidate; for ε = Infinity a uniform one among the best. Δ is in units of the utilities.
 * @throws ERR_DP_PARAMETER unless there is a candidate, Δ > 0 and ε > 0
 */
export function exponentialMechanism(
  source: RandomSource,
  utilities: readonly bigint[],
  parameters: { readonly sensitivity: bigint; readonly epsilon: number },
): number {
  const { sensitivity, epsilon } = parameters;
  if (utilities.length === 0) throw invalid('utilities', 'at least one candidate', 'none');
  checkPositiveInteger('sensitivity', sensitivity);
  checkEpsilon(epsilon);
  const best = utilities.reduce((a, b) => (a > b ? a : b));
  const accepts = acceptance(epsilon, 2n * sensitivity);
  const random = new RandomBits(source);
  for (;;) {
    const i = Number(random.below(BigInt(utilities.length)));
    if (accepts(random, best - utilities[i]!)) return i;
  }
}

/** Coins of probability exp(−ε · loss/divisor). */
export function acceptance(epsilon: number, divisor: bigint): (random: RandomBits, loss: bigint) => boolean {
  if (epsilon === Infinity) return (_, loss) => loss === 0n;
  const { numerator, denominator } = rationalOf('epsilon', epsilon);
  return (random, loss) => bernoulliExp(random, numerator * loss, denominator * divisor);
}
