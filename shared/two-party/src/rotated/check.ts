/** Which tasks `rotated` computes. Both servers refuse others before they exchange a byte. */
import { fullRank, ProjectionError } from '@eigenveil/projection';
import { leastRank, type Program, type StatisticsTask } from '@eigenveil/task';
import { rotatedParameters } from './parameters.ts';

/** What the data user learns in any case, so that a task must declare it. */
const DECLARED = ['sampleCount', 'spectrum'] as const;

/**
 * @throws ProjectionError ERR_PROGRAM_INVALID for another method than PCA, or without `sampleCount` and `spectrum`; ERR_FULL_RANK without
 *   `allowFullRank` where too few features are not constant, that is for more than d − 2 components in any case: the spectrum and d − 1 vectors
 *   are T itself
 * @throws TwoPartyError ERR_TASK_RANGE
 */
export function checkRotated(
  task: StatisticsTask,
  program: Pick<Program, 'components' | 'outputs' | 'allowFullRank' | 'twoValued'>,
): void {
  if (task.method.kind !== 'pca') {
    throw new ProjectionError(
      'ERR_PROGRAM_INVALID',
      `"method" expected pca with the two-party protocol rotated, got ${task.method.kind}`,
    );
  }
  const missing = DECLARED.filter((output) => !program.outputs.includes(output));
  if (missing.length > 0) {
    throw new ProjectionError(
      'ERR_PROGRAM_INVALID',
      `"outputs" expected ${DECLARED.join(' and ')} with the two-party protocol rotated, which reveals them`,
    );
  }
  const varying = task.features.filter(({ min, max }) => min < max).length;
  if (!program.allowFullRank && leastRank(program) > varying) throw fullRank(program);
  rotatedParameters(task);
}
