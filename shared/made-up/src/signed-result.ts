/** A result with everything that both servers sign about it, without the servers. */
import type { Task } from '@eigenveil/task';
import {
  AGREEMENT,
  COUNTERSIGNATURE,
  digestProjection,
  digestTask,
  newSalt,
  PROJECTION,
  type Projection,
  type SigningKey,
  STATEMENT,
  signStatement,
} from '@eigenveil/wire';

type Numbers = Pick<Projection, 'vectors' | 'eigenvalues' | 'mean' | 'trace' | 'sampleCount'>;

/** Of a task whose `csp` and `dataUser` are these keys; three owners took part. */
export async function signedResult(csp: SigningKey, dataUser: SigningKey, task: Task, numbers: Numbers) {
  const about = { taskId: task.id, taskDigest: digestTask(task) };
  const { method, twoParty, features, fractionBits, outputs, differentialPrivacy, basis } = task;
  const projection = await signStatement(PROJECTION, dataUser, {
    ...about,
    ...{ method, twoParty, features, fractionBits, outputs, differentialPrivacy },
    ...(basis !== undefined && { basis }),
    ...numbers,
  });
  const salt = newSalt();
  const digest = digestProjection(salt, projection);
  return {
    task,
    agreement: await signStatement(AGREEMENT, csp, {
      ...about,
      publicKey: { n: 'A'.repeat(512) },
      dataUserKey: dataUser.publicJwk,
    }),
    projection,
    provenance: {
      statement: await signStatement(STATEMENT, csp, {
        ...about,
        unblindingDigest: digest,
        contributionsRoot: digest,
        verifiedOwners: 3,
      }),
      countersignature: await signStatement(COUNTERSIGNATURE, csp, { ...about, projectionDigest: digest }),
      salt,
    },
  };
}
