/**
 * The part of an owner's rows that a task takes. A floor is made for as many results over the same rows as
 * the task's `releases` says, so that a task takes one of `releases` parts of a whole.
 */
import { methodOf } from '@eigenveil/methods';
import {
  floorDeviation,
  floorOf,
  grainOf,
  isExact,
  privacyDeviation,
  type Task,
  takesFloor,
} from '@eigenveil/task';
import type { OwnFloorPlan } from '../owner/own-floor.ts';
import { type Part, roundedPart } from './parts.ts';

/**
 * Returns what a task takes: one of `releases` parts where it has a floor, a whole where it is exact, nothing
 * where it opens sums that take no floor, whose noise is counted as ε. Noise for differential privacy that is larger than
 * the floor counts as a floor of deviation φ, which takes 1/(4φ²). A task may declare a finer grain than the
 * owner's rows have. Then the part is multiplied by the square of how much finer its floor is, unless the
 * owner adds the floor that is missing.
 * @throws ERR_DP_PARAMETER
 */
export function partOf(task: Task, own: OwnFloorPlan | undefined): Part {
  if (!takesFloor(task)) return '0';
  const privacy = privacyDeviation({ ...task, features: own?.features ?? task.features });
  const ofPrivacy = privacy > 0 ? 1 / (4 * privacy ** 2) : Infinity;
  if (isExact(task)) return ofPrivacy < 1 ? roundedPart(ofPrivacy, 1) : '1';
  const hasFloor = floorOf(task) !== undefined || own?.floor !== undefined;
  if (!hasFloor) return roundedPart(ofPrivacy, 1);
  const finer = own === undefined || own.floor !== undefined ? 1 : timesFiner(task, own);
  const ofFloor = finer / (4 * floorDeviation(task) ** 2);
  return ofPrivacy < ofFloor ? roundedPart(ofPrivacy, 1) : roundedPart(finer, task.releases);
}

/**
 * Returns the largest (gᵢgⱼ own/declared)² over pairs of features; over features alone where only sums of
 * rows are released.
 */
function timesFiner(task: Task, { features }: OwnFloorPlan): number {
  const ratios = task.features.map((feature, i) => {
    const declared = grainOf(feature, task.fractionBits);
    return declared === 0 ? 1 : grainOf(features[i]!, task.fractionBits) / declared;
  });
  const { R, columns } = methodOf(task).sums(task);
  return Math.max(1, ...ratios) ** (R || columns > 0 ? 4 : 2);
}
