/** The way of owners' statistics through Paillier, as the accuracy of what comes out of it needs it: under a key of its own, and checked. */
import { PaillierPool } from '@eigenveil/paillier';
import { addStatistics, flatten, layout, type Statistics } from '@eigenveil/statistics';
import type { Shares } from '../processes.ts';
import { checkValues, contributeAndUnblind, opened, type StepsTask } from '../steps.ts';

/**
 * Returns what both servers hold after unblinding the owners' contributions.
 * @throws Error when the shares do not add up to the sum of the owners' integers
 */
export async function encryptAndUnblind(task: StepsTask, owners: readonly Statistics[]): Promise<Shares> {
  const paillier = new PaillierPool({ threads: 0 });
  try {
    const secretKey = await paillier.generateKeyPair({ bits: task.keyBits, scheme: task.encryption });
    const under = { task, secretKey, publicKey: secretKey.publicKey, packing: layout(task) };
    const values = owners.map((statistics) => flatten(task, statistics));
    const { csp, dataUser } = await contributeAndUnblind(under, values, paillier);
    checkValues('unblinding', opened(task, { csp, dataUser }), flatten(task, owners.reduce(addStatistics)));
    return { csp: [...csp], dataUser: [...dataUser], verifiedOwners: owners.length };
  } finally {
    await paillier.close();
  }
}
