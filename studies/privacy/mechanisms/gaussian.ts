/**
 * The Gaussian mechanism over real numbers, for published methods. Its proof stands beside its calibrations; what doubles do to
 * such proofs is said in random/real.ts.
 */

import type { RandomSource } from '@eigenveil/privacy';
import { checkDelta, checkPositive, checkScale, invalid } from '@eigenveil/privacy/parts';
import { RealDraws } from '../random/real.ts';

/** The relative error of products of a few doubles. */
const ROUNDING = 1e-15;

/**
 * σ = Δ √(2 ln(1.25/δ))/ε: Dwork and Roth, "The algorithmic foundations of differential privacy" (2014),
 * theorem A.1. Its proof needs ε <= 1, and beyond that the formula does give too little noise. Larger than
 * the analytic σ.
 * @throws ERR_DP_PARAMETER unless Δ is finite and positive, ε in (0, 1] and δ in (0, 1)
 */
export function calibrateClassicGaussian(parameters: {
  readonly sensitivity: number;
  readonly epsilon: number;
  readonly dpDelta: number;
}): number {
  const { sensitivity, epsilon, dpDelta } = parameters;
  checkPositive('sensitivity', sensitivity);
  if (!(epsilon > 0 && epsilon <= 1)) {
    throw invalid('epsilon', 'a number in (0, 1], where the classic calibration holds', epsilon);
  }
  checkDelta(dpDelta);
  return ((sensitivity * Math.sqrt(2 * Math.log(1.25 / dpDelta))) / epsilon) * (1 + ROUNDING);
}

/**
 * The values with independent noise N(0, σ²), in the units of the values. One L2 sensitivity covers the whole vector.
 * @throws ERR_DP_PARAMETER unless σ is finite and >= 0
 */
export function gaussianMechanism(
  source: RandomSource,
  values: readonly number[],
  { sigma }: { readonly sigma: number },
): number[] {
  checkScale('sigma', sigma);
  if (sigma === 0) return [...values];
  const draws = new RealDraws(source);
  return values.map((value) => value + sigma * draws.normal());
}
