/** How many values a task's statistics have, and how large they may become. */

import { largestEntry } from '@eigenveil/privacy';
import { noisePlanOf } from './noise.ts';
import { collectsR, type StatisticsTask, summedClasses } from './statistics-task.ts';

type Shape = Pick<StatisticsTask, 'method' | 'features' | 'labellings'>;

/** Number of values in the flat vector. */
export function statisticsLength(task: Shape): number {
  const d = task.features.length;
  const classes = summedClasses(task).reduce((sum, count) => sum + count, 0);
  return lengthOfR(task) + classes * (d + 1) + 1;
}

export function lengthOfR({ method, features }: Shape): number {
  return collectsR(method) ? (features.length * (features.length + 1)) / 2 : 0;
}

/** No entry of R and of V, no M, is larger in magnitude: of all owners together, and of the sums over classes as well. */
export interface StatisticsBounds {
  readonly R: bigint;
  readonly V: bigint;
  readonly M: bigint;
}

/**
 * With u = 2^fractionBits, every discretised cell lies in [-u, u]; with Q = maximumOwners · maximumSamplesPerOwner,
 * there are at most Q rows. So over all owners together
 * - an entry of R is a sum of at most Q products of two cells: |R| <= u²·Q;
 * - an entry of V_k is a sum of at most Q cells: |V_k| <= u·Q;
 * - 0 <= M_k <= Q.
 * The bounds are reached (all cells at an end of their range). Every partial sum obeys the bound of the total.
 *
 * Under differential privacy no row is longer than B, so that u is at most B; and noise comes on top, of at most its tail per value but for a
 * probability of 2^-40, and the shift of R. Sums of V and M over K classes hold the noise of K values.
 * @throws PrivacyError ERR_DP_PARAMETER
 */
export function statisticsBounds(task: StatisticsTask): StatisticsBounds {
  const samples = BigInt(task.maximumOwners) * BigInt(task.maximumSamplesPerOwner);
  const unit = 1n << BigInt(task.fractionBits);
  const plan = noisePlanOf(task);
  if (plan === undefined) return { R: samples * unit ** 2n, V: samples * unit, M: samples };
  const { clippingBound: bound, tails, shift } = plan;
  const entry = largestEntry(plan);
  const classes = BigInt(Math.max(...summedClasses(task)));
  return {
    R: samples * (bound < unit ** 2n ? bound : unit ** 2n) + tails.R + shift,
    V: samples * (entry < unit ? entry : unit) + classes * tails.V,
    M: samples + classes * tails.M,
  };
}
