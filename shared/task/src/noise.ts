/**
 * The meaning of a task's differential-privacy setting for its rows and values; a task without one has none.
 */

import { CodedError } from '@eigenveil/platform';
import { type NoisePlan, noisePlan, type StageTask } from '@eigenveil/privacy';
import { TASK_CODES } from './codes.ts';
import { type StatisticsTask, summedClasses } from './values/statistics-task.ts';

/**
 * The part of the task that its noise is a function of; undefined without differential privacy, of ridge,
 * which has none, and of histograms, whose noise is not on the statistics: see `releaseNoiseOf`.
 */
export function stageTaskOf(
  task: Pick<
    StatisticsTask,
    'method' | 'features' | 'labellings' | 'fractionBits' | 'maximumOwners' | 'differentialPrivacy'
  >,
): StageTask | undefined {
  const { differentialPrivacy: setting, method } = task;
  if (setting === undefined || setting === null || method.kind === 'histogram' || method.kind === 'ridge')
    return undefined;
  const { clippingNorm } = setting;
  if (clippingNorm === null)
    throw new CodedError(
      TASK_CODES.ERR_TASK_INVALID,
      '"differentialPrivacy.clippingNorm" expected a number for a projection, got null',
    );
  return {
    kind: method.kind,
    features: task.features.length,
    classes: summedClasses(task),
    fractionBits: task.fractionBits,
    maximumOwners: task.maximumOwners,
    setting: { ...setting, clippingNorm },
  };
}

/**
 * The task's noise; undefined without differential privacy.
 * @throws ERR_DP_PARAMETER
 * @example
 * import { noisePlanOf, planShift } from '@eigenveil/task';
 *
 * const plan = noisePlanOf(task);
 * if (plan !== undefined) console.log(planShift(task, plan).fewestRows);
 */
export function noisePlanOf(task: Parameters<typeof stageTaskOf>[0]): NoisePlan | undefined {
  const stage = stageTaskOf(task);
  return stage && noisePlan(stage);
}
