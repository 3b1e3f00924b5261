/**
 * k-ary randomised response: one owner's category, released by the owner itself.
 *
 * Proof note (Warner 1965; Kairouz, Oh and Viswanath, "Extremal mechanisms for local differential privacy", 2014). Neighbours
 * are any two values of one row (replace one row; there is no other row to add or remove). The true category comes with
 * probability e^ε/(e^ε + k − 1) and each other one with 1/(e^ε + k − 1). For any output two inputs give probabilities that differ
 * by a factor of e^ε or 1: (ε, 0)-differential privacy, locally.
 *
 * Sampler: a uniform category is accepted always if it is the true one, and with probability exp(−ε) by an exact coin
 * otherwise, which gives just these ratios. The number of trials depends on the outcome: timing is out of scope.
 */

import type { RandomSource } from '@eigenveil/privacy';
import { checkCount, checkEpsilon, invalid, RandomBits } from '@eigenveil/privacy/parts';
import { acceptance } from './exponential.ts';

/**
 * A category in [0, categories); the true one for ε = Infinity.
 * @throws ERR_DP_PARAMETER unless categories >= 2, category is one of them and ε > 0
 */
export function randomisedResponse(
  source: RandomSource,
  category: number,
  parameters: { readonly categories: number; readonly epsilon: number },
): number {
  const { categories, epsilon } = parameters;
  checkCount('categories', categories, 2);
  checkEpsilon(epsilon);
  if (!(Number.isInteger(category) && category >= 0 && category < categories)) {
    // What it was is the secret.
    throw invalid('category', `an integer in [0, ${categories})`, 'another value');
  }
  const accepts = acceptance(epsilon, 1n);
  const random = new RandomBits(source);
  for (;;) {
    const answer = Number(random.below(BigInt(categories)));
    if (accepts(random, answer === category ? 0n : 1n)) return answer;
  }
}
