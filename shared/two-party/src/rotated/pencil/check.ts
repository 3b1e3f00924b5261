/** Limits the pencils that `rotated` computes. Both servers refuse others before they exchange a byte. */
import { CodedError } from '@eigenveil/platform';
import { notPositiveDefinite, PROJECTION_CODES } from '@eigenveil/projection/portable';
import {
  cappedComponents,
  leastRank,
  mostRotatedComponents,
  type Program,
  type StatisticsTask,
} from '@eigenveil/task';
import { pencilParameters } from './parameters.ts';

/**
 * @throws ERR_PROGRAM_INVALID for ρ′ < 0 or ρ′ > ρ, and under differential privacy; ERR_FULL_RANK without
 * `allowFullRank` for more
 *   components than `mostRotatedComponents`; ERR_NOT_POSITIVE_DEFINITE for MDR without a ridge and
 *   with too few classes of privacy
 * @throws ERR_TASK_RANGE
 */
export function checkPencil(task: StatisticsTask, program: Program): void {
  pencilParameters(task, program);
  if (task.differentialPrivacy) {
    throw new CodedError(
      PROJECTION_CODES.ERR_PROGRAM_INVALID,
      '"differentialPrivacy" expected none for a pencil with the two-party protocol rotated, whose proof needs a scatter that is positive semidefinite: garbled computes it',
    );
  }
  const { method, features, labellings } = task;
  if (method.kind === 'mdr' && method.ridge === 0 && labellings[1]!.classes.length - 1 < features.length) {
    throw notPositiveDefinite();
  }
  const varying = features.filter(({ min, max }) => min < max).length;
  const most = mostRotatedComponents(program, varying);
  if (!program.allowFullRank && cappedComponents(program) > most) {
    throw new CodedError(
      PROJECTION_CODES.ERR_FULL_RANK,
      `"components" expected at most ${most} of these features and classes with the two-party protocol rotated and without "allowFullRank", got ${cappedComponents(program)}: a data user that deviates could have all of the scatter matrix; garbled computes them`,
    );
  }
}

/**
 * The least rank of T from which a result may be revealed. WᵀBW is told, as eigenvectors are of a PCA: what
 * leastRank() says of these. MDR's T has no variances that a mean could tell, and its rank is the number of
 * its classes' contrasts: one more than its components is enough, unless its null space is public.
 */
export function leastRankOf(program: Program): number {
  const components = cappedComponents(program);
  return program.method.kind === 'mdr' ? components + 1 : leastRank({ ...program, components });
}
