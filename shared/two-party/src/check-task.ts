/** Everything that is checked of a task before anybody contributes: one check for drafts, the data user and the CSP. */

import { layout } from '@eigenveil/statistics';
import { checkTask, programOf, type TaskProposal } from '@eigenveil/task';
import { TWO_PARTY_PROTOCOLS } from './protocols.ts';

/**
 * That the task's parameters fit together, that its statistics fit its key, and that its two-party protocol computes it.
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
  TWO_PARTY_PROTOCOLS[task.twoParty].check({ task, program: programOf(task) });
}
