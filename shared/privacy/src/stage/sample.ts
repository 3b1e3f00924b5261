/** One draw of noise for a task's statistics. */

import { roundedGaussianSampler } from '../random/rounded-gaussian.ts';
import type { RandomSource } from '../random/source.ts';
import type { Rational } from '../rational.ts';
import type { NoisePlan } from './noise-plan.ts';
import type { StageTask } from './setting.ts';

/**
 * Noise in the order of the flat statistics: the upper triangle of R unless the method is MDR, per labelling and class V and M, and 0 for the number
 * of owners. Whoever draws must draw once per task: the mean of several draws is closer to the statistics.
 */
export function sampleNoise(
  source: RandomSource,
  { kind, features: d, classes }: StageTask,
  { variances, offDiagonal, latticeBits }: Pick<NoisePlan, 'variances' | 'offDiagonal' | 'latticeBits'>,
): bigint[] {
  const sampler = (sigmaSquared: Rational, of: 'R' | 'V' | 'M') =>
    roundedGaussianSampler(source, { sigmaSquared, latticeBits: latticeBits[of] });
  const R = sampler(variances.R, 'R');
  const off = sampler(offDiagonal, 'R');
  const V = sampler(variances.V, 'V');
  const M = sampler(variances.M, 'M');
  const noise: bigint[] = [];
  for (let i = 0; i < d && kind !== 'mdr'; i += 1) {
    noise.push(R());
    for (let j = i + 1; j < d; j += 1) noise.push(off());
  }
  for (let k = classes.reduce((sum, count) => sum + count, 0); k > 0; k -= 1) {
    for (let i = 0; i < d; i += 1) noise.push(V());
    noise.push(M());
  }
  noise.push(0n);
  return noise;
}
