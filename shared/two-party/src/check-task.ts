/**
 * Everything that is checked of a task before anybody contributes: one check for drafts, the data user and the CSP,
 * and the limits of the two-party protocols. Both servers refuse other tasks before they exchange a byte.
 */
import { CodedError } from '@eigenveil/platform';
import { layout } from '@eigenveil/statistics/owner';
import {
  checkRevealedByRotation,
  checkTask,
  type Program,
  programOf,
  type StatisticsTask,
  type TaskProposal,
} from '@eigenveil/task';
import { TWO_PARTY_CODES } from './codes.ts';
import { programBy } from './programs/index.ts';

/** A PCA of this number of features takes some minutes. */
const MAXIMUM_FEATURES = 100;

/** @throws ERR_TASK_RANGE, and as the program's own check */
export function checkGarbled(task: StatisticsTask, program: Program): void {
  const { length } = task.features;
  if (length > MAXIMUM_FEATURES) {
    throw new CodedError(
      TWO_PARTY_CODES.ERR_TASK_RANGE,
      `"features" expected at most ${MAXIMUM_FEATURES} with the two-party protocol garbled, got ${length}`,
    );
  }
  programBy('garbled', task).check?.(task, program);
}

/** @throws as `checkRevealedByRotation`, and as the rotation's own check */
export function checkRotated(task: StatisticsTask, program: Program): void {
  const { check } = programBy('rotated', task);
  checkRevealedByRotation(program);
  check(task, program);
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
  linear: (task) => void programBy('linear', task), // and what its method checks
  simulated() {}, // whatever the clear reference computes
};
