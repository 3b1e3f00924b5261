import { hashOneTimeToken } from '@eigenveil/server';
import { type Task, TaskId } from '@eigenveil/task';
import { Digest, OwnerId, Thumbprint } from '@eigenveil/wire';
import { beforeEach, describe, expect, test } from 'vitest';
import { makeEnrolmentTokens } from '../../src/operate/enrolment-tokens.ts';
import { SqliteCspStore } from '../../src/store/sqlite-store.ts';
import type { CspStore, StoredTask } from '../../src/store/store.ts';

const taskId = TaskId.parse('t'.repeat(22));
const owner = (i: number) => OwnerId.parse(`${i}`.repeat(22));
const thumbprint = (i: number) => Thumbprint.parse(`${i}`.repeat(43));
const digest = (i: number) => Digest.parse(`${i}`.repeat(43));
const now = new Date(1000);
const later = new Date(2000);
const UNLIMITED = { openTasks: 1000, tasksPerDay: 1000 };

const stored: StoredTask = {
  task: { id: taskId, minimumOwners: 2, maximumOwners: 3 } as Task,
  digest: digest(0),
  agreement: 'agreement',
  state: 'agreed',
  sealedSecretKey: Buffer.from('sealed key'),
  fixation: null,
  unblindingDigest: null,
  sealedShares: null,
};

let store: CspStore;
beforeEach(async () => {
  store = new SqliteCspStore(':memory:');
  await store.addEnrolmentTokens(['token 1', 'token 2', 'token 3'], later);
});

/** Enrols owners 1 … n and stores the task. */
async function withOwners(n: number): Promise<void> {
  for (let i = 1; i <= n; i += 1) await store.enrol(`token ${i}`, thumbprint(i), owner(i), now);
  await store.insertTask(stored, UNLIMITED);
}
const record = (i: number, contribution = i) => ({
  ownerId: owner(i),
  contributionDigest: digest(contribution),
});
const request = (verifiedOwners: number, digits = 9) => ({ requestDigest: digest(digits), verifiedOwners });

describe('enrolment', () => {
  test('goes on while very many tokens are made: they are stored bit by bit', async () => {
    const sizes: number[] = [];
    let enrolled: Promise<OwnerId> | undefined;
    const watched = {
      async addEnrolmentTokens(hashes: readonly string[], expiresAt: Date) {
        sizes.push(hashes.length);
        await store.addEnrolmentTokens(hashes, expiresAt);
        // Comes to its turn before the next ones are stored.
        setImmediate(() => {
          enrolled ??= store.enrol('token 1', thumbprint(1), owner(1), now);
          sizes.push(0);
        });
      },
    };
    const tokens = await makeEnrolmentTokens(watched, { count: 1200, lifetimeSeconds: 1, now });
    expect(new Set(tokens).size).toBe(1200);
    expect(sizes.slice(0, 5)).toEqual([500, 0, 500, 0, 200]);
    expect(await enrolled).toBe(owner(1));
    for (const [i, token] of [tokens[0]!, tokens[1199]!].entries())
      await store.enrol(hashOneTimeToken(token), thumbprint(2 + i), owner(2 + i), now);
  });

  test('uses a token up for one key, which may repeat it', async () => {
    expect(await store.enrol('token 1', thumbprint(1), owner(1), now)).toBe(owner(1));
    expect(await store.enrol('token 1', thumbprint(1), owner(7), now)).toBe(owner(1));
    await expect(store.enrol('token 1', thumbprint(2), owner(2), now)).rejects.toMatchObject({
      code: 'ERR_ENROLMENT_TOKEN',
    });
    expect(await store.ownerThumbprint(owner(1))).toBe(thumbprint(1));
    expect(await store.ownerThumbprint(owner(7))).toBeUndefined();
  });

  test('gives a key one owner id, however many tokens it has', async () => {
    await store.enrol('token 1', thumbprint(1), owner(1), now);
    expect(await store.enrol('token 2', thumbprint(1), owner(2), now)).toBe(owner(1));
  });

  test('refuses tokens that are unknown or expired', async () => {
    await expect(store.enrol('token 9', thumbprint(1), owner(1), now)).rejects.toMatchObject({
      code: 'ERR_ENROLMENT_TOKEN',
    });
    await expect(store.enrol('token 1', thumbprint(1), owner(1), later)).rejects.toMatchObject({
      code: 'ERR_ENROLMENT_TOKEN',
    });
  });
});

describe('tasks and records', () => {
  test('the first task of an id stays', async () => {
    await store.insertTask(stored, UNLIMITED);
    const again = await store.insertTask({ ...stored, digest: digest(5), agreement: 'other' }, UNLIMITED);
    expect(again).toMatchObject({ digest: digest(0), agreement: 'agreement' });
    expect(await store.task(TaskId.parse('u'.repeat(22)))).toBeUndefined();
  });

  test('the records of owners who have withdrawn do not count, and are read in the order of owners', async () => {
    await withOwners(3);
    await store.addRecords(taskId, [record(3), record(1), record(2)]);
    await store.withdraw(taskId, owner(1));
    await store.withdraw(taskId, owner(1));
    expect(await store.addRecords(taskId, [record(1), record(2)])).toBe(2);
    expect(await store.records(taskId, '', 9)).toEqual([record(2), record(3)]);
    expect(await store.records(taskId, owner(2), 9)).toEqual([record(3)]);
    // The decision to unblind was based on a record that is gone.
    expect(await store.beginUnblinding(taskId, request(3))).toBe(false);
    expect(await store.beginUnblinding(taskId, request(2))).toBe(true);
    await expect(store.withdraw(taskId, owner(2))).rejects.toMatchObject({ code: 'ERR_TASK_CLOSED' });
    await store.withdraw(taskId, owner(1)); // as before
    expect(await store.countRecords(taskId)).toBe(2);
  });

  test('one projection is registered, of an unblinded task, for good', async () => {
    await withOwners(2);
    expect(await store.registerProjection(taskId, digest(4))).toBeUndefined();
    await store.addRecords(taskId, [record(1), record(2)]);
    await store.beginUnblinding(taskId, request(2));
    expect(await store.registerProjection(taskId, digest(4))).toBeUndefined();
    await store.completeUnblinding(taskId, Buffer.from('sealed shares'));
    expect(await store.registerProjection(taskId, digest(4))).toBe(digest(4));
    expect(await store.registerProjection(taskId, digest(5))).toBe(digest(4));
    await store.endTask(taskId);
    expect(await store.registerProjection(taskId, digest(5))).toBe(digest(4));
    expect(await store.taskOfProjection(digest(4))).toMatchObject({ id: taskId });
    expect(await store.taskOfProjection(digest(5))).toBeUndefined();
  });

  test('an owner counts once, with one contribution', async () => {
    await withOwners(2);
    expect(await store.addRecords(taskId, [record(1), record(2), record(1)])).toBe(2);
    expect(await store.addRecords(taskId, [record(1)])).toBe(2);
    await expect(store.addRecords(taskId, [record(1, 8)])).rejects.toMatchObject({
      code: 'ERR_CONTRIBUTION_CONFLICT',
    });
    expect(await store.countRecords(taskId)).toBe(2);
  });

  test('more owners than the task may have are refused', async () => {
    await store.addEnrolmentTokens(['token 4'], later);
    await withOwners(4);
    await store.addRecords(taskId, [record(1), record(2), record(3)]);
    await expect(store.addRecords(taskId, [record(4)])).rejects.toMatchObject({ code: 'ERR_TASK_FULL' });
    expect(await store.countRecords(taskId)).toBe(3);
  });

  test('a refused batch leaves nothing behind', async () => {
    await withOwners(3);
    await store.addRecords(taskId, [record(1)]);
    await expect(store.addRecords(taskId, [record(2), record(1, 8)])).rejects.toMatchObject({
      code: 'ERR_CONTRIBUTION_CONFLICT',
    });
    expect(await store.countRecords(taskId)).toBe(1);
    expect(await store.addRecords(taskId, [record(3)])).toBe(2);
    await store.endTask(taskId);
    expect(await store.countRecords(taskId)).toBe(0);
  });
});

test('a task is overdue once its deadline has passed, until it ends', async () => {
  const deadline = '2026-01-01T00:00:00.000Z';
  await store.insertTask({ ...stored, task: { ...stored.task, deadline } }, UNLIMITED);
  expect(await store.overdueTasks(new Date('2025-12-31T23:59:59.000Z'))).toEqual([]);
  expect(await store.overdueTasks(new Date('2026-01-01T00:00:01.000Z'))).toEqual([taskId]);
  await store.endTask(taskId);
  expect(await store.overdueTasks(new Date('2026-01-01T00:00:01.000Z'))).toEqual([]);
});

describe('the unblinding', () => {
  test('is bound to one request before it is complete, and freezes the records', async () => {
    await withOwners(3);
    await store.addRecords(taskId, [record(1), record(2)]);
    expect(await store.beginUnblinding(taskId, request(2))).toBe(true);
    expect(await store.beginUnblinding(taskId, request(2))).toBe(true);
    expect(await store.beginUnblinding(taskId, request(2, 8))).toBe(false);
    expect(await store.task(taskId)).toMatchObject({ state: 'agreed', unblindingDigest: digest(9) });
    expect(await store.addRecords(taskId, [record(1)])).toBe(2);
    await expect(store.addRecords(taskId, [record(3)])).rejects.toMatchObject({ code: 'ERR_TASK_CLOSED' });
  });

  test('destroys the key once it is complete', async () => {
    await withOwners(2);
    await store.addRecords(taskId, [record(1), record(2)]);
    await store.beginUnblinding(taskId, request(2));
    await store.completeUnblinding(taskId, Buffer.from('shares'));
    const { state, sealedSecretKey, sealedShares } = (await store.task(taskId))!;
    expect({ state, sealedSecretKey }).toEqual({ state: 'unblinded', sealedSecretKey: null });
    expect(Buffer.from(sealedShares!).toString()).toBe('shares');
    expect(await store.beginUnblinding(taskId, request(2))).toBe(false);
  });

  test('does not begin on a count that is out of date', async () => {
    await withOwners(3);
    await store.addRecords(taskId, [record(1), record(2), record(3)]);
    expect(await store.beginUnblinding(taskId, request(2))).toBe(false);
    expect((await store.task(taskId))!.unblindingDigest).toBeNull();
  });

  test('does not happen after the end, which destroys everything', async () => {
    await withOwners(2);
    await store.addRecords(taskId, [record(1), record(2)]);
    await store.beginUnblinding(taskId, request(2));
    await store.endTask(taskId);
    await store.completeUnblinding(taskId, Buffer.from('shares'));
    expect(await store.beginUnblinding(taskId, request(0))).toBe(false);
    expect(await store.task(taskId)).toMatchObject({
      state: 'ended',
      sealedSecretKey: null,
      sealedShares: null,
    });
    expect(await store.countRecords(taskId)).toBe(0);
  });
});
