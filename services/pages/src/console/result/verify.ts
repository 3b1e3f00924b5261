/**
 * Checks a result as far as the page of a data user can: all signatures, and that they are about one task.
 * The page comes from that data user, so this finds results that were mixed up or altered on the way and at
 * rest, not a data user that deviates.
 */
import { openProjection } from '@eigenveil/projection/portable';
import type { Thumbprint } from '@eigenveil/task/ids';
import type { Task } from '@eigenveil/task/schema';
import type { Projection, ResultResponse, SignedTask, VerifiedProvenance } from '@eigenveil/wire';

export interface CheckedResult {
  readonly task: Task;
  readonly projection: Projection;
  readonly provenance: VerifiedProvenance;
  /**
   * The thumbprint of the key that has signed the task and the provenance: compare it with the one that the
   * CSP's operator has given.
   */
  readonly csp: Thumbprint;
  readonly dataUser: Thumbprint;
  /** The result as `eigenveil-user task result --out` writes it. */
  readonly plain: unknown;
  /**
   * The task and all signed statements: owners' projectors load them, and everybody who knows the CSP can
   * check them.
   */
  readonly signed: unknown;
}

/** @throws ERR_AGREEMENT_INVALID, ERR_PROJECTION_INVALID, ERR_PROVENANCE_INVALID, ERR_CSP_IDENTITY */
export async function checkResult(agreed: SignedTask, result: ResultResponse): Promise<CheckedResult> {
  const signed = { ...agreed, ...result };
  const { task, projection, provenance } = await openProjection(signed, agreed.task.csp);
  return {
    task,
    projection,
    provenance,
    csp: task.csp,
    dataUser: task.dataUser,
    plain: {
      ...projection,
      provenance: { verifiedOwners: provenance.verifiedOwners, ...result.provenance },
    },
    signed,
  };
}
