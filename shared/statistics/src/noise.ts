/** Draws the noise that a task asks for: of its differential privacy and of its floor. Nothing, for a task that has neither. */

import {
  type NoiseDrawers,
  noisePlan,
  type RandomSource,
  rationalOf,
  roundedGaussianSampler,
  sampleNoise,
} from '@eigenveil/privacy';
import { computedValues, floorDeviations, placesOf, type StatisticsTask, stageTaskOf } from '@eigenveil/task';

type Drawer = 'csp' | 'dataUser' | 'owner';

const DRAWERS: Readonly<Record<NoiseDrawers, readonly Drawer[]>> = {
  servers: ['csp', 'dataUser'],
  csp: ['csp'],
  owners: ['owner'],
};

/**
 * One draw of the noise that an owner adds to the flat statistics of the task, or a server to what it computes with (`computedValues`): zeros where the task has them add
 * none. Whoever draws must draw once per task and keep it, since the mean of several draws is closer to the statistics.
 * @throws ERR_DP_PARAMETER
 */
export function drawNoise(task: StatisticsTask, drawer: Drawer, source: RandomSource): bigint[] {
  const noise = drawForPrivacy(task, drawer, source);
  return drawer === 'owner' ? noise : withFloor(task, noise, source);
}

function drawForPrivacy(task: StatisticsTask, drawer: Drawer, source: RandomSource): bigint[] {
  const stage = stageTaskOf(task);
  if (stage === undefined || !DRAWERS[stage.setting.noise].includes(drawer))
    return new Array<bigint>(placesOf(task).length).fill(0n);
  return sampleNoise(source, stage, noisePlan(stage));
}

function withFloor(task: StatisticsTask, noise: readonly bigint[], source: RandomSource): bigint[] {
  const deviations = floorDeviations(task);
  const draw = gaussiansOf(source);
  return computedValues(task, noise).map((value, i) => value + draw(deviations[i] ?? 0));
}

/** Draws whole numbers of a Gaussian with the deviation that is asked for. */
export function gaussiansOf(source: RandomSource): (deviation: number) => bigint {
  const samplers = new Map<number, () => bigint>();
  return (deviation) => {
    const sampler =
      samplers.get(deviation) ??
      roundedGaussianSampler(source, {
        sigmaSquared: rationalOf('deviation', deviation ** 2),
        latticeBits: 0,
      });
    samplers.set(deviation, sampler);
    return sampler();
  };
}
