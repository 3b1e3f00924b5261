/** One draw of noise for a task's statistics. */

import { discreteGaussianSampler } from '../random/discrete-gaussian.ts';
import { roundedGaussianSampler } from '../random/rounded-gaussian.ts';
import type { RandomSource } from '../random/source.ts';
import type { NoisePlan } from './noise-plan.ts';
import type { StageTask } from './setting.ts';

/**
 * Noise in the order of the flat statistics: the upper triangle of R unless the method is MDR, per labelling and class V and M, and 0 for the number
 * of owners. Whoever draws must draw once per task: the mean of several draws is closer to the statistics.
 */
export function sampleNoise(
  source: RandomSource,
  { kind, features: d, classes, setting }: StageTask,
  { variances, offDiagonal }: Pick<NoisePlan, 'variances' | 'offDiagonal'>,
): bigint[] {
  const sampler = setting.noise === 'servers' ? roundedGaussianSampler : discreteGaussianSampler;
  const R = sampler(source, { sigmaSquared: variances.R });
  const off = sampler(source, { sigmaSquared: offDiagonal });
  const V = sampler(source, { sigmaSquared: variances.V });
  const M = sampler(source, { sigmaSquared: variances.M });
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
