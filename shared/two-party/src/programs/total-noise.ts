/** The matrix that discriminant programs and ridge regression factor: S̄ + ρI of all rows, times their number, in whole numbers and then equilibrated. */

import { ProjectionError } from '@eigenveil/projection/portable';
import { type StatisticsTask, statisticsBounds, widthsOf } from '@eigenveil/task';
import { Fixed } from '../fixed-point/index.ts';
import type { Gates, Session, Wires } from '../garbling/index.ts';
import { addToDiagonal, equilibrate, even } from './scaling.ts';
import { type PooledStatistics, scaledScatter } from './statistics.ts';

/**
 * A ridge in units of the integer scatter, 2^(-2 fractionBits).
 * @throws ERR_PROGRAM_INVALID for one that is too large to count
 */
export function ridgeUnits(ridge: number, fractionBits: number): bigint {
  const units = Math.round(Math.abs(ridge) * 4 ** fractionBits);
  if (!Number.isFinite(units)) {
    throw new ProjectionError('ERR_PROGRAM_INVALID', `"ridge" expected a smaller number, got ${ridge}`);
  }
  return BigInt(units);
}

export interface TotalNoise {
  readonly matrix: Fixed;
  readonly places: Fixed;
  /** Q S̄, an upper triangle row by row. */
  readonly scatter: Fixed;
  /** Of the units before scaling. */
  readonly digits: number;
  /** A bound of the places. */
  readonly most: number;
  /** As of `equilibrate`. */
  readonly fits: Wires | undefined;
}

/** Q (S̄ + ρ I) in whole numbers, equilibrated. */
export async function totalNoise(
  session: Session,
  task: StatisticsTask,
  pooled: PooledStatistics,
  ridge: number,
): Promise<TotalNoise> {
  const d = task.features.length;
  const samples = (1n << BigInt(widthsOf(task).M - 1)) - 1n;
  const units = ridgeUnits(ridge, task.fractionBits);
  const bound = largestScatter(task, samples) + samples * units;
  const digits = even(bound.toString(2).length);
  const scatter = await scaledScatter(session, pooled, d, digits + 1);
  const ridged =
    units === 0n
      ? scatter
      : await session.step((gates) => {
          const term = pooled.Q.timesExactly(publicNumber(gates, units, scatter.fraction), {
            fraction: scatter.fraction,
            bits: digits + 1,
          });
          return addToDiagonal(scatter, d, term, digits + 1);
        });
  const noisy = Boolean(task.differentialPrivacy);
  const { matrix, places, fits } = await equilibrate(session, ridged, d, digits, noisy);
  return { matrix, places, scatter, digits, most: 2 ** (places.bits - 1) - 1, fits };
}

/** No entry of Q S̄ = Q R − V Vᵀ is larger, with at most so many samples; without noise it is no larger than Q R. */
function largestScatter(task: StatisticsTask, samples: bigint): bigint {
  if (!task.differentialPrivacy) return samples ** 2n * 4n ** BigInt(task.fractionBits);
  const { R, V } = statisticsBounds(task);
  return samples * R + V * V;
}

/** A public number of units of 2^−fraction, one lane. */
export function publicNumber(gates: Gates, units: bigint, fraction: number): Fixed {
  return Fixed.of(gates, [units], { fraction, bits: units.toString(2).length + 1 });
}
