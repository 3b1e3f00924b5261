/**
 * Mechanisms that choose: one of finitely many candidates, the better the likelier, with integer utilities; and an owner's own category.
 *
 * Proof note of the exponential mechanism (McSherry and Talwar, "Mechanism design via differential privacy", 2007). Let every
 * candidate's utility differ by at most Δ between neighbours, under whichever neighbouring relation Δ was derived for: add or remove
 * one row, or replace one; the candidates themselves must not depend on the data. Candidate i is chosen with probability wᵢ/Σ w, with
 * wᵢ = exp(ε uᵢ/(2Δ)). Between neighbours wᵢ changes by a factor of at most exp(ε/2) and so does Σ w, hence the probability by
 * at most exp(ε): (ε, 0)-differential privacy.
 *
 * Proof note of k-ary randomised response (Warner 1965; Kairouz, Oh and Viswanath, "Extremal mechanisms for local differential
 * privacy", 2014). Neighbours are any two values of one row. The true category comes with probability e^ε/(e^ε + k − 1) and each other
 * one with 1/(e^ε + k − 1). For any output two inputs give probabilities that differ by a factor of e^ε or 1: (ε, 0), locally.
 *
 * Both accept a uniform candidate with probability exp(−ε · loss/divisor), by the exact coins of CKS20, which gives just these
 * ratios. How many trials it takes (with n candidates at most n on average) depends on utilities and outcome: timing is out of scope.
 */

import type { RandomSource } from '@eigenveil/privacy';
import {
  bernoulliExp,
  checkCount,
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
  { sensitivity, epsilon }: { readonly sensitivity: bigint; readonly epsilon: number },
): number {
  if (utilities.length === 0) throw invalid('utilities', 'at least one candidate', 'none');
  checkPositiveInteger('sensitivity', sensitivity);
  checkEpsilon(epsilon);
  const best = utilities.reduce((a, b) => (a > b ? a : b));
  return accepted(
    source,
    utilities.length,
    { epsilon, divisor: 2n * sensitivity },
    (i) => best - utilities[i]!,
  );
}

/**
 * A category in [0, categories); the true one for ε = Infinity.
 * @throws ERR_DP_PARAMETER unless categories >= 2, category is one of them and ε > 0
 */
export function randomisedResponse(
  source: RandomSource,
  category: number,
  { categories, epsilon }: { readonly categories: number; readonly epsilon: number },
): number {
  checkCount('categories', categories, 2);
  checkEpsilon(epsilon);
  if (!(Number.isInteger(category) && category >= 0 && category < categories)) {
    // The category itself is the secret.
    throw invalid('category', `an integer in [0, ${categories})`, 'another value');
  }
  return accepted(source, categories, { epsilon, divisor: 1n }, (i) => (i === category ? 0n : 1n));
}

/** A candidate with probability proportional to exp(−ε · loss/divisor). */
function accepted(
  source: RandomSource,
  candidates: number,
  { epsilon, divisor }: { readonly epsilon: number; readonly divisor: bigint },
  lossOf: (candidate: number) => bigint,
): number {
  const random = new RandomBits(source);
  const ratio = epsilon === Infinity ? undefined : rationalOf('epsilon', epsilon);
  const accepts = (loss: bigint) =>
    ratio === undefined
      ? loss === 0n
      : bernoulliExp(random, ratio.numerator * loss, ratio.denominator * divisor);
  for (;;) {
    const i = Number(random.below(BigInt(candidates)));
    if (accepts(lossOf(i))) return i;
  }
}
