/** Bounds of what a task can have as a result. */
import {
  FLOOR_REACH,
  floorOf,
  ownNoiseBounds,
  type StatisticsTask,
  statisticsBounds,
  summedClasses,
} from '@eigenveil/task';
import type { Bounds } from './claimed.ts';

/**
 * Returns bounds of the trace of the total scatter, and so of its eigenvalues: without noise it is from 0 to
 * d Q_max, as features lie in [−1, 1]. With noise V Vᵀ / Q may be as large as V is, with a single row.
 */
export function scatterBounds(task: StatisticsTask): Bounds {
  const { R, V } = statisticsBounds(task);
  const unit = 2 ** -task.fractionBits;
  const d = task.features.length;
  const noise = floorReach(task).scatter;
  const most = d * Number(R) * unit ** 2;
  if (!task.differentialPrivacy) return [-noise, most + noise];
  const noisy = most + d * (Number(V) * unit) ** 2 + noise;
  return [-noisy, noisy];
}

/**
 * Returns bounds of the trace of a correlation matrix, and so of its eigenvalues: it has no more than its
 * diagonal of ones, and with a floor no entry that is above 8.
 */
export function correlationBounds(task: StatisticsTask): Bounds {
  const { length } = task.features;
  return floorOf(task) === undefined ? [0, length] : [-8 * length, 8 * length];
}

/**
 * Returns how far the floors of both servers and of all owners may be off: on an eigenvalue or the trace of a
 * scatter, and on all sums of rows together, with a single row in each class. Both are zero without a floor.
 */
export function floorReach(task: StatisticsTask): { readonly scatter: number; readonly sum: number } {
  const floor = floorOf(task);
  if (floor === undefined) return { scatter: 0, sum: 0 };
  const d = task.features.length;
  const classes = Math.max(...summedClasses(task));
  const coarsest = Math.max(...floor.grains);
  const reach = 2 * FLOOR_REACH * floor.deviation;
  const own = ownNoiseBounds(task);
  const unit = 2 ** -task.fractionBits;
  const ofSum = reach * coarsest + task.maximumOwners * Number(own.V) * unit;
  const entry = reach * Math.SQRT2 * coarsest ** 2 + task.maximumOwners * Number(own.R) * unit ** 2;
  // V_k V_kᵀ/M_k changes by 2 V_k e + e², and |V_k| is at most M_k.
  return { scatter: d * (entry + classes * (2 * ofSum + ofSum ** 2)), sum: classes * ofSum };
}
