/**
 * Checks a result for an owner: the data user signed it for the task that the CSP signed, it is a result of
 * that task, the CSP has countersigned it and no other, and the owner's own contribution is among those that
 * the CSP verified.
 */
import { CodedError, words } from '@eigenveil/platform';
import { verifyProjection } from '@eigenveil/projection/portable';
import type { Task } from '@eigenveil/task';
import {
  type Agreement,
  CODES,
  checkInclusion,
  type Projection,
  ProjectionResponse,
  RECEIPT,
  SignedTask,
  type TreeContribution,
  type VerifiedProvenance,
  verifyStatement,
} from '@eigenveil/wire';
import type { z } from 'zod';
import { type Basis, basisOf } from './basis.ts';
import { digestOf } from './sending.ts';
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
