/** The noise of an owner's own floor. */
import type { RandomSource } from '@eigenveil/privacy';
import {
  OWN_FLOOR_REACH,
  type OwnFloor,
  ownNoiseBounds,
  placesOf,
  type StatisticsTask,
} from '@eigenveil/task';
import { gaussiansOf } from './gaussians.ts';
import { checkSigns, sketchNoise } from './sketch-noise.ts';

/**
 * One draw for all values of the flat statistics. An owner's program gives the same source for the same statistics, since the mean of several draws is closer to its sums. What
 * slots have no room for is drawn again.
 * @param signs of a task with `sketch`: Ω, as sketchMatrix makes it
 * @throws RangeError where those of a sketch are missing
 */
export function drawOwnNoise(
  task: StatisticsTask,
  { deviations, scales }: OwnFloor,
  source: RandomSource,
  signs?: Int32Array,
): bigint[] {
  const draw = gaussiansOf(source);
  const noise = deviations.map((deviation) => {
    const most = BigInt(Math.floor(OWN_FLOOR_REACH * deviation));
    for (;;) {
      const noise = deviation === 0 ? 0n : draw(deviation);
      if (noise <= most && noise >= -most) return noise;
    }
  });
  if (scales === undefined) return noise;
  const { from, to } = placesOf(task).Y;
  return [...noise.slice(0, from), ...drawOwnSketch(task, scales, source, signs), ...noise.slice(to)];
}

/** On Y. All of it is drawn again where an entry has no room. */
function drawOwnSketch(
  task: StatisticsTask,
  scales: readonly number[],
  source: RandomSource,
  signs: Int32Array | undefined,
): bigint[] {
  const { Y: most } = ownNoiseBounds(task);
  const columns = task.sketch!.columns;
  for (;;) {
    const noise = sketchNoise({ signs: checkSigns(task, signs), columns, scales }, source);
    if (noise.every((entry) => entry <= most && entry >= -most)) return noise;
  }
}
