/** Bounds the values of a task's statistics, and counts the bits that they take. */

import { methodOf, sketchColumnBound } from '@eigenveil/methods';
import { largestEntry } from '@eigenveil/privacy';
import { FLOOR_REACH, type Floor, floorDeviations, floorOf } from '../floor/floor.ts';
import { ownNoiseBounds } from '../floor/own-floor.ts';
import { noisePlanOf } from '../noise.ts';
import { checkStatisticsTask } from '../rules/check.ts';
import { placesOf, type Span } from './places.ts';
import { planShift } from './shift.ts';
import { type StatisticsTask, signedBits, summedClasses } from './statistics-task.ts';

/**
 * No entry of R, of Y and of V, no M, is larger in magnitude: of all owners together, and of the sums over
 * classes as well.
 */
interface StatisticsBounds {
  readonly R: bigint;
  readonly Y: bigint;
  readonly V: bigint;
  readonly M: bigint;
}

/**
 * With u = 2^fractionBits, every discretised cell lies in [-u, u]; with Q = maximumOwners ·
 * maximumSamplesPerOwner, there are at most Q rows. So over all owners together
 * - an entry of R is a sum of at most Q products of two cells: |R| <= u²·Q;
 * - an entry of Y is a sum of at most Q products of a cell with a sum of d cells, each times an entry of a
 *   column of Ω: |Y| <= c·u²·Q, with c = d for signs (see `sketchColumnBound`);
 * - an entry of V_k is a sum of at most Q cells: |V_k| <= u·Q;
 * - 0 <= M_k <= Q. The bounds are reached (all cells at an end of their range). Every partial sum obeys the
 *   bound of the total.
 *
 * Where owners may have to add a floor of their own, each adds noise of at most `ownNoiseBounds` to an entry
 * of R or Y and to one of a class's V; K classes have that of K.
 *
 * Under differential privacy no row is longer than B, so that u is at most B; and noise comes on top, of at
 * most its tail per value except with a probability of 2^-40, and the shift of R. Sums of V and M over K
 * classes hold the noise of K values.
 * @throws ERR_DP_PARAMETER
 */
export function statisticsBounds(task: StatisticsTask): StatisticsBounds {
  const samples = BigInt(task.maximumOwners) * BigInt(task.maximumSamplesPerOwner);
  const unit = 1n << BigInt(task.fractionBits);
  const plan = noisePlanOf(task);
  const classes = BigInt(Math.max(1, ...summedClasses(task)));
  const ofOne = ownNoiseBounds(task);
  const owners = BigInt(task.maximumOwners);
  const own = { R: owners * ofOne.R, Y: owners * ofOne.Y, V: owners * classes * ofOne.V };
  const Y = BigInt(sketchColumnBound(task)) * unit ** 2n * samples + own.Y;
  if (plan === undefined)
    return { R: samples * unit ** 2n + own.R, Y, V: samples * unit + own.V, M: samples };
  const { clippingBound: bound, tails } = plan;
  const { shift } = planShift(task, plan);
  const entry = largestEntry(plan);
  return {
    R: samples * (bound < unit ** 2n ? bound : unit ** 2n) + own.R + tails.R + shift,
    Y, // no sketch has noise for differential privacy
    V: samples * (entry < unit ? entry : unit) + own.V + classes * tails.V,
    M: samples + classes * tails.M,
  };
}

/** Bits of a value of each kind, sign included, in the sum over all owners. */
export interface Widths {
  readonly R: number;
  readonly Y: number;
  readonly V: number;
  readonly M: number;
  readonly owners: number;
}

/**
 * The values obey `statisticsBounds`, and 0 <= owners <= maximumOwners. A value of magnitude at most B fits
 * b-bit two's complement, [-2^(b-1), 2^(b-1)), when 2^(b-1) > B. The bounds are reached, so b is the least
 * that will do; and as every partial sum obeys the bound of the total, no order of adding contributions
 * leaves its slot.
 * @throws ERR_TASK_INVALID, ERR_DP_PARAMETER
 */
export function widthsOf(task: StatisticsTask): Widths {
  checkStatisticsTask(task);
  const { R, Y, V, M } = statisticsBounds(task);
  return {
    R: signedBits(R),
    Y: signedBits(Y),
    V: signedBits(V),
    M: signedBits(M),
    owners: signedBits(BigInt(task.maximumOwners)),
  };
}

/**
 * `widthsOf`, one per value of the flat statistics.
 * @throws as `widthsOf`
 */
export function valueBitsOf(task: StatisticsTask): number[] {
  const widths = widthsOf(task);
  const { R, Y, counts, labellings, owners, length } = placesOf(task);
  const bits = new Array<number>(length);
  const fill = (width: number, { from, to }: Span) => bits.fill(width, from, to);
  fill(widths.R, R);
  fill(widths.Y, Y);
  let from = counts.from;
  const rows = BigInt(task.maximumOwners) * BigInt(task.maximumSamplesPerOwner);
  for (const { values, features } of methodOf(task).sums(task).counts) {
    fill(signedBits(rows * BigInt(features.length)), { from, to: from + values });
    from += values;
  }
  for (const { V, M } of labellings.flat()) {
    fill(widths.V, V);
    fill(widths.M, M);
  }
  fill(widths.owners, owners);
  return bits;
}

/**
 * As `StatisticsBounds`, of what servers compute with (`computedValues`), and of the noised sums of rows that
 * follow the statistics.
 */
interface ComputedBounds extends StatisticsBounds {
  /** As V: of one class, and of the sums over classes as well. */
  readonly sums: bigint;
}

/**
 * Shifted as `computedValues` shifts them, with the noise of both servers.
 * @throws ERR_DP_PARAMETER
 */
export function computedBounds(task: StatisticsTask): ComputedBounds {
  const bounds = statisticsBounds(task);
  const floor = floorOf(task);
  if (floor === undefined) return { ...bounds, sums: bounds.V };
  const deviations = floorDeviations(task);
  const { length } = placesOf(task);
  const reach = (of: readonly number[]) =>
    BigInt(Math.ceil(2 * FLOOR_REACH * of.reduce((most, deviation) => Math.max(most, deviation), 0)));
  const shift = (bits: number) => BigInt(bits - task.fractionBits);
  const classes = BigInt(Math.max(1, ...summedClasses(task)));
  return {
    R: (bounds.R << (2n * shift(floor.fractionBits))) + reach(deviations.slice(0, length)),
    Y: bounds.Y + sketchNoiseBound(task, floor),
    V: bounds.V << shift(floor.fractionBits),
    M: bounds.M,
    sums: (bounds.V << shift(floor.sumFractionBits)) + classes * reach(deviations.slice(length)),
  };
}

/** Bounds both servers' noise on an entry of Y: it is the noise on its row of R, times a column of Ω. */
function sketchNoiseBound(task: StatisticsTask, { deviation, grains }: Floor): bigint {
  const most = Math.max(0, ...grains) ** 2 * 4 ** task.fractionBits;
  return BigInt(
    Math.ceil(2 * FLOOR_REACH * deviation * Math.SQRT2 * most * (task.sketch ? sketchColumnBound(task) : 0)),
  );
}

/** `valueBitsOf` of `computedValues`. */
export function computedBitsOf(task: StatisticsTask): number[] {
  const bits = valueBitsOf(task);
  if (floorOf(task) === undefined) return bits;
  const { R, Y, V, sums } = computedBounds(task);
  const places = placesOf(task);
  bits.fill(signedBits(R), places.R.from, places.R.to);
  bits.fill(signedBits(Y), places.Y.from, places.Y.to);
  for (const { V: span } of places.labellings.flat()) {
    bits.fill(signedBits(V), span.from, span.to);
    for (let i = span.from; i < span.to; i += 1) bits.push(signedBits(sums));
  }
  return bits;
}
