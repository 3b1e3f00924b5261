/** The policy of this CSP: a proposed task that breaks it is refused before a key is made. */
import { type Code, CodedError, checkAll } from '@eigenveil/platform';
import { verifyBasis } from '@eigenveil/projection';
import { DAY_MILLISECONDS, fullRankRule, refinedResult, type Task } from '@eigenveil/task';
import { checkComputable } from '@eigenveil/two-party';
import {
  CODES,
  type Projection,
  type PublicJwk,
  type SignedLink,
  type Thumbprint,
  thumbprintOf,
} from '@eigenveil/wire';
import type { TaskQuota } from '../store/store.ts';

/** The tasks that this CSP agrees to; all others are refused. */
export interface CspPolicy extends TaskQuota {
  /** Allows the two-party protocol `simulated`, which is not private. */
  readonly allowSimulated: boolean;
  /** Allows keys under 2048 bits, for benchmarks. */
  readonly allowInsecureKeys: boolean;
  /**
   * Allows results that may reveal the whole scatter matrix: those of exact tasks, and of tasks with
   * `allowFullRank`.
   */
  readonly allowFullRank: boolean;
  /** The smallest minimumOwners of a task, at least 2. */
  readonly minimumOwners: number;
  readonly ownerTokenLifetimeSeconds: number;
  /**
   * The number of answers that a task may get with a two-party protocol other than `rotated`, which gives
   * one.
   */
  readonly answersPerTask: number;
  /** The number of days after its deadline for which a task that nobody ends is kept. */
  readonly retentionDays: number;
  /** Quotas of single data users, in place of the general one. */
  readonly quotas: Readonly<Record<Thumbprint, TaskQuota>>;
}

/** The longest time until a deadline; a key that waits longer has been forgotten. */
const LONGEST_TASK_DAYS = 366;

/**
 * Refuses a task that breaks the policy.
 * @throws ERR_TASK_INVALID and other errors of a task's check, ERR_TASK_REFUSED, ERR_SIMULATED_REFUSED,
 *   ERR_KEY_TOO_SHORT
 */
export async function checkProposal(
  task: Task,
  dataUserKey: PublicJwk,
  { policy, csp, now }: { readonly policy: CspPolicy; readonly csp: Thumbprint; readonly now: Date },
): Promise<void> {
  checkComputable(task);
  const proposer = await thumbprintOf(dataUserKey);
  const fullRank = fullRankRule(task);
  const days = (new Date(task.deadline).getTime() - now.getTime()) / DAY_MILLISECONDS;
  const rule =
    (holds: boolean, message: string, info: Code = CODES.ERR_TASK_REFUSED) =>
    () => {
      if (!holds) throw new CodedError(info, message);
    };
  checkAll(
    rule(task.csp === csp, '"csp" expected the thumbprint of this CSP'),
    rule(task.dataUser === proposer, '"dataUser" expected the key that proposes the task'),
    rule(
      task.twoParty !== 'simulated' || policy.allowSimulated,
      '"twoParty" expected a private protocol; simulated needs --allow-simulated',
      CODES.ERR_SIMULATED_REFUSED,
    ),
    rule(
      task.keyBits >= 2048 || policy.allowInsecureKeys,
      `"keyBits" expected at least 2048 at this CSP, got ${task.keyBits}`,
      CODES.ERR_KEY_TOO_SHORT,
    ),
    rule(
      fullRank === undefined || policy.allowFullRank,
      `${fullRank}, at this CSP: only --allow-full-rank allows it`,
    ),
    rule(
      task.minimumOwners >= policy.minimumOwners,
      `"minimumOwners" expected at least ${policy.minimumOwners} at this CSP, got ${task.minimumOwners}`,
    ),
    rule(
      days > 0 && days <= LONGEST_TASK_DAYS,
      `"deadline" expected a time within the next ${LONGEST_TASK_DAYS} days`,
    ),
  );
}

/**
 * Returns the vectors of the result that a proposed task refines. Checks first that this CSP has
 * countersigned the result, that it belongs to the task it names, and that its vectors are finite, of length
 * 1 and orthogonal.
 * @param link the result that came with the proposal
 * @returns undefined for a task that refines none
 * @throws ERR_TASK_INVALID for a link that the task does not name, ERR_BASIS_INVALID where the named one is
 *   missing or another, and as `verifyBasis`
 */
export async function refinedBy(
  task: Task,
  link: SignedLink | undefined,
  cspKey: PublicJwk,
): Promise<Projection['vectors'] | undefined> {
  if (refinedResult(task) === undefined) {
    if (link === undefined) return undefined;
    throw new CodedError(CODES.ERR_TASK_INVALID, '"refined" expected with "sketch.refine" alone');
  }
  const [refined] = await verifyBasis(task, link === undefined ? [] : [link], cspKey);
  return refined!.projection.vectors;
}

export function quotaOf({ openTasks, tasksPerDay, quotas }: CspPolicy, dataUser: Thumbprint): TaskQuota {
  return quotas[dataUser] ?? { openTasks, tasksPerDay };
}

/** Returns the time before which deadlines must lie for their tasks to be ended without a request. */
export function oldestDeadline({ retentionDays }: CspPolicy, now: Date): Date {
  return new Date(now.getTime() - DAY_MILLISECONDS * retentionDays);
}
