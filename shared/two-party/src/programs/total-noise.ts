/**
 * The matrix that discriminant programs and ridge regression factor: S̄ + ρI of all rows, times their number,
 * in whole numbers and then equilibrated.
 */

import { CodedError } from '@eigenveil/platform';
import { PROJECTION_CODES } from '@eigenveil/projection/portable';
import {
  computedBounds,
  computedFractionBits,
  floorOf,
  type StatisticsTask,
  widthsOf,
} from '@eigenveil/task';
import type { Fixed } from '../fixed-point/index.ts';
import type { Session, Wires } from '../garbling/index.ts';
import { addToDiagonal, equilibrate, even, ROOM_PLACES } from './scaling.ts';
import { isNoisy, type PooledStatistics, scaledScatter, timesRows } from './statistics.ts';

/**
 * A ridge in units of the integer scatter, 4^-fractionBits.
 * @throws ERR_PROGRAM_INVALID for one that is too large to count
 */
export function ridgeUnits(ridge: number, fractionBits: number): bigint {
  const units = Math.round(Math.abs(ridge) * 4 ** fractionBits);
  if (!Number.isFinite(units)) {
    throw new CodedError(
      PROJECTION_CODES.ERR_PROGRAM_INVALID,
      `"ridge" expected a smaller number, got ${ridge}`,
    );
  }
  return BigInt(units);
}

export interface TotalNoise {
  readonly matrix: Fixed;
  readonly places: Fixed;
  /** Q S̄, an upper triangle row by row. */
  readonly scatter: Fixed;
  /** The digits of the units before scaling. */
  readonly digits: number;
  /** A bound of the places. */
  readonly most: number;
  /** The result of the check in `equilibrate`. */
  readonly fits: Wires | undefined;
}

/**
 * The numbers that may be added to the diagonal of S̄ afterwards, per feature in units of features in [−1,
 * 1]; nothing where there is none.
 */
export type Room = readonly number[];

/** Q (S̄ + ρ I), and the floor's ridges where there is one, in whole numbers and then equilibrated. */
export async function totalNoise(
  session: Session,
  task: StatisticsTask,
  pooled: PooledStatistics,
  ridge: number,
  room: Room = [],
): Promise<TotalNoise> {
  const d = task.features.length;
  const fractionBits = computedFractionBits(task);
  const samples = (1n << BigInt(widthsOf(task).M - 1)) - 1n;
  const units = ridgesOf(task, ridge);
  const more = room.map((own) => ridgeUnits(own, fractionBits));
  const bound = largestScatter(task, samples) + samples * (largest(units) + largest(more));
  const digits = even(bound.toString(2).length);
  const scatter = await scaledScatter(session, pooled, d, digits + 1);
  const kept = { fraction: scatter.fraction, bits: digits + 1 };
  const ridged =
    units.length === 0
      ? scatter
      : await session.step(() => addToDiagonal(scatter, d, timesRows(pooled.Q, units, kept), digits + 1));
  const hasRoom = more.length > 0;
  const { matrix, places, fits } = await equilibrate(session, ridged, d, digits, {
    noisy: isNoisy(task),
    room: hasRoom ? await session.step(() => timesRows(pooled.Q, more, kept)) : undefined,
  });
  const most = 2 ** (places.bits - 1) - 1;
  return { matrix, places, scatter, digits: digits + (hasRoom ? ROOM_PLACES : 0), most, fits };
}

/**
 * Returns what is added to the diagonal of S̄, in units of the scatter: nothing, the same for all features,
 * or one number for each.
 */
function ridgesOf(task: StatisticsTask, ridge: number): bigint[] {
  const floor = floorOf(task);
  const fractionBits = computedFractionBits(task);
  const same = ridgeUnits(ridge, fractionBits);
  if (floor) return floor.ridge.map((own) => same + ridgeUnits(own, fractionBits));
  return same === 0n ? [] : [same];
}

function largest(numbers: readonly bigint[]): bigint {
  return numbers.reduce((most, own) => (own > most ? own : most), 0n);
}

/**
 * No entry of Q S̄ = Q R − V Vᵀ is larger, with at most this number of samples; without noise on V it is no
 * larger than Q R.
 */
function largestScatter(task: StatisticsTask, samples: bigint): bigint {
  if (!isNoisy(task)) return samples ** 2n * 4n ** BigInt(task.fractionBits);
  const { R, V } = computedBounds(task);
  return samples * R + (task.differentialPrivacy ? V * V : 0n);
}
