/**
 * A projection with all that was signed about it, as a file keeps it: whoever knows the CSP's thumbprint can
 * check it without any service.
 */
import { CodedError, isOf } from '@eigenveil/platform';
import {
  checkBasis,
  namedResult,
  refinedResult,
  TASK_CODES,
  type Task,
  type Thumbprint,
} from '@eigenveil/task';
import {
  AGREEMENT,
  type Agreement,
  CODES,
  claimedSigner,
  OwnerProvenance,
  PROJECTION,
  type Projection,
  Provenance,
  type PublicJwk,
  ResultResponse,
  type SignedLink,
  SignedTask,
  thumbprintOf,
  type VerifiedProvenance,
  verifyProvenance,
  verifySignedTask,
  verifyStatement,
} from '@eigenveil/wire';
import { z } from 'zod';
import { checkAgreed } from '../claims/agreed.ts';

/**
 * The task, the CSP's signature of it (`agreement`), the projection as the data user has signed it, and what
 * the CSP has signed about the projection. With a basis, the same of every link before; of a sketch that
 * refines a result, the same of that one.
 */
export const SignedProjection = SignedTask.extend({
  projection: ResultResponse.shape.projection,
  provenance: z.union([OwnerProvenance, Provenance]),
  basis: ResultResponse.shape.basis,
});
export type SignedProjection = z.infer<typeof SignedProjection>;

interface VerifiedLink {
  readonly task: Task;
  readonly agreement: Agreement;
  readonly projection: Projection;
  readonly provenance: VerifiedProvenance;
}

interface VerifiedProjection extends VerifiedLink {
  /**
   * The links that the task stands on, from the link that stands on nothing to the one that the task names;
   * empty without a basis.
   */
  readonly basis: readonly VerifiedLink[];
  /** The link that a sketch refines: rows are not reduced by it. */
  readonly refined?: VerifiedLink;
}

/**
 * Checks that the CSP has signed the task, that the data user named there has signed the projection and that
 * it is one of the task, and that the CSP has countersigned it and no other; and all of this of every link
 * that the task stands on. That an owner's contribution is in it is that owner's to check.
 * @throws ERR_AGREEMENT_INVALID, ERR_PROJECTION_INVALID, ERR_PROVENANCE_INVALID, ERR_BASIS_INVALID
 */
export async function verifyProjection(
  { basis = [], ...signed }: SignedProjection,
  cspKey: PublicJwk,
): Promise<VerifiedProjection> {
  const last = await verifyLink(signed, cspKey);
  const links = await verifyBasis(last.task, basis, cspKey);
  const [refined] = refinedResult(last.task) === undefined ? [] : links;
  return refined === undefined ? { ...last, basis: links } : { ...last, basis: [], refined };
}

/**
 * Checks what a task stands on, or the one result that it refines, as `verifyProjection` checks a result, and
 * that each link is the very projection that the one after it names. All are of one CSP. Vectors of a
 * covariance are checked to be finite, of length 1 and orthogonal. What a link itself refines does not
 * matter: its own owners and the CSP have looked at that.
 * @param task one that the CSP has signed, or is about to sign
 * @param links from the first on; none for a task that names none
 * @throws ERR_BASIS_INVALID, and as `verifyProjection`
 */
export async function verifyBasis(
  task: Task,
  links: readonly SignedLink[],
  cspKey: PublicJwk,
): Promise<readonly VerifiedLink[]> {
  const verified: VerifiedLink[] = [];
  for (const link of links) verified.push(await verifyLink(link, cspKey));
  const chain = [...verified.map((link) => link.task), task];
  const areNamed = chain.every((link, i) => {
    const named = link === task ? namedResult(task) : link.basis;
    return named === verified[i - 1]?.provenance.projectionDigest;
  });
  if (!areNamed)
    throw new CodedError(
      CODES.ERR_BASIS_INVALID,
      '"basis" expected every projection that the task stands on or refines, each with the digest that the next task names',
    );
  try {
    checkBasis(
      task,
      verified.map((link) => link.task),
    );
  } catch (cause) {
    if (!isOf(TASK_CODES, cause)) throw cause;
    throw new CodedError(CODES.ERR_BASIS_INVALID, cause.message, { cause });
  }
  return verified;
}

async function verifyLink(
  { task, agreement: signature, projection: statement, provenance }: Omit<SignedProjection, 'basis'>,
  cspKey: PublicJwk,
): Promise<VerifiedLink> {
  const agreement = await verifySignedTask({ task, agreement: signature }, cspKey);
  const projection = await verifyStatement(PROJECTION, statement, agreement.dataUserKey);
  if (projection.taskId !== task.id || projection.taskDigest !== agreement.taskDigest)
    throw new CodedError(CODES.ERR_PROJECTION_INVALID, '"projection" expected the digest of this task');
  checkAgreed(task, projection);
  const verified = await verifyProvenance({ task, cspKey, projection: statement }, provenance);
  return { task, agreement, projection, provenance: verified };
}

/**
 * Verifies a projection for anyone who knows the CSP by its thumbprint alone.
 * @throws ERR_CSP_IDENTITY, and as verifyProjection
 */
export async function openProjection(signed: SignedProjection, csp: Thumbprint): Promise<VerifiedProjection> {
  const key = claimedSigner(AGREEMENT, signed.agreement);
  if ((await thumbprintOf(key)) === csp) return verifyProjection(signed, key);
  throw new CodedError(
    CODES.ERR_CSP_IDENTITY,
    `"agreement" expected the signature of the CSP ${csp}: is this its thumbprint, and the file from its tasks?`,
  );
}
