/** Draws the noise that a task asks for: of its differential privacy and of its floor. Nothing, for a task that has neither. */

import { type NoiseDrawers, noisePlan, type RandomSource, sampleNoise } from '@eigenveil/privacy';
import {
  computedValues,
  floorDeviations,
  floorOf,
  placesOf,
  type StatisticsTask,
  stageTaskOf,
} from '@eigenveil/task';
import { gaussiansOf } from './gaussians.ts';
import { checkSigns, sketchNoise } from './sketch-noise.ts';

type Drawer = 'csp' | 'dataUser' | 'owner';

const DRAWERS: Readonly<Record<NoiseDrawers, readonly Drawer[]>> = {
  servers: ['csp', 'dataUser'],
  csp: ['csp'],
  owners: ['owner'],
};

/**
 * One draw of the noise that an owner adds to the flat statistics of the task, or a server to what it computes with (`computedValues`): zeros where the task has them add
 * none. Whoever draws must draw once per task and keep it, since the mean of several draws is closer to the statistics.
 * @param signs of a task with `sketch`: Ω, as sketchMatrix makes it
 * @throws ERR_DP_PARAMETER, and RangeError where a server's Ω of a sketch with a floor is missing
 */
export function drawNoise(
  task: StatisticsTask,
  drawer: Drawer,
  source: RandomSource,
  signs?: Int32Array,
): bigint[] {
  const noise = drawForPrivacy(task, drawer, source);
  return drawer === 'owner' ? noise : withFloor(task, noise, source, signs);
}

function drawForPrivacy(task: StatisticsTask, drawer: Drawer, source: RandomSource): bigint[] {
  const stage = stageTaskOf(task);
  if (stage === undefined || !DRAWERS[stage.setting.noise].includes(drawer))
    return new Array<bigint>(placesOf(task).length).fill(0n);
  return sampleNoise(source, stage, noisePlan(stage));
}

function withFloor(
  task: StatisticsTask,
  noise: readonly bigint[],
  source: RandomSource,
  signs: Int32Array | undefined,
): bigint[] {
  const deviations = floorDeviations(task);
  const draw = gaussiansOf(source);
  const ofSketch = sketchFloor(task, source, signs);
  const { from } = placesOf(task).Y;
  return computedValues(task, noise).map(
    (value, i) => value + draw(deviations[i] ?? 0) + (ofSketch[i - from] ?? 0n),
  );
}

/** On Y, whose entries hold noise of a whole row of R; nothing of another task. */
function sketchFloor(task: StatisticsTask, source: RandomSource, signs: Int32Array | undefined): bigint[] {
  const floor = floorOf(task);
  if (floor === undefined || task.sketch === undefined) return [];
  const unit = Math.sqrt(floor.deviation) * 2 ** floor.fractionBits;
  const scales = floor.grains.map((grain) => grain * unit);
  return sketchNoise({ signs: checkSigns(task, signs), columns: task.sketch.columns, scales }, source);
}
