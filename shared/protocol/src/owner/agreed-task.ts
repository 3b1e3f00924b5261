/**
 * A task as the CSP has signed it, opened: what every party does first, for itself, and what the steps work
 * with.
 */
import { type Packing, PublicKey } from '@eigenveil/paillier/owner';
import { CodedError } from '@eigenveil/platform';
import { layout, sketchMatrix } from '@eigenveil/statistics/owner';
import type { Task } from '@eigenveil/task';
import {
  type Agreement,
  CODES,
  type Projection,
  type PublicJwk,
  type SignedTask,
  sketchSeed,
  verifySignedTask,
} from '@eigenveil/wire';

export interface AgreedTask {
  readonly task: Task;
  readonly agreement: Agreement;
  readonly publicKey: PublicKey;
  /** The place of each value of the flat statistics in the plaintexts. */
  readonly packing: Packing;
}

/**
 * Verifies a signed task under the pinned CSP's key and reads its Paillier key.
 * @throws ERR_AGREEMENT_INVALID, ERR_KEY_INVALID, ERR_KEY_TOO_SHORT, and as `layout`
 * @example
 * import { openAgreed } from '@eigenveil/protocol/owner';
 *
 * const { task, agreement, publicKey, packing } = await openAgreed(signedTask, cspKey);
 */
export async function openAgreed(signed: SignedTask, cspKey: PublicJwk): Promise<AgreedTask> {
  const { task } = signed;
  const agreement = await verifySignedTask(signed, cspKey);
  const publicKey = await PublicKey.fromJSONInTurns(agreement.publicKey, task);
  if (publicKey.bits !== task.keyBits) {
    throw new CodedError(
      CODES.ERR_AGREEMENT_INVALID,
      `"publicKey" expected ${task.keyBits} bits, got ${publicKey.bits}`,
    );
  }
  return { task, agreement, publicKey, packing: layout(task) };
}

/**
 * Ω of a task with a sketch, from the nonce in the agreement that the CSP has signed; undefined for other
 * tasks. Each party makes it for itself.
 * @param refined the result that a sketch refines, which the caller has verified (`verifyBasis`)
 * @throws ERR_AGREEMENT_INVALID; RangeError where the result is missing
 */
export function signsOf(
  { task, agreement }: Pick<AgreedTask, 'task' | 'agreement'>,
  refined?: Pick<Projection, 'vectors'>,
): Int32Array | undefined {
  return task.sketch && sketchMatrix(sketchSeed(agreement), task, refined?.vectors);
}
