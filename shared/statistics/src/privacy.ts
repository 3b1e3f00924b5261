/** What a task's differential-privacy setting means for its rows and values; nothing, for a task without one. */

import {
  type NoisePlan,
  noisePlan,
  type RandomSource,
  type StageTask,
  sampleNoise,
} from '@eigenveil/privacy';
import { statisticsLength } from './statistics.ts';
import { collectsR, type StatisticsTask, summedClasses } from './task.ts';

/** The part of the task that its noise is a function of; undefined without differential privacy. */
export function stageTaskOf(
  task: Pick<
    StatisticsTask,
    'method' | 'features' | 'labellings' | 'fractionBits' | 'maximumOwners' | 'differentialPrivacy'
  >,
): StageTask | undefined {
  const { differentialPrivacy: setting } = task;
  if (setting === undefined || setting === null) return undefined;
  return {
    kind: task.method.kind,
    features: task.features.length,
    classes: summedClasses(task),
    fractionBits: task.fractionBits,
    maximumOwners: task.maximumOwners,
    setting,
  };
}

/**
 * The task's noise; undefined without differential privacy.
 * @throws PrivacyError ERR_DP_PARAMETER
 */
export function noisePlanOf(task: Parameters<typeof stageTaskOf>[0]): NoisePlan | undefined {
  const stage = stageTaskOf(task);
  return stage && noisePlan(stage);
}

type Drawer = 'servers' | 'owners';

/**
 * One draw of the noise that a server, or an owner, adds to the flat statistics of the task: zeros where the task has them add none. Whoever draws must
 * draw once per task and keep it, since the mean of several draws is closer to the statistics.
 * @throws PrivacyError ERR_DP_PARAMETER
 */
export function drawNoise(task: StatisticsTask, drawer: Drawer, source: RandomSource): bigint[] {
  const stage = stageTaskOf(task);
  if (stage?.setting.noise !== drawer) return new Array<bigint>(statisticsLength(task)).fill(0n);
  return sampleNoise(source, stage, noisePlan(stage));
}

/**
 * The flat statistics of the task's public shift: c on the diagonal of R, and zeros.
 * @throws PrivacyError ERR_DP_PARAMETER
 */
export function shiftOf(task: StatisticsTask): bigint[] {
  const values = new Array<bigint>(statisticsLength(task)).fill(0n);
  const plan = noisePlanOf(task);
  if (plan === undefined || !collectsR(task.method)) return values;
  const d = task.features.length;
  let diagonal = 0;
  for (let i = 0; i < d; i += 1) {
    values[diagonal] = plan.shift;
    diagonal += d - i;
  }
  return values;
}
