/** The noise in a result, in words: that of differential privacy, that of the floor, or none. */

import { methodOf } from '@eigenveil/methods';
import { floorInWords, floorOf, noiseNorm, type Task } from '@eigenveil/task';
import type { Projection } from '@eigenveil/wire';

export function noiseWords(task: Task, { mean }: Pick<Projection, 'mean'>): string {
  const { differentialPrivacy } = task;
  const floor = floorOf(task) && floorInWords(task);
  if (differentialPrivacy === null)
    return floor ?? 'none: the result is exact, except for rounding in the arithmetic';
  const { epsilon, delta } = differentialPrivacy;
  const norm =
    methodOf(task).decomposes === 'scatter' ? noiseNorm(task, Math.hypot(...(mean ?? []))) : undefined;
  const ofScatter =
    norm === undefined
      ? ''
      : `; its norm on the scatter is about ${norm.toPrecision(3)}${mean === undefined ? ' or more' : ''}`;
  const privacy = `for (ε, δ) = (${epsilon}, ${delta}), all of which is spent${ofScatter}`;
  return floor === undefined ? privacy : `${privacy}; and ${floor}`;
}
