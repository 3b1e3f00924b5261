/**
 * The discrete Laplace mechanism: exact integer noise for exact integers, with δ = 0.
 *
 * Proof note (Ghosh, Roughgarden and Sundararajan, "Universally utility-maximizing privacy mechanisms", 2009). Let q map rows
 * to integers and ‖q(D) − q(D′)‖₁ <= Δ for all neighbours, under whichever neighbouring relation Δ was derived for: add or
 * remove one row, or replace one. The outputs are the same integers for D and D′, and at each the probabilities, proportional
 * to exp(−‖z − q(D)‖₁/τ) and exp(−‖z − q(D′)‖₁/τ) with the same normalisation, differ by a factor of at most exp(Δ/τ) = exp(ε) for
 * τ = Δ/ε. The sampler is exact, so the proof covers what runs.
 */

import type { RandomSource } from '@eigenveil/privacy';
import { discreteLaplaceSampler } from '@eigenveil/privacy';
import {
  checkEpsilon,
  checkPositiveInteger,
  type Rational,
  rationalOf,
  ZERO,
} from '@eigenveil/privacy/parts';

/**
 * The scale τ = Δ/ε, exactly; 0 for ε = Infinity. Δ is the L1 sensitivity, in units of the integers.
 * @throws ERR_DP_PARAMETER unless Δ > 0 and ε > 0
 */
export function calibrateDiscreteLaplace(parameters: {
  readonly sensitivity: bigint;
  readonly epsilon: number;
}): Rational {
  const { sensitivity, epsilon } = parameters;
  checkPositiveInteger('sensitivity', sensitivity);
  checkEpsilon(epsilon);
  if (epsilon === Infinity) return ZERO;
  const { numerator, denominator } = rationalOf('epsilon', epsilon);
  return { numerator: sensitivity * denominator, denominator: numerator };
}

/**
 * The values with independent discrete Laplace noise. One L1 sensitivity covers the whole vector.
 * @throws ERR_DP_PARAMETER when the scale is no rational >= 0
 */
export function discreteLaplaceMechanism(
  source: RandomSource,
  values: readonly bigint[],
  { scale }: { readonly scale: Rational },
): bigint[] {
  const draw = discreteLaplaceSampler(source, { scale });
  return values.map((value) => value + draw());
}
