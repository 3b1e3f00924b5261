/** What the data user signs in the end. */
import type { Decomposition } from '@eigenveil/projection';
import { type Task, withoutShift } from '@eigenveil/task';
import { digestTask, type Projection, ServiceError } from '@eigenveil/wire';

/**
 * What the data user signs: the decomposition without the shift, and what of the task it belongs to.
 * @throws ERR_NOT_FINITE: a peer that deviates can make any numbers come out, and numbers that are none
 *   cannot be signed
 * @example
 * import { resultOf, sharesAtDataUser } from '@eigenveil/protocol/servers';
 * import { programOf } from '@eigenveil/task';
 * import { TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
 *
 * const shares = sharesAtDataUser(task, drawn);
 * const { runDataUser } = TWO_PARTY_PROTOCOLS[task.twoParty];
 * const projection = resultOf(task, await runDataUser(channel, { task, program: programOf(task) }, { shares }));
 */
export function resultOf(task: Task, shifted: Decomposition): Projection {
  const decomposition = withoutShift(task, shifted);
  const { vectors, eigenvalues } = decomposition;
  if (![eigenvalues, ...vectors].every((numbers) => numbers.every(Number.isFinite)))
    throw new ServiceError('ERR_NOT_FINITE', 'the projection expected finite numbers');
  return {
    taskId: task.id,
    taskDigest: digestTask(task),
    method: task.method,
    twoParty: task.twoParty,
    features: task.features,
    fractionBits: task.fractionBits,
    outputs: task.outputs,
    differentialPrivacy: task.differentialPrivacy,
    ...decomposition,
  };
}
