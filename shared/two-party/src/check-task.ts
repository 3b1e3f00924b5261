/**
 * Everything that is checked of a task before anybody contributes: one check for drafts, the data user and
 * the CSP.
 */

import { layout } from '@eigenveil/statistics/owner';
import { checkTask, type Program, programOf, type StatisticsTask, type TaskProposal } from '@eigenveil/task';
import { checkGarbled } from './garbled/check.ts';
import { checkRotated } from './rotated/check.ts';

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
