/**
 * The statement that the CSP signs about a task, and its check by a party that pins the CSP's key, which
 * accepts it only if the CSP has signed the task's digest and its Paillier key.
 */
import { CodedError, fromBase64url } from '@eigenveil/platform';
import { Task, TaskId } from '@eigenveil/task';
import { z } from 'zod';
import { CODES } from '../codes.ts';
import { Digest, digestJson } from '../identity/digest.ts';
import { PublicJwk, thumbprintOf, verifyStatement } from '../identity/signatures.ts';

/** A Paillier public key: big-endian modulus and, for DJN encryption, h_s. */
export const PaillierPublicKey = z.strictObject({
  n: z.base64url().min(170).max(700),
  h: z.base64url().min(170).max(1400).optional(),
});
export type PaillierPublicKey = z.infer<typeof PaillierPublicKey>;

/**
 * A task together with the CSP's signature over its digest, its Paillier key and the data user's signing key.
 */
export const SignedTask = z.strictObject({ task: Task, agreement: z.string().max(16_384) });
export type SignedTask = z.infer<typeof SignedTask>;

/** The statement that the CSP signs about a task. */
export const AGREEMENT = {
  type: 'eigenveil-agreement+jws',
  code: 'ERR_AGREEMENT_INVALID',
  schema: z.strictObject({
    taskId: TaskId,
    taskDigest: Digest,
    publicKey: PaillierPublicKey,
    dataUserKey: PublicJwk,
    /**
     * Present for a task with `sketch`, and for no other: 32 bytes that the CSP draws once the task is fixed;
     * see sketchSeed.
     */
    sketchNonce: z
      .string()
      .regex(/^[A-Za-z0-9_-]{43}$/)
      .exactOptional(),
  }),
} as const;
export type Agreement = z.infer<(typeof AGREEMENT)['schema']>;

/**
 * Returns the seed of Ω of a sketched task: 32 bytes that nobody knows before the CSP has signed. The data
 * user has fixed the task by then, so it cannot choose Ω: with one of its choice it would get columns of the
 * scatter matrix. The CSP learns nothing that depends on Ω.
 * @throws ERR_AGREEMENT_INVALID for the agreement of a task without a sketch
 */
export function sketchSeed(agreement: Agreement): Uint8Array {
  if (agreement.sketchNonce === undefined)
    throw new CodedError(CODES.ERR_AGREEMENT_INVALID, '"sketchNonce" expected for a task with "sketch"');
  return fromBase64url(digestJson('sketch', agreement));
}

export function digestTask(task: Task): Digest {
  return digestJson('task', task);
}

export function digestPublicKey(publicKey: PaillierPublicKey): Digest {
  return digestJson('paillier public key', publicKey);
}

/**
 * Verifies a signed task under the pinned CSP's key.
 * @throws ERR_AGREEMENT_INVALID
 * @example
 * import { verifySignedTask } from '@eigenveil/wire';
 *
 * const { taskDigest, publicKey } = await verifySignedTask(signedTask, cspKey);
 */
export async function verifySignedTask(
  { task, agreement }: SignedTask,
  cspJwk: PublicJwk,
): Promise<Agreement> {
  const agreed = await verifyStatement(AGREEMENT, agreement, cspJwk);
  const consistent =
    agreed.taskId === task.id &&
    agreed.taskDigest === digestTask(task) &&
    (agreed.sketchNonce === undefined) === (task.sketch === undefined) &&
    task.csp === (await thumbprintOf(cspJwk)) &&
    task.dataUser === (await thumbprintOf(agreed.dataUserKey));
  if (!consistent) {
    throw new CodedError(
      CODES.ERR_AGREEMENT_INVALID,
      '"agreement" expected the digest and the keys of this very task',
    );
  }
  return agreed;
}
