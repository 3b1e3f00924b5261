/** Draws the noise that a task's differential-privacy setting asks for; nothing, for a task without one. */

import { type NoiseDrawers, noisePlan, type RandomSource, sampleNoise } from '@eigenveil/privacy';
import { placesOf, type StatisticsTask, stageTaskOf } from '@eigenveil/task';

type Drawer = 'csp' | 'dataUser' | 'owner';

const DRAWERS: Readonly<Record<NoiseDrawers, readonly Drawer[]>> = {
  servers: ['csp', 'dataUser'],
  csp: ['csp'],
  owners: ['owner'],
};

/**
 * One draw of the noise that a server, or an owner, adds to the flat statistics of the task: zeros where the task has them add none. Whoever draws must
 * draw once per task and keep it, since the mean of several draws is closer to the statistics.
 * @throws ERR_DP_PARAMETER
 */
export function drawNoise(task: StatisticsTask, drawer: Drawer, source: RandomSource): bigint[] {
  const stage = stageTaskOf(task);
  if (stage === undefined || !DRAWERS[stage.setting.noise].includes(drawer))
    return new Array<bigint>(placesOf(task).length).fill(0n);
  return sampleNoise(source, stage, noisePlan(stage));
}
