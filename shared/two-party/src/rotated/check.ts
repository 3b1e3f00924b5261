/** Which tasks `rotated` computes. Both servers refuse others before they exchange a byte. */
import { fullRank, ProjectionError } from '@eigenveil/projection';
import { isStandardised, leastRank, type Program, type StatisticsTask } from '@eigenveil/task';
import { rotatedParameters } from './parameters.ts';
import { checkPencil } from './pencil/check.ts';

/** What the data user learns in any case, so that a task must declare it. */
const DECLARED = ['sampleCount', 'spectrum'] as const;

/**
 * @throws ERR_PROGRAM_INVALID without `sampleCount` and `spectrum`, and for a correlation matrix; as `checkPencil` for a pencil; ERR_FULL_RANK without
 *   `allowFullRank` where too few features are not constant, that is for more than d − 2 components in any case: the spectrum and d − 1 vectors
 *   are T itself
 * @throws ERR_TASK_RANGE
 */
export function checkRotated(task: StatisticsTask, program: Program): void {
  const missing = DECLARED.filter((output) => !program.outputs.includes(output));
  if (missing.length > 0) {
    throw new ProjectionError(
      'ERR_PROGRAM_INVALID',
      `"outputs" expected ${DECLARED.join(' and ')} with the two-party protocol rotated, which reveals them`,
    );
  }
  if (isStandardised(task.method)) {
    throw new ProjectionError(
      'ERR_PROGRAM_INVALID',
      '"method.scale" expected covariance with the two-party protocol rotated: garbled computes a correlation matrix',
    );
  }
  if (task.method.kind !== 'pca') {
    checkPencil(task, program);
    return;
  }
  const varying = task.features.filter(({ min, max }) => min < max).length;
  if (!program.allowFullRank && leastRank(program) > varying) throw fullRank(program);
  rotatedParameters(task);
}
