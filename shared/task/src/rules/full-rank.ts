/**
 * Names the results that take the consent `allowFullRank` of a policy: an owner's policy and the CSP's ask
 * the same of a task.
 */
import { isExact } from '../floor/floor.ts';
import type { TaskProposal } from '../schema.ts';

/**
 * The rule that a task breaks whose result may tell the whole scatter matrix, for policies without
 * `allowFullRank`; undefined of other tasks.
 * @example
 * import { fullRankRule } from '@eigenveil/task';
 *
 * const rule = fullRankRule(task);
 * if (rule !== undefined) throw new Error(rule);
 */
export function fullRankRule(
  task: Pick<TaskProposal, 'method' | 'sketch' | 'exact' | 'allowFullRank'>,
): string | undefined {
  if (isExact(task))
    return '"exact" expected false: where values are whole numbers, the whole scatter matrix may follow from a result without a floor, which takes "allowFullRank"';
  return task.allowFullRank ? '"allowFullRank" expected false' : undefined;
}
