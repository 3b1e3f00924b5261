/** The rules of tasks by `rotated`, by the matrix that is decomposed: without what runs them. */
import { methodOf, varyingFeatures } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import { fullRank, PROJECTION_CODES, sketchIsWhole } from '@eigenveil/projection/portable';
import { cappedComponents, type Program, type StatisticsTask } from '@eigenveil/task';
import type { Rotation } from '../programs/form.ts';
import { rotatedParameters } from './parameters.ts';
import { pencilParameters, pencilRingBits } from './pencil/parameters.ts';
import { sketchParameters } from './sketch/parameters.ts';
import { pencilPaces, sketchPaces, turnedPace } from './standard-pace.ts';

export const SCATTER: Rotation = {
  matrix: 'scatter',
  check: checkScatter,
  shareRing: (task) => rotatedParameters(task).ringBits,
  pace: ({ features, components }) => turnedPace(features.length, components),
};

/** A circuit standardises the features: it adds the shares of statistics. */
export const CORRELATION: Rotation = { ...SCATTER, matrix: 'correlation', shareRing: () => undefined };

export const SKETCH: Rotation = {
  matrix: 'sketch',
  check: checkSketched,
  shareRing: (task) => sketchParameters(task, { components: 1 }).shareRing,
  pace: ({ features, components, sketch }) => sketchPaces(features.length, sketch!.columns, components).whole,
};

export const PENCIL: Rotation = {
  matrix: 'pencil',
  check: checkPencil,
  shareRing: pencilRingBits,
  pace: ({ features, components }) => pencilPaces(features.length, [], false, components).whole,
};

/**
 * @throws ERR_FULL_RANK without `allowFullRank` where too few features are not constant, that is for more than
 * d − 2 components in any case: the spectrum and d − 1 vectors are T itself
 * @throws ERR_TASK_RANGE
 */
function checkScatter(task: StatisticsTask, program: Program): void {
  if (!program.allowFullRank && methodOf(program).leastRank(program) > varyingFeatures(task.features))
    throw fullRank(program);
  rotatedParameters(task);
}

/**
 * @throws ERR_FULL_RANK where the columns are too few for the components, or not fewer than features that
 * vary: see checkSketch() of the method
 * @throws ERR_TASK_RANGE
 */
function checkSketched(task: StatisticsTask, program: Program): void {
  const { columns } = program.sketch!;
  if (columns < methodOf(program).leastRank(program) || columns >= varyingFeatures(task.features))
    throw sketchIsWhole(columns);
  sketchParameters(task, program);
}

/**
 * @throws ERR_PROGRAM_INVALID for ρ′ < 0 or ρ′ > ρ, and under differential privacy; ERR_FULL_RANK without
 * `allowFullRank` for more components than `mostRotatedComponents`
 * @throws ERR_TASK_RANGE
 */
function checkPencil(task: StatisticsTask, program: Program): void {
  pencilParameters(task, program);
  if (task.differentialPrivacy) {
    throw new CodedError(
      PROJECTION_CODES.ERR_PROGRAM_INVALID,
      '"differentialPrivacy" expected none for a pencil with the two-party protocol rotated, whose proof needs a scatter that is positive semidefinite: garbled computes it',
    );
  }
  const most = methodOf(program).mostRotatedComponents(program, varyingFeatures(task.features));
  if (program.allowFullRank || cappedComponents(program) <= most) return;
  throw new CodedError(
    PROJECTION_CODES.ERR_FULL_RANK,
    `"components" expected at most ${most} of these features and classes with the two-party protocol rotated and without "allowFullRank", got ${cappedComponents(program)}: a data user that deviates could have all of the scatter matrix; garbled computes them`,
  );
}
