/**
 * An owner waits for a result, and checks it: that the data user signed it for the task that the CSP signed, that
 * it is one of that task, that the CSP has countersigned it and no other, and that the owner's own contribution is
 * among those that the CSP verified.
 */
import { CodedError, sleep, words } from '@eigenveil/platform';
import { verifyProjection } from '@eigenveil/projection/portable';
import type { Task } from '@eigenveil/task';
import {
  type Agreement,
  CODES,
  checkInclusion,
  errorCodeOf,
  isTransient,
  type Projection,
  ProjectionResponse,
  RECEIPT,
  SignedTask,
  type TreeContribution,
  type VerifiedProvenance,
  verifyStatement,
} from '@eigenveil/wire';
import type { z } from 'zod';
import { type Basis, basisOf } from './connection.ts';
import { digestOf } from './contribution.ts';
import type { Enrolment, OwnerState } from './state.ts';
import { ownerTerm } from './terms.ts';

/** All that was signed about a result: with the owner's folder it can be checked without any service. */
export const Evidence = SignedTask.extend(ProjectionResponse.shape);
export type Evidence = z.infer<typeof Evidence>;

/** The result of a task that this owner takes part in. */
export interface TaskResult {
  readonly task: Task;
  readonly projection: Projection;
  /** The results that the task stands on, for a Projector; empty without a basis. */
  readonly basis: Basis;
  readonly provenance: VerifiedProvenance;
  readonly evidence: Evidence;
}

/**
 * Returns the result if all that was signed about it is valid.
 * @throws ERR_AGREEMENT_INVALID, ERR_PROJECTION_INVALID, ERR_PROVENANCE_INVALID, ERR_BASIS_INVALID,
 *   ERR_PROVENANCE_EXCLUDED, and ERR_CONTRIBUTION_UNKNOWN when the folder holds nothing that was contributed
 *   to the task
 */
export async function verifyResult(
  evidence: Evidence,
  state: OwnerState,
  { ownerId, cspKey }: Enrolment,
): Promise<TaskResult> {
  const { task, agreement, projection, provenance, basis } = await verifyProjection(evidence, cspKey);
  const contributionDigest = await contributed(agreement, state);
  checkInclusion({ ownerId, contributionDigest }, evidence.provenance.inclusion, provenance);
  return { task, projection, basis: basisOf(basis), provenance, evidence };
}

/**
 * Returns the digest of what this owner has sent. It is in the receipt; if that was lost, it is computed from
 * what is kept to be sent again.
 */
async function contributed(
  { taskId, dataUserKey }: Agreement,
  state: OwnerState,
): Promise<TreeContribution['contributionDigest']> {
  const receipt = await state.receipt(taskId);
  if (receipt !== undefined) return (await verifyStatement(RECEIPT, receipt, dataUserKey)).contributionDigest;
  const pending = await state.pending(taskId);
  if (pending !== undefined) return digestOf(pending.bytes);
  throw new CodedError(
    CODES.ERR_CONTRIBUTION_UNKNOWN,
    words`${ownerTerm('ownersFolder', "the owner's folder")} holds no receipt for task ${taskId}: ${ownerTerm('home', 'give the --home that contributed, or a copy of it')}`,
  );
}

export interface Waiting {
  /** The longest time to wait. 0: it is asked for once. */
  readonly milliseconds: number;
  /** Ends the waiting early. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Told why there is nothing yet, as often as that changes; `isDown` is true where the data user cannot be
   * reached or has no time, so that nobody knows whether there is a result.
   */
  readonly onWait?: ((reason: string, isDown: boolean) => void) | undefined;
}

const FIRST_PAUSE_MILLISECONDS = 1000;
/** Many owners may wait behind one address, which has a limit of requests. */
const LONGEST_PAUSE_MILLISECONDS = 30_000;

/**
 * Asks until there is an answer, less and less often; also while the service is down or busy.
 * @throws ERR_NOT_READY when the time is over or the waiting was ended; and what `ask` throws, where asking
 *   again is of no use
 */
export async function untilReady<T>(
  ask: () => Promise<T>,
  { milliseconds, signal, onWait }: Waiting,
): Promise<T> {
  const end = performance.now() + milliseconds;
  const aborted = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  aborted.catch(() => {}); // it is looked at below
  let reason = 'there was no answer yet';
  for (let pause = FIRST_PAUSE_MILLISECONDS; ; pause = Math.min(1.5 * pause, LONGEST_PAUSE_MILLISECONDS)) {
    try {
      if (signal?.aborted !== true) return await Promise.race([ask(), aborted]);
    } catch (error) {
      const isUnready = errorCodeOf(error) === 'ERR_NOT_READY' || isTransient(error);
      if (signal?.aborted !== true && !isUnready) throw error;
      if (isUnready && error instanceof Error) {
        if (reason !== error.message) onWait?.(error.message, isTransient(error));
        reason = error.message;
      }
    }
    const left = end - performance.now();
    if (left > 0) await sleep(Math.min(pause, left), signal).catch(() => {});
    if (signal?.aborted === true) throw over('the waiting was ended', reason);
    if (left <= 0) throw over('the time to wait is over', reason);
  }
}

function over(what: string, reason: string): CodedError {
  return new CodedError(
    CODES.ERR_NOT_READY,
    words`${what}: ${reason}; ${ownerTerm('readAgain', 'nothing was written, give the command again')}`,
  );
}
