/**
 * Withdraws an owner from a task for good: first at the data user, since otherwise it would count an owner
 * whom the CSP does not count; then at the CSP, so that the record does not count whatever the data user
 * hands in.
 */
import { CodedError, words } from '@eigenveil/platform';
import type { TaskId } from '@eigenveil/task';
import { CODES, type ErrorCode, errorCodeOf, type ServiceAddress } from '@eigenveil/wire';
import type { DataUser, OwnerConnection } from './connection.ts';
import type { OwnerState } from './state.ts';
import { ownerTerm } from './terms.ts';

/** Refusals after which either the contribution counts, or there is none that could. */
const REFUSED: ReadonlySet<string | undefined> = new Set([
  'ERR_CONTRIBUTION_UNKNOWN',
  'ERR_TASK_CANCELLED',
  'ERR_TASK_CLOSED',
  'ERR_TASK_UNKNOWN',
] satisfies ErrorCode[]);

/**
 * Begins the withdrawal, unless it is confirmed already, and tells the data user.
 * @param insist whether a refusal, or silence, does not matter
 * @returns whether the data user has confirmed it
 * @throws as the data user refuses, unless the owner insists
 */
export async function withdrawAtDataUser(
  state: OwnerState,
  client: DataUser,
  taskId: TaskId,
  insist: boolean,
): Promise<boolean> {
  if ((await state.withdrawal(taskId)) !== 'confirmed') await state.keepWithdrawal(taskId, 'begun');
  try {
    await client.withdraw({ taskId });
    return true;
  } catch (error) {
    if (insist) return false;
    // A contribution that was prepared or taken is kept, also after a withdrawal, so that nothing is drawn
    // again even if the data user lies.
    if (REFUSED.has(errorCodeOf(error))) await endUnconfirmed(state, taskId);
    throw error;
  }
}

/**
 * Tells the CSP, with whose answer the withdrawal is confirmed.
 * @param confirmed whether the data user has confirmed the withdrawal
 * @param csp another address of the CSP than that of the enrolment
 * @throws as the CSP refuses
 */
export async function withdrawAtCsp(
  state: OwnerState,
  connection: OwnerConnection,
  taskId: TaskId,
  confirmed: boolean,
  csp: ServiceAddress | undefined,
): Promise<void> {
  try {
    await connection.withCsp((client) => client.withdraw({ taskId }), csp);
    await state.keepWithdrawal(taskId, 'confirmed');
  } catch (error) {
    // The CSP refuses no owner that it has withdrawn: if nobody has confirmed it, nothing has happened.
    if (!confirmed && errorCodeOf(error) === 'ERR_TASK_CLOSED') await endUnconfirmed(state, taskId);
    throw error;
  }
}

/** Ends a withdrawal that was refused. One that is confirmed stays, since the record does not count any more. */
async function endUnconfirmed(state: OwnerState, taskId: TaskId): Promise<void> {
  if ((await state.withdrawal(taskId)) === 'begun') await state.endWithdrawal(taskId);
}

/** @throws ERR_CONTRIBUTION_WITHDRAWN where a withdrawal has begun */
export async function requireNoWithdrawal(state: OwnerState, taskId: TaskId): Promise<void> {
  if ((await state.withdrawal(taskId)) === undefined) return;
  throw new CodedError(
    CODES.ERR_CONTRIBUTION_WITHDRAWN,
    words`this owner has withdrawn from the task for good; ${ownerTerm('withdrawAgain', 'repeat "withdraw"')} if it could not finish`,
  );
}
