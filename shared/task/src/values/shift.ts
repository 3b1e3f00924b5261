/**
 * The public shift of a task with differential privacy: c I is planned, added to R and taken out of the
 * result again, so that noise leaves the scatter matrix positive semidefinite. docs/privacy.md derives it
 * ("The shift").
 */

import { methodOf } from '@eigenveil/methods';
import type { NoisePlan } from '@eigenveil/privacy';
import { noisePlanOf } from '../noise.ts';
import { placesOf } from './places.ts';
import { collectsR, type StatisticsTask, summedClasses } from './statistics-task.ts';

/**
 * t with 3 exp(−t²/2) < 2^-40: a bound below takes this number of deviations beyond its mean, and there are
 * three of them.
 */
const DEVIATIONS = 7.6;
/**
 * The number of rows in units of the largest |q|: with it, noise q on their number is small enough for the
 * factors below.
 */
const ROWS_PER_NOISE = 8;

interface ShiftPlan {
  /** c, in units of R. 0 where R is not collected, or nothing is decomposed. */
  readonly shift: bigint;
  /**
   * With at least this number of rows in every class, the shift is enough except with a probability below
   * 2^-40. A class without rows is one with too few: noise may make its number of rows positive.
   */
  readonly fewestRows: bigint;
}

/**
 * The shift that goes with the noise of the task: the mean of what noise can take away in any direction, and
 * the deviations beyond it. Squares of deviations add up, as the noises of R, V and M are independent.
 */
export function planShift(
  task: Pick<StatisticsTask, 'method' | 'features' | 'labellings' | 'sketch'>,
  { deviations, clippingBound }: Pick<NoisePlan, 'deviations' | 'clippingBound'>,
): ShiftPlan {
  const d = task.features.length;
  const B = Math.sqrt(Number(clippingBound));
  const classes = Math.max(...summedClasses(task));
  const spread = Math.sqrt(d) + Math.sqrt(classes);
  // The change of V Vᵀ/M by a sum and a count that are off by 1, in all directions and with as many rows as
  // below.
  const perSum = (17 / 7) * B;
  const perCount = (8 / 7) * B ** 2;
  const { R, V, M } = deviations;
  const mean =
    R * Math.sqrt(2 * d) +
    Math.sqrt(classes) * perSum * V * spread +
    (classes * perCount * M) / Math.sqrt(2 * Math.PI);
  const deviation = Math.sqrt(R ** 2 + classes * ((perSum * V) ** 2 + (perCount * M) ** 2));
  const ofV = V * (spread + DEVIATIONS);
  const ofM = M * (Math.sqrt(classes) + DEVIATIONS);
  return {
    shift:
      collectsR(task) && !methodOf(task).isLinear ? BigInt(Math.ceil(mean + DEVIATIONS * deviation)) : 0n,
    fewestRows: BigInt(Math.ceil(ROWS_PER_NOISE * Math.max(ofM, ofV / B))),
  };
}

/** The parts of a result in which the shift shows. */
interface Shifted {
  readonly eigenvalues: number[];
  readonly trace?: number;
  readonly spectrum?: number[];
}

/**
 * The flat statistics of the task's public shift: c on the diagonal of R, and zeros.
 * @throws ERR_DP_PARAMETER
 */
export function shiftOf(task: StatisticsTask): bigint[] {
  const { R, length } = placesOf(task);
  const values = new Array<bigint>(length).fill(0n);
  const shift = plannedShift(task);
  const d = task.features.length;
  for (let diagonal = R.from, i = 0; diagonal < R.to; diagonal += d - i, i += 1) values[diagonal] = shift;
  return values;
}

/**
 * The decomposition without the c I that was added to R. Eigenvalues of a PCA and traces are larger by c and
 * by c per feature; vectors are the same. Eigenvalues may be negative then, as those of noisy statistics are.
 * For DCA and LDA the shift is a ridge of c·4^-fractionBits more, and stays in their eigenvalues and vectors.
 * @throws ERR_DP_PARAMETER
 */
export function withoutShift<Result extends Shifted>(task: StatisticsTask, result: Result): Result {
  const ridge = shiftRidge(task);
  if (ridge === 0) return result;
  const lower = (values: readonly number[]): number[] => values.map((value) => value - ridge);
  return {
    ...result,
    ...(methodOf(task).decomposes === 'scatter' && { eigenvalues: lower(result.eigenvalues) }),
    ...(result.trace !== undefined && { trace: result.trace - ridge * task.features.length }),
    ...(result.spectrum && { spectrum: lower(result.spectrum) }),
  };
}

/** c in units of features in [-1, 1]: the ridge that differential privacy adds to the total scatter. */
export function shiftRidge(task: StatisticsTask): number {
  return Number(plannedShift(task)) * 4 ** -task.fractionBits;
}

function plannedShift(task: StatisticsTask): bigint {
  const plan = noisePlanOf(task);
  return plan === undefined ? 0n : planShift(task, plan).shift;
}
