/** The noise that a server adds to the sums of a histogram task: drawn once per task, and kept. */
import type { RandomSource } from '@eigenveil/privacy';
import { noiseSampler } from '@eigenveil/release';
import { releaseNoiseOf, type StatisticsTask, sumsOf } from '@eigenveil/task';

/**
 * One number per sum, and 0 for the number of owners, which is no secret. The mean of several draws is closer to the counts, so whoever draws keeps it.
 * @throws ERR_DP_PARAMETER for no histogram with differential privacy
 */
export function drawSumNoise(task: StatisticsTask, source: RandomSource): bigint[] {
  const sample = noiseSampler(source, releaseNoiseOf(task));
  return [...Array.from({ length: sumsOf(task) }, () => sample()), 0n];
}
