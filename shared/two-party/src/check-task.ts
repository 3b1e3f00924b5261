/**
 * Everything that is checked of a task before anybody contributes: one check for drafts, the data user and the CSP,
 * and the limits of the protocols `garbled` and `rotated`. Both servers refuse other tasks before they exchange a byte.
 */
import { methodOf } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import {
  fullRank,
  notPositiveDefinite,
  PROJECTION_CODES,
  sketchIsWhole,
} from '@eigenveil/projection/portable';
import { layout } from '@eigenveil/statistics/owner';
import {
  cappedComponents,
  checkRevealedByRotation,
  checkTask,
  computedFractionBits,
  type Program,
  programOf,
  type StatisticsTask,
  type TaskProposal,
} from '@eigenveil/task';
import { TWO_PARTY_CODES } from './codes.ts';
import { rotatedParameters } from './rotated/parameters.ts';
import { pencilParameters } from './rotated/pencil/parameters.ts';
import { sketchParameters } from './rotated/sketch/parameters.ts';

/** A PCA of this number of features takes some minutes. */
const MAXIMUM_FEATURES = 100;

/** @throws ERR_TASK_RANGE; ERR_PROGRAM_INVALID for a spectrum of a method other than PCA */
export function checkGarbled(task: StatisticsTask, program: Program): void {
  const { length } = task.features;
  if (length > MAXIMUM_FEATURES) {
    throw new CodedError(
      TWO_PARTY_CODES.ERR_TASK_RANGE,
      `"features" expected at most ${MAXIMUM_FEATURES} with the two-party protocol garbled, got ${length}`,
    );
  }
  checkRidges(task);
  if (task.method.kind !== 'pca' && program.outputs.includes('spectrum')) {
    throw new CodedError(
      PROJECTION_CODES.ERR_PROGRAM_INVALID,
      `"outputs" expected no spectrum for ${task.method.kind} with the two-party protocol garbled, whose circuits decompose the pencil alone`,
    );
  }
}

/** The largest distance of a ridge from its rounded value, relative to itself. */
const RIDGE_ERROR = 2 ** -10;

/**
 * DCA, LDA and ridge add ridges to integers: in units of 4^-fractionBits of what is computed with, which
 * small ridges are not multiples of. MDR does not.
 */
function checkRidges(task: StatisticsTask): void {
  const { method } = task;
  const fractionBits = computedFractionBits(task);
  if (method.kind !== 'dca' && method.kind !== 'lda' && method.kind !== 'ridge') return;
  const ridges = { ridge: method.ridge, ...(method.kind === 'dca' && { signalRidge: method.signalRidge }) };
  for (const [name, ridge] of Object.entries(ridges)) {
    const rounded = Math.round(ridge * 4 ** fractionBits) / 4 ** fractionBits;
    if (Math.abs(rounded - ridge) <= RIDGE_ERROR * Math.abs(ridge)) continue;
    throw new CodedError(
      TWO_PARTY_CODES.ERR_TASK_RANGE,
      `"method.${name}" expected 0, a multiple of 4^-${fractionBits} or at least ${(4 ** -fractionBits / RIDGE_ERROR / 2).toPrecision(2)} with ${fractionBits} fraction bits, got ${ridge}`,
    );
  }
}

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
  const most = methodOf(program).mostRotatedComponents(program, varying);
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
  return program.method.kind === 'mdr'
    ? components + 1
    : methodOf(program).leastRank({ ...program, components });
}

/**
 * @throws ERR_FULL_RANK where the columns are too few for the components, or not fewer than features that
 * vary: see checkSketch() of the task
 * @throws ERR_TASK_RANGE
 */
export function checkSketched(task: StatisticsTask, program: Program): void {
  const { columns } = program.sketch!;
  const varying = task.features.filter(({ min, max }) => min < max).length;
  if (columns < methodOf(program).leastRank(program) || columns >= varying) throw sketchIsWhole(columns);
  sketchParameters(task, program);
}

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
  if (!program.allowFullRank && methodOf(program).leastRank(program) > varying) throw fullRank(program);
  rotatedParameters(task);
}

/**
 * Checks that the task's parameters fit together, that its statistics fit its key, and that its two-party
 * protocol computes it.
 * @throws as `checkTask`, `layout` and the protocol's own check
 * @example
 * import { TaskProposal } from '@eigenveil/task';
 * import { checkComputable } from '@eigenveil/two-party';
 *
 * checkComputable(TaskProposal.parse(JSON.parse(text)));
 */
export function checkComputable(task: TaskProposal): void {
  checkTask(task);
  layout(task); // throws ERR_PACKING_TOO_NARROW now rather than at the first contribution
  CHECKS[task.twoParty](task, programOf(task));
}

/**
 * Each refuses tasks that its protocol does not compute: ERR_TASK_RANGE, ERR_PROGRAM_INVALID, ERR_FULL_RANK,
 * ERR_NOT_POSITIVE_DEFINITE.
 */
const CHECKS: Readonly<Record<TaskProposal['twoParty'], (task: StatisticsTask, program: Program) => void>> = {
  garbled: checkGarbled,
  rotated: checkRotated,
  linear() {}, // a histogram that has passed checkTask, and nothing else
  simulated() {}, // whatever the clear reference computes
};
