/** The public shift of a task with differential privacy: added to its statistics, and taken out of its result again. */

import { noisePlanOf } from './noise.ts';
import { statisticsLength } from './slots.ts';
import { collectsR, type StatisticsTask } from './statistics-task.ts';

/** What of a result the shift shows in. */
interface Shifted {
  readonly eigenvalues: number[];
  readonly trace?: number;
  readonly spectrum?: number[];
}

/**
 * The flat statistics of the task's public shift: c on the diagonal of R, and zeros.
 * @throws PrivacyError ERR_DP_PARAMETER
 */
export function shiftOf(task: StatisticsTask): bigint[] {
  const values = new Array<bigint>(statisticsLength(task)).fill(0n);
  const plan = noisePlanOf(task);
  if (plan === undefined || !collectsR(task.method)) return values;
  const d = task.features.length;
  let diagonal = 0;
  for (let i = 0; i < d; i += 1) {
    values[diagonal] = plan.shift;
    diagonal += d - i;
  }
  return values;
}

/**
 * The decomposition without the c I that was added to R. Eigenvalues of a PCA and traces are larger by c and by c per feature; vectors are
 * the same. Eigenvalues may be negative then, as those of noisy statistics are. For DCA and LDA the shift is a ridge of c·4^-fractionBits more, and stays
 * in their eigenvalues and vectors.
 * @throws PrivacyError ERR_DP_PARAMETER
 */
export function withoutShift<Result extends Shifted>(task: StatisticsTask, result: Result): Result {
  const ridge = shiftRidge(task);
  if (ridge === 0) return result;
  const lower = (values: readonly number[]): number[] => values.map((value) => value - ridge);
  return {
    ...result,
    ...(task.method.kind === 'pca' && { eigenvalues: lower(result.eigenvalues) }),
    ...(result.trace !== undefined && { trace: result.trace - ridge * task.features.length }),
    ...(result.spectrum && { spectrum: lower(result.spectrum) }),
  };
}

/** c in units of features in [-1, 1]: the ridge that differential privacy adds to the total scatter. */
export function shiftRidge(task: StatisticsTask): number {
  const plan = noisePlanOf(task);
  return plan === undefined ? 0 : Number(plan.shift) * 4 ** -task.fractionBits;
}
