/** A proposal has one key, however often and however close together it comes, and tells nobody what others have proposed. */
import { randomBytes } from 'node:crypto';
import { PaillierPool } from '@eigenveil/paillier';
import { systemRandomness } from '@eigenveil/privacy';
import { Sealer } from '@eigenveil/server';
import { newTaskId, type Task, TaskProposal } from '@eigenveil/task';
import { generatePrivateJwk, importSigningKey, type SigningKey } from '@eigenveil/wire';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CspService } from '../src/service.ts';
import { SqliteCspStore } from '../src/sqlite-store.ts';

class CountingPool extends PaillierPool {
  keys = 0;

  override generateKeyPair(...input: Parameters<PaillierPool['generateKeyPair']>) {
    this.keys += 1;
    return super.generateKeyPair(...input);
  }
}

let csp: SigningKey;
let paillier: CountingPool;
let store: SqliteCspStore;
let service: CspService;

beforeEach(async () => {
  csp = await importSigningKey(await generatePrivateJwk());
  paillier = new CountingPool({ threads: 0 });
  store = new SqliteCspStore(':memory:');
  service = new CspService({
    store,
    sealer: new Sealer(randomBytes(32)),
    paillier,
    key: csp,
    policy: {
      allowSimulated: true,
      allowInsecureKeys: true,
      minimumOwners: 2,
      ownerTokenLifetimeSeconds: 3600,
      answersPerTask: 3,
      retentionDays: 30,
    },
    now: () => new Date(),
    randomness: systemRandomness,
  });
});
afterEach(async () => {
  await paillier.close();
  store.close();
});

const dataUser = async () => importSigningKey(await generatePrivateJwk());

const taskOf = ({ thumbprint }: SigningKey): Task => ({
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
    deadline: new Date(Date.now() + 3_600_000).toISOString(),
  }),
  protocol: 'eigenveil/1',
  id: newTaskId(),
  csp: csp.thumbprint,
  dataUser: thumbprint,
});

test('the same proposal three times at once has one key and one agreement', async () => {
  const key = await dataUser();
  const task = taskOf(key);
  const agreements = await Promise.all([1, 2, 3].map(() => service.agree(task, key.publicJwk)));
  expect(new Set(agreements).size).toBe(1);
  expect(paillier.keys).toBe(1);
});

test('who guesses an id of another data user hears what it would of its own, and no agreement', async () => {
  const [key, other] = [await dataUser(), await dataUser()];
  const task = taskOf(key);
  const refusalOf = (proposal: Task, by: SigningKey) =>
    service.agree(proposal, by.publicJwk).then(
      () => 'agreed',
      ({ code, message }) => `${code} ${message}`,
    );
  const wrong = { ...taskOf(other), id: task.id, csp: other.thumbprint };
  const before = await Promise.all([refusalOf(wrong, other), refusalOf(task, other)]);
  await service.agree(task, key.publicJwk);
  expect(await Promise.all([refusalOf(wrong, other), refusalOf(task, other)])).toEqual(before);
  const conflict = await refusalOf({ ...task, components: 1, maximumOwners: 9 }, key);
  expect(conflict).toMatch(/^ERR_TASK_CONFLICT /);
  const theirs = { ...taskOf(other), id: task.id };
  expect(await refusalOf(theirs, other)).toBe(conflict);
  await service.end(task.id, key.thumbprint);
  expect(await refusalOf(theirs, other)).toBe(conflict);
});
