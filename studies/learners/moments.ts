/**
 * The moments accountant by its printed formula (Abadi et al., "Deep learning with differential privacy", 2016, theorem 2): δ = min over λ of
 * exp(α(λ) − λε), α(λ) the logarithm of the λ-th moment of the privacy loss of all steps.
 *
 * Proof note. α(λ) is λ times the Rényi divergence of order λ + 1, in the worse of both directions: renyi.ts bounds it, and steps add up. Markov's
 * inequality of exp(λ · loss) gives the formula. It holds for each λ, so that ε = (α(λ) − ln δ)/λ does, and the least is stated. The conversion of renyi.ts
 * is never worse: at order λ + 1 it has ln(1 − 1/(λ + 1)) − ln(λ + 1)/λ more, which is negative.
 */
import { checkDelta } from '@eigenveil/privacy/parts';
import { ORDERS, renyiOf, type SampledGaussian } from './renyi.ts';

/**
 * α(λ).
 * @throws as `renyiOf`
 */
export function momentOf(mechanism: SampledGaussian, lambda: number): number {
  return lambda * renyiOf(mechanism, lambda + 1);
}

/**
 * The ε that the steps keep with δ, the least over the λ that are an order less 1.
 * @throws as `renyiOf`, and for δ out of range
 */
export function epsilonByMoments(mechanism: SampledGaussian, dpDelta: number): number {
  checkDelta(dpDelta);
  return Math.min(
    ...ORDERS.map((order) => (momentOf(mechanism, order - 1) - Math.log(dpDelta)) / (order - 1)),
  );
}
