/**
 * The Gaussian mechanism over real numbers, for the laboratory. Its proof stands beside its calibrations; what doubles do to
 * such proofs is said in random/real.ts.
 */

import type { RandomSource } from '@eigenveil/privacy';
import { checkScale } from '@eigenveil/privacy/parts';
import { RealDraws } from '../random/real.ts';

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
