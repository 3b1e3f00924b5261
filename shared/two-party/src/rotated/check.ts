/** Limits the tasks that `rotated` computes. Both servers refuse others before they exchange a byte. */
import { CodedError } from '@eigenveil/platform';
import { fullRank, PROJECTION_CODES } from '@eigenveil/projection/portable';
import { checkRevealedByRotation, leastRank, type Program, type StatisticsTask } from '@eigenveil/task';
import { rotatedParameters } from './parameters.ts';
import { checkPencil } from './pencil/check.ts';
import { checkSketched } from './sketch/check.ts';

/**
 * @throws ERR_PROGRAM_INVALID as `checkRevealedByRotation`; as `checkPencil` for a pencil; ERR_FULL_RANK
 * without
 *   `allowFullRank` where too few features are not constant, that is for more than d − 2 components in any case: the spectrum and d − 1 vectors
 *   are T itself
 * @throws ERR_TASK_RANGE
 */
export function checkRotated(task: StatisticsTask, program: Program): void {
  if (task.method.kind === 'ridge')
    throw new CodedError(
      PROJECTION_CODES.ERR_PROGRAM_INVALID,
      '"twoParty" expected garbled for ridge, which rotated does not compute',
    );
  checkRevealedByRotation(program);
  if (program.sketch !== undefined) {
    checkSketched(task, program);
    return;
  }
  if (task.method.kind !== 'pca') {
    checkPencil(task, program);
    return;
  }
  const varying = task.features.filter(({ min, max }) => min < max).length;
  if (!program.allowFullRank && leastRank(program) > varying) throw fullRank(program);
  rotatedParameters(task);
}
