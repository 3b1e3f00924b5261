/**
 * Provenance: what the CSP signs about the records that it has verified and about the one projection that was
 * registered, and how an owner checks both. It proves which records were verified, not what the data user has
 * aggregated.
 */
import { CodedError, fromBase64url, randomBytes, utf8 } from '@eigenveil/platform';
import { type Task, TaskId } from '@eigenveil/task';
import { z } from 'zod';
import { CODES } from '../codes.ts';
import { bytesOfDigest, Digest, digestBytes, digestOfHash } from '../identity/digest.ts';
import { type PublicJwk, verifyStatement } from '../identity/signatures.ts';
import { digestTask } from './agreement.ts';
import { isIncluded, type TreeContribution } from './contribution-tree.ts';

/** The statement that the CSP signs when it has unblinded a task. */
export const STATEMENT = {
  type: 'eigenveil-provenance+jws',
  code: 'ERR_PROVENANCE_INVALID',
  schema: z.strictObject({
    taskId: TaskId,
    taskDigest: Digest,
    /** The digest of the blinded aggregate that it has decrypted. */
    unblindingDigest: Digest,
    /** Distinct enrolled owners whose records it has verified: the leaves of the tree. */
    verifiedOwners: z.int().min(1),
    /** The root of the ContributionTree over those records. */
    contributionsRoot: Digest,
  }),
} as const;
export type ProvenanceStatement = z.infer<(typeof STATEMENT)['schema']>;

/**
 * The statement that the CSP signs about the first projection digest that the data user registers for a task,
 * and about no other.
 */
export const COUNTERSIGNATURE = {
  type: 'eigenveil-countersignature+jws',
  code: 'ERR_PROVENANCE_INVALID',
  schema: z.strictObject({ taskId: TaskId, taskDigest: Digest, projectionDigest: Digest }),
} as const;

const Jws = z.string().max(4096);

/** The statements that come with a projection. */
export const Provenance = z.strictObject({
  statement: Jws,
  countersignature: Jws,
  /** 32 random bytes, base64url: with the signed projection it gives the digest that was countersigned. */
  salt: Digest,
});
export type Provenance = z.infer<typeof Provenance>;

/**
 * The provenance with the place of an owner's contribution in the tree, which is at most 2^53 leaves wide.
 */
export const OwnerProvenance = Provenance.extend({
  inclusion: z.strictObject({ index: z.int().min(0), path: z.array(Digest).max(53) }),
});
export type OwnerProvenance = z.infer<typeof OwnerProvenance>;

export function newSalt(): Digest {
  return digestOfHash(randomBytes(32));
}

/**
 * The digest of a signed projection that the data user registers. The CSP gets no salt: it could else test
 * guesses of a result, of which there may be few (a projection of two features, say), and tell a refusal.
 */
export function digestProjection(salt: Digest, projection: string): Digest {
  return digestBytes('projection', fromBase64url(salt), utf8(projection));
}

/** The facts that an owner or the data user knows by itself, and that a statement must agree with. */
export interface ExpectedProvenance {
  readonly task: Task;
  readonly cspKey: PublicJwk;
  /** The projection as the data user has signed it. */
  readonly projection: string;
}

/** The facts that are known about a result whose provenance is right. */
export interface VerifiedProvenance
  extends Pick<ProvenanceStatement, 'verifiedOwners' | 'contributionsRoot' | 'unblindingDigest'> {
  readonly projectionDigest: Digest;
}

/**
 * Verifies both signatures of the CSP and that they are about this task and this projection.
 * @throws ERR_PROVENANCE_INVALID
 */
export async function verifyProvenance(
  { task, cspKey, projection }: ExpectedProvenance,
  { statement, countersignature, salt }: Provenance,
): Promise<VerifiedProvenance> {
  const stated = await verifyStatement(STATEMENT, statement, cspKey);
  const countersigned = await verifyStatement(COUNTERSIGNATURE, countersignature, cspKey);
  for (const { taskId, taskDigest } of [stated, countersigned])
    expect(taskId === task.id && taskDigest === digestTask(task), 'the signatures of the CSP', 'this task');
  const { verifiedOwners, contributionsRoot, unblindingDigest } = stated;
  expect(
    verifiedOwners >= task.minimumOwners && verifiedOwners <= task.maximumOwners,
    '"verifiedOwners"',
    'a number of owners that the task allows',
  );
  expect(bytesOfDigest(salt) !== undefined, '"salt"', '32 bytes in base64url');
  const projectionDigest = digestProjection(salt, projection);
  expect(
    countersigned.projectionDigest === projectionDigest,
    '"countersignature"',
    'the digest of this very projection',
  );
  return { verifiedOwners, contributionsRoot, unblindingDigest, projectionDigest };
}

/**
 * Checks that an owner's contribution is among those that were verified.
 * @throws ERR_PROVENANCE_EXCLUDED
 */
export function checkInclusion(
  contribution: TreeContribution,
  inclusion: OwnerProvenance['inclusion'],
  { verifiedOwners, contributionsRoot }: VerifiedProvenance,
): void {
  if (isIncluded(contribution, inclusion, { size: verifiedOwners, root: contributionsRoot })) return;
  throw new CodedError(
    CODES.ERR_PROVENANCE_EXCLUDED,
    `"inclusion" expected a proof that the contribution with digest ${contribution.contributionDigest} is among the ${verifiedOwners} that the CSP verified`,
  );
}

function expect(holds: boolean, what: string, expected: string): void {
  if (!holds) throw new CodedError(CODES.ERR_PROVENANCE_INVALID, `${what} expected ${expected}`);
}
