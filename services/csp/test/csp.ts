/** A CSP without a network, that allows what tests need, and a task for it. */
import { randomBytes } from 'node:crypto';
import type { PaillierPool } from '@eigenveil/paillier';
import { systemRandomness } from '@eigenveil/privacy';
import { Sealer } from '@eigenveil/server';
import { newTaskId, type Task, TaskProposal } from '@eigenveil/task';
import { generatePrivateJwk, importSigningKey, type Thumbprint } from '@eigenveil/wire';
import type { CspDependencies } from '../src/service/service.ts';
import { SqliteCspStore } from '../src/store/sqlite-store.ts';

/** With a new key and an empty store in memory. */
export async function cspWith<Pool extends PaillierPool>(paillier: Pool) {
  const store = new SqliteCspStore(':memory:');
  return {
    store,
    sealer: new Sealer(randomBytes(32)),
    paillier,
    key: await importSigningKey(await generatePrivateJwk()),
    policy: {
      allowSimulated: true,
      allowInsecureKeys: true,
      allowFullRank: true,
      minimumOwners: 2,
      ownerTokenLifetimeSeconds: 3600,
      answersPerTask: 3,
      retentionDays: 30,
      openTasks: 1000,
      tasksPerDay: 1000,
      quotas: {},
    },
    now: () => new Date(),
    randomness: systemRandomness,
  } satisfies CspDependencies;
}

export const taskOf = (csp: Thumbprint, dataUser: Thumbprint): Task => ({
  ...TaskProposal.parse({
    method: { kind: 'pca' },
    features: [{ name: 'f0', min: -1, max: 1 }],
    components: 1,
    allowFullRank: true,
    minimumOwners: 2,
    maximumOwners: 10,
    maximumSamplesPerOwner: 100,
    keyBits: 1024,
    allowInsecureKey: true,
    twoParty: 'simulated',
    exact: true,
    deadline: new Date(Date.now() + 3_600_000).toISOString(),
  }),
  protocol: 'eigenveil/1',
  id: newTaskId(),
  csp,
  dataUser,
});
