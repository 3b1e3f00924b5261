/** The discrete Gaussian mechanism: exact integer noise for exact integers. Its proof stands beside its calibration. */

import type { RandomSource } from '@eigenveil/privacy';
import { discreteGaussianSampler } from '@eigenveil/privacy';
import type { Rational } from '@eigenveil/privacy/parts';

/**
 * The values with independent discrete Gaussian noise, in the units of the values.
 *
 * Neighbours, sensitivity and σ²: see calibration/discrete-gaussian.ts. One sensitivity covers the whole vector, so all
 * that is released together belongs into one call, and nothing may be drawn twice for the same data.
 * @throws ERR_DP_PARAMETER when σ² is no rational >= 0
 */
export function discreteGaussianMechanism(
  source: RandomSource,
  values: readonly bigint[],
  { sigmaSquared }: { readonly sigmaSquared: Rational },
): bigint[] {
  const draw = discreteGaussianSampler(source, { sigmaSquared });
  return values.map((value) => value + draw());
}
