/**
 * An owner's own floor. The servers' floor is as large as the task says that values are coarse; where an
 * owner's rows are coarser than that, its program adds a floor to its own sums before they are encrypted, so
 * that it need not believe the task's author. No message tells of it.
 */

import { type Feature, sketchColumnBound } from '@eigenveil/methods';
import { placesOf } from '../values/places.ts';
import type { StatisticsTask } from '../values/statistics-task.ts';
import { floorDeviation, floorOf, grainOf, isExact, productOfGrains, takesFloor } from './floor.ts';

/** An owner draws its noise again where it is larger than this number of deviations: one of 2^52 values. */
export const OWN_FLOOR_REACH = 8.25;
/** No values are coarser than the whole range, which is 2 long in [−1, 1]. */
const COARSEST = 2;
/** An author finds a spacing in another sample than the owner: so little coarser is the same. */
const SAME = 1.01;

export interface OwnFloor {
  /**
   * φ of the task's floor: the noise's deviation on R in products of grains (times √2 on its diagonal), on
   * sums of rows in grains.
   */
  readonly deviation: number;
  /** Features whose values are coarser than the task says: their places, and both spacings in [−1, 1]. */
  readonly coarser: readonly { readonly place: number; readonly declared: number; readonly own: number }[];
  /**
   * The noise's deviation on each value of the flat statistics, in their units; 0 where the servers' floor is
   * enough, and on Y.
   */
  readonly deviations: readonly number[];
  /**
   * The scales of a sketch, one per feature: Y has noise of a matrix times Ω whose entry (i, j) has the
   * deviation scales[i]·scales[j], √2 times that on the diagonal.
   */
  readonly scales?: readonly number[];
}

/**
 * Returns whether owners may have to add a floor of their own, so that slots have room for it: to sums of
 * rows of tasks that are not exact.
 */
export function takesOwnFloor(task: Parameters<typeof isExact>[0]): boolean {
  return !isExact(task) && takesFloor(task);
}

/**
 * Returns the noise that an owner has to add whose values are as coarse as given; undefined where the task's
 * own noise is enough.
 * @param grains per feature the spacing of the owner's values in the feature's unit, as a task declares it;
 * undefined where none was found
 * @throws ERR_DP_PARAMETER
 */
export function ownFloorOf(task: StatisticsTask, grains: readonly Feature['grain'][]): OwnFloor | undefined {
  if (!takesOwnFloor(task)) return undefined;
  const declared = task.features.map((feature) => grainOf(feature, task.fractionBits));
  const own = task.features.map((feature, i) => {
    const grain = grains[i];
    const found = grain === undefined ? 0 : grainOf({ ...feature, grain }, task.fractionBits);
    return found > SAME * declared[i]! ? found : declared[i]!;
  });
  const coarser = own.flatMap((grain, place) =>
    grain > declared[place]! ? [{ place, declared: declared[place]!, own: grain }] : [],
  );
  if (coarser.length === 0) return undefined;
  // Noise for differential privacy may be enough for the owner's grains, too.
  const features = task.features.map((feature, i) => ({ ...feature, grain: inUnits(feature, own[i]!) }));
  const floor = floorOf({ ...task, features });
  return (
    floor && {
      deviation: floor.deviation,
      coarser,
      deviations: deviationsOf(task, floor.deviation, own, declared),
      // The whole matrix, also where grains are as declared: a part of it times Ω has no form that is drawn
      // without its d² numbers.
      ...(task.sketch && {
        scales: own.map((grain) => grain * Math.sqrt(floor.deviation) * 2 ** task.fractionBits),
      }),
    }
  );
}

/** A spacing in [−1, 1] in the unit of the feature. */
const inUnits = ({ min, max }: Feature, grain: number): number => (min < max ? (grain * (max - min)) / 2 : 1);

function deviationsOf(
  task: StatisticsTask,
  deviation: number,
  own: readonly number[],
  declared: readonly number[],
): number[] {
  const unit = 2 ** task.fractionBits;
  const isCoarser = own.map((grain, i) => grain > declared[i]!);
  const { R, labellings, length } = placesOf(task);
  const deviations = new Array<number>(length).fill(0);
  let next = R.from;
  for (let i = 0; next < R.to; i += 1)
    for (let j = i; j < own.length; j += 1, next += 1)
      if (isCoarser[i] || isCoarser[j]) deviations[next] = deviation * productOfGrains(own, i, j) * unit ** 2;
  for (const { V } of labellings.flat())
    for (const [i, grain] of own.entries())
      if (isCoarser[i]) deviations[V.from + i] = deviation * grain * unit;
  return deviations;
}

/**
 * Returns how large an owner's own noise on an entry of R and of V may be, whatever its grains are, since
 * slots must not tell which they are: OWN_FLOOR_REACH deviations of the noise of values as coarse as their
 * range. By φ = 0.5·√releases that is OWN_FLOOR_REACH·φ√2·2²·u² on R, 33u² for two releases, and half as much
 * over √2 and u on V. With up to maximumSamplesPerOwner products of up to u², an owner's sum takes log₂(1 +
 * 33/maximumSamplesPerOwner) bits more than without, and nothing is clipped.
 *
 * An entry of Y has noise of a row of R times a column ω of Ω, whose deviation is at most √2·‖ω‖ times that
 * of the noise beside the diagonal. ‖ω‖ is at most √d times the mean magnitude that `sketchColumnBound`
 * leaves an entry.
 */
export function ownNoiseBounds(task: StatisticsTask): {
  readonly R: bigint;
  readonly Y: bigint;
  readonly V: bigint;
} {
  if (!takesOwnFloor(task)) return { R: 0n, Y: 0n, V: 0n };
  const unit = 2 ** task.fractionBits;
  const reach = OWN_FLOOR_REACH * floorDeviation(task) * COARSEST;
  const { R, V } = { R: reach * Math.SQRT2 * COARSEST * unit ** 2, V: reach * unit };
  const Y = task.sketch === undefined ? 0 : (R * sketchColumnBound(task)) / Math.sqrt(task.features.length);
  return { R: BigInt(Math.ceil(R)), Y: BigInt(Math.ceil(Y)), V: BigInt(Math.ceil(V)) };
}

/**
 * The deviation of what all owners together may have added to a sum of rows of a class, in units of features
 * in [−1, 1]: each draws its own, of values as coarse as their range. 0 where owners add nothing.
 */
export function ownSumDeviation(task: StatisticsTask): number {
  return takesOwnFloor(task) ? Math.sqrt(task.maximumOwners) * floorDeviation(task) * COARSEST : 0;
}
