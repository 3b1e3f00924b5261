/** Takes the public shift of a task with differential privacy out of a result again. */

import { noisePlanOf, type StatisticsTask } from '@eigenveil/statistics';
import type { Decomposition } from './program.ts';

/**
 * The decomposition without the c I that was added to R. Eigenvalues of a PCA and traces are larger by c and by c per feature; vectors are
 * the same. Eigenvalues may be negative then, as those of noisy statistics are. For DCA and LDA the shift is a ridge of c·4^-fractionBits more, and stays
 * in their eigenvalues and vectors.
 * @throws PrivacyError ERR_DP_PARAMETER
 */
export function withoutShift<Result extends Decomposition>(task: StatisticsTask, result: Result): Result {
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
