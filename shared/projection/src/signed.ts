/**
 * A projection with all that was signed about it, as a file keeps it: whoever knows the CSP's thumbprint can check it without any service.
 */
import type { Task, Thumbprint } from '@eigenveil/task';
import {
  AGREEMENT,
  type Agreement,
  claimedSigner,
  OwnerProvenance,
  PROJECTION,
  type Projection,
  Provenance,
  type PublicJwk,
  ResultResponse,
  ServiceError,
  SignedTask,
  thumbprintOf,
  type VerifiedProvenance,
  verifyProvenance,
  verifySignedTask,
  verifyStatement,
} from '@eigenveil/wire';
import { z } from 'zod';
import { checkAgreed } from './agreed.ts';

/**
 * The task, the CSP's signature of it (`agreement`), the projection as the data user has signed it, and what the CSP has signed about the
 * projection. Null where a release computed it that did not ask the CSP; no such projection is taken.
 */
export const SignedProjection = SignedTask.extend({
  projection: ResultResponse.shape.projection,
  provenance: z.union([OwnerProvenance, Provenance]).nullable(),
});
export type SignedProjection = z.infer<typeof SignedProjection>;

interface VerifiedProjection {
  readonly task: Task;
  readonly agreement: Agreement;
  readonly projection: Projection;
  readonly provenance: VerifiedProvenance;
}

/**
 * Checks that the CSP has signed the task, that the data user named there has signed the projection and that it is one of the task, and that
 * the CSP has countersigned it and no other. That an owner's contribution is in it is that owner's to check.
 * @throws ERR_AGREEMENT_INVALID, ERR_PROJECTION_INVALID, ERR_PROVENANCE_MISSING, ERR_PROVENANCE_INVALID
 */
export async function verifyProjection(
  { task, agreement: signature, projection: statement, provenance }: SignedProjection,
  cspKey: PublicJwk,
): Promise<VerifiedProjection> {
  const agreement = await verifySignedTask({ task, agreement: signature }, cspKey);
  const projection = await verifyStatement(PROJECTION, statement, agreement.dataUserKey);
  if (projection.taskId !== task.id || projection.taskDigest !== agreement.taskDigest)
    throw new ServiceError('ERR_PROJECTION_INVALID', '"projection" expected the digest of this task');
  checkAgreed(task, projection);
  if (provenance === null) {
    throw new ServiceError(
      'ERR_PROVENANCE_MISSING',
      '"provenance" expected the signatures of the CSP: a result of a release without them has to be computed anew, in a new task',
    );
  }
  const verified = await verifyProvenance({ task, cspKey, projection: statement }, provenance);
  return { task, agreement, projection, provenance: verified };
}

/**
 * The same for whoever knows the CSP by its thumbprint alone.
 * @throws ERR_CSP_IDENTITY, and as verifyProjection
 */
export async function openProjection(signed: SignedProjection, csp: Thumbprint): Promise<VerifiedProjection> {
  const key = claimedSigner(AGREEMENT, signed.agreement);
  if ((await thumbprintOf(key)) === csp) return verifyProjection(signed, key);
  throw new ServiceError(
    'ERR_CSP_IDENTITY',
    `"agreement" expected the signature of the CSP ${csp}: is this its thumbprint, and the file from its tasks?`,
  );
}
