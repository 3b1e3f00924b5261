/**
 * Zero-concentrated differential privacy (Bun and Steinke 2016) and what it says in terms of (ε, δ).
 *
 * Proof note. A mechanism is ρ-zCDP if the Rényi divergence of order α between its outputs on neighbours is at most ρα for
 * every α > 1. Then, for every α > 1, it is (ε, δ)-differentially private with
 *
 *   δ = exp((α − 1)(αρ − ε)) / (α − 1) · (1 − 1/α)^α
 *
 * (Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential Privacy", 2020, section 2.3 of arXiv:2004.00010).
 * As any α gives a true bound, the search for a good one may stop anywhere; the margin below covers the rounding of the
 * formula itself. log δ is convex in α, with derivative (2α − 1)ρ − ε + log(1 − 1/α).
 */

import { checkDelta, checkEpsilon, checkPositive } from '../parameters.ts';
import { leastThatHolds } from './bisect.ts';

/** The exponent is a few hundred at most before δ underflows, so its rounding stays well below this. */
const EXPONENT_ROUNDING = 1e-12;

/**
 * A δ for which ρ-zCDP implies (ε, δ)-differential privacy; the least that the formula above gives, rounded up. In (0, 1].
 * @throws ERR_DP_PARAMETER unless ρ and ε are finite and positive
 */
export function dpDeltaOfZcdp(rhoZcdp: number, epsilon: number): number {
  checkPositive('rhoZcdp', rhoZcdp);
  checkPositive('epsilon', epsilon);
  // In terms of a = α − 1 > 0, which can be far below the resolution of an α near 1.
  let low = 0;
  let high = (epsilon + 1) / (2 * rhoZcdp) + 1;
  for (let i = 0; i < 80; i++) {
    const a = (low + high) / 2;
    const slope = (2 * a + 1) * rhoZcdp - epsilon - Math.log1p(1 / a);
    if (slope < 0) low = a;
    else high = a;
  }
  const a = high;
  const log = a * ((a + 1) * rhoZcdp - epsilon) - Math.log(a) - (a + 1) * Math.log1p(1 / a);
  return Math.min(1, Math.max(Number.MIN_VALUE, Math.exp(log) * (1 + EXPONENT_ROUNDING)));
}

/**
 * The least ε for which ρ-zCDP implies (ε, δ) by `dpDeltaOfZcdp`, rounded up.
 * @throws ERR_DP_PARAMETER unless ρ is finite and positive and δ in (0, 1)
 */
export function epsilonOfZcdp(rhoZcdp: number, dpDelta: number): number {
  checkPositive('rhoZcdp', rhoZcdp);
  checkDelta(dpDelta);
  return leastThatHolds((epsilon) => dpDeltaOfZcdp(rhoZcdp, epsilon) <= dpDelta, rhoZcdp);
}

/**
 * The largest ρ that implies (ε, δ) by `dpDeltaOfZcdp`, rounded down; Infinity for ε = Infinity.
 * @throws ERR_DP_PARAMETER unless ε > 0 and δ in (0, 1)
 */
export function rhoOfBudget({ epsilon, dpDelta }: { epsilon: number; dpDelta: number }): number {
  checkEpsilon(epsilon);
  checkDelta(dpDelta);
  if (epsilon === Infinity) return Infinity;
  return 1 / leastThatHolds((inverse) => dpDeltaOfZcdp(1 / inverse, epsilon) <= dpDelta, 1 / epsilon);
}
