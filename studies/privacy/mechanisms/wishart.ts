/**
 * Wishart noise, which keeps a matrix of second moments positive semidefinite. Over real numbers, for published methods (see
 * random/real.ts). Its proof, and why the published calibration with d + 1 degrees of freedom is not private, stand beside
 * dpDeltaOfWishart in wishart-calibration.ts.
 */

import type { RandomSource } from '@eigenveil/privacy';
import { checkScale } from '@eigenveil/privacy/parts';
import { RealDraws } from '../random/real.ts';
import { checkWishart } from './wishart-calibration.ts';

/**
 * d × d, Wishart with k degrees of freedom and scale matrix sI, so of mean s k I; by Bartlett's decomposition s L Lᵀ, where L is lower
 * triangular with N(0, 1) below the diagonal and roots of chi-squares of k, k − 1, … degrees of freedom on it.
 * @throws ERR_DP_PARAMETER unless d >= 1, k >= d + 1 and s is finite and >= 0
 */
export function wishartNoise(
  source: RandomSource,
  dimension: number,
  parameters: { readonly degreesOfFreedom: number; readonly scale: number },
): number[][] {
  const { degreesOfFreedom, scale } = parameters;
  checkWishart(dimension, degreesOfFreedom);
  checkScale('scale', scale);
  const draws = new RealDraws(source);
  const L = Array.from({ length: dimension }, (_, i) =>
    Array.from({ length: i + 1 }, (_, j) =>
      i === j ? Math.sqrt(2 * draws.gamma((degreesOfFreedom - i) / 2)) : draws.normal(),
    ),
  );
  return L.map((_, i) =>
    L.map((_, j) => {
      let sum = 0;
      for (let l = 0; l <= Math.min(i, j); l++) sum += L[i]![l]! * L[j]![l]!;
      return scale === 0 ? 0 : scale * sum;
    }),
  );
}
