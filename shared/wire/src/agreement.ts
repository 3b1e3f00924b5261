/**
 * How a party that pins the CSP's key accepts a task: only if the CSP has signed its digest and Paillier key.
 */
import { ServiceError } from './errors.ts';
import { verifyStatement } from './jws.ts';
import { type PublicJwk, thumbprintOf } from './keys.ts';
import { AGREEMENT, type Agreement, digestTask, type SignedTask } from './task.ts';

/** Verifies a signed task under the pinned CSP's key. Throws ERR_AGREEMENT_INVALID. */
export async function verifySignedTask(
  { task, agreement }: SignedTask,
  cspJwk: PublicJwk,
): Promise<Agreement> {
  const agreed = await verifyStatement(AGREEMENT, agreement, cspJwk);
  const consistent =
    agreed.taskId === task.id &&
    agreed.taskDigest === digestTask(task) &&
    task.csp === (await thumbprintOf(cspJwk)) &&
    task.dataUser === (await thumbprintOf(agreed.dataUserKey));
  if (!consistent) {
    throw new ServiceError(
      'ERR_AGREEMENT_INVALID',
      '"agreement" expected the digest and the keys of this very task',
    );
  }
  return agreed;
}
