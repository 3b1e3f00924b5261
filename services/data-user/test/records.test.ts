/** Records on their way to the CSP: several requests at a time, and after an interruption only what the CSP has not confirmed. */
import type { PaillierPool } from '@eigenveil/paillier';
import { systemRandomness } from '@eigenveil/privacy';
import type { Sealer } from '@eigenveil/server';
import { newTaskId, type Task, TaskProposal } from '@eigenveil/task';
import {
  digestBytes,
  generatePrivateJwk,
  importSigningKey,
  OwnerId,
  RECORDS_PER_REQUEST,
  ServiceError,
} from '@eigenveil/wire';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Computation } from '../src/computation.ts';
import { SqliteDataUserStore } from '../src/sqlite-store.ts';
import type { OpenTask } from '../src/tasks.ts';

/** The last of five rounds of requests is not full. */
const OWNERS = 4 * 4 * RECORDS_PER_REQUEST + 700;
const AT_ONCE = 4;

let store: SqliteDataUserStore;
let task: Task;
/** The records of every request, in the order of their coming. */
let requests: (readonly string[])[];
let isUnblinded: boolean;
let refuses: (records: readonly string[]) => boolean;
let [running, most] = [0, 0];

beforeEach(async () => {
  const { thumbprint } = await importSigningKey(await generatePrivateJwk());
  task = {
    ...TaskProposal.parse({
      method: { kind: 'pca' },
      features: ['f0', 'f1'].map((name) => ({ name, min: -1, max: 1 })),
      components: 1,
      minimumOwners: 2,
      maximumOwners: OWNERS,
      maximumSamplesPerOwner: 10,
      deadline: new Date(Date.now() + 3_600_000).toISOString(),
    }),
    protocol: 'eigenveil/1',
    id: newTaskId(),
    csp: thumbprint,
    dataUser: thumbprint,
  };
  store = new SqliteDataUserStore(':memory:');
  await store.insertTask(task);
  await store.openTask(task.id, 'agreement');
  const digest = digestBytes('contribution', Buffer.of(1));
  const owners = Array.from({ length: OWNERS }, (_, i) => OwnerId.parse(String(i).padStart(22, '0')));
  const contributions = owners.map((ownerId) => ({
    ...{ ownerId, digest, bytes: Buffer.of(1), receipt: 'receipt' },
    record: ownerId,
  }));
  await store.insertContributions(task.id, contributions);
  await store.withdraw(task.id, owners[600]!);
  await store.advance(task.id, 'open', { to: 'blinded', blinded: Buffer.of(1) });
  [requests, isUnblinded, refuses, running, most] = [[], false, () => false, 0, 0];
});
afterEach(() => store.close());

async function sendRecords(_: unknown, records: readonly string[]): Promise<number> {
  requests.push(records);
  running += 1;
  most = Math.max(most, running);
  await new Promise(setImmediate);
  running -= 1;
  if (refuses(records)) throw new ServiceError('ERR_PEER_UNREACHABLE', 'the CSP cannot be reached');
  return records.length;
}

/** Of a process that may die afterwards. */
function step(signal = new AbortController().signal): Promise<boolean> {
  const computation = new Computation({
    store,
    tasks: { agreed: async () => ({ task }) as OpenTask, propose: async () => undefined },
    aggregation: { aggregate: () => Promise.reject(new Error('not asked for')) },
    csp: {
      sendRecords,
      openChannel: () => Promise.reject(new Error('not asked for')),
      closeChannel: async () => undefined,
      end: async () => undefined,
    },
    provenances: {
      unblind: async () => {
        isUnblinded = true;
        return 'statement';
      },
      countersign: () => Promise.reject(new Error('not asked for')),
    },
    paillier: {} as PaillierPool,
    sealer: {} as Sealer,
    key: {} as never,
    randomness: systemRandomness,
    onStage: () => undefined,
    paceOf: () => 0,
    onMiss: () => undefined,
    isShared: false,
    clock: { now: () => 0, sleep: async () => undefined },
  });
  return computation.step(task.id, { signal, confirm: async () => undefined });
}

/** Every record that counts has been sent; how often at most. */
function expectAllSent(): number {
  const counts = new Map<string, number>();
  for (const record of requests.flat()) counts.set(record, (counts.get(record) ?? 0) + 1);
  expect(counts.size).toBe(OWNERS - 1);
  expect(isUnblinded).toBe(true);
  return Math.max(...counts.values());
}

test('all are sent once, a few requests at a time, before the unblinding', async () => {
  await step();
  expect(expectAllSent()).toBe(1);
  expect(most).toBe(AT_ONCE);
  expect(Math.max(...requests.map(({ length }) => length))).toBe(RECORDS_PER_REQUEST);
  expect(await store.task(task.id)).toMatchObject({ state: 'unblinded', recordsSent: OWNERS });
});

test('what the CSP has confirmed is not sent again by whoever goes on', async () => {
  const lost = OwnerId.parse(String(5000).padStart(22, '0'));
  refuses = (records) => records.includes(lost);
  await expect(step()).rejects.toMatchObject({ code: 'ERR_PEER_UNREACHABLE' });
  const confirmed = 2 * AT_ONCE * RECORDS_PER_REQUEST; // without the round in which a request was lost
  expect((await store.task(task.id))!.recordsSent).toBe(confirmed + 1); // one has withdrawn
  expect(isUnblinded).toBe(false);
  refuses = () => false;
  const before = requests.length;
  await step();
  const again = requests.slice(before).flat();
  expect(again).toContain(lost);
  expect(again).toHaveLength(OWNERS - 1 - confirmed);
  expectAllSent();
});

test('a process that has to leave the task sends no more', async () => {
  const leaving = new AbortController();
  refuses = () => {
    leaving.abort();
    return false;
  };
  await expect(step(leaving.signal)).rejects.toThrow();
  expect(requests).toHaveLength(AT_ONCE);
  expect(isUnblinded).toBe(false);
});
