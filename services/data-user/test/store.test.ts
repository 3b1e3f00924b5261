import { Digest, OwnerId, type Task, TaskId } from '@eigenveil/wire';
import { beforeEach, describe, expect, test } from 'vitest';
import { SqliteDataUserStore } from '../src/sqlite-store.ts';
import type { DataUserStore } from '../src/store.ts';

const taskId = TaskId.parse('t'.repeat(22));
const task = { id: taskId, minimumOwners: 2, maximumOwners: 3 } as Task;
const owner = (i: number) => OwnerId.parse(`${i}`.repeat(22));
const contribution = (i: number, bytes = `bytes ${i}`) => ({
  ownerId: owner(i),
  digest: Digest.parse(`${i}`.repeat(43)),
  bytes: Buffer.from(bytes),
  record: `record ${i}`,
  receipt: `receipt ${i}`,
  withdrawn: false,
});

let store: DataUserStore;
beforeEach(async () => {
  store = new SqliteDataUserStore(':memory:');
  await store.insertTask(task);
  await store.openTask(taskId, 'agreement');
});
const stateOf = async () => (await store.task(taskId))!.state;

describe('contributions', () => {
  test('are stored once per owner; the first stays', async () => {
    expect(await store.insertContribution(taskId, contribution(1))).toEqual(contribution(1));
    const second = await store.insertContribution(taskId, { ...contribution(1, 'other'), receipt: 'other' });
    expect(second.receipt).toBe('receipt 1');
    expect(await store.countContributions(taskId)).toBe(1);
  });

  test('are refused when the task is full, closed, cancelled or unknown, but a stored one is still given back', async () => {
    for (const i of [1, 2, 3]) await store.insertContribution(taskId, contribution(i));
    await expect(store.insertContribution(taskId, contribution(4))).rejects.toMatchObject({
      code: 'ERR_TASK_FULL',
    });
    await store.closeTask(taskId);
    await expect(store.insertContribution(taskId, contribution(4))).rejects.toMatchObject({
      code: 'ERR_TASK_CLOSED',
    });
    await store.advance(taskId, 'closed', { to: 'cancelled' });
    await expect(store.insertContribution(taskId, contribution(4))).rejects.toMatchObject({
      code: 'ERR_TASK_CANCELLED',
    });
    expect((await store.insertContribution(taskId, contribution(1))).receipt).toBe('receipt 1');
    const other = TaskId.parse('u'.repeat(22));
    await expect(store.insertContribution(other, contribution(1))).rejects.toMatchObject({
      code: 'ERR_TASK_UNKNOWN',
    });
  });

  test('come back in pages, each once, without those that were withdrawn', async () => {
    for (const i of [3, 1, 2]) await store.insertContribution(taskId, contribution(i));
    await store.withdraw(taskId, owner(2));
    const first = await store.contributions(taskId, '', 1);
    const second = await store.contributions(taskId, first[0]!.ownerId, 5);
    expect([...first, ...second].map(({ ownerId }) => ownerId)).toEqual([owner(1), owner(3)]);
    expect(await store.countContributions(taskId)).toBe(2);
    expect((await store.contribution(taskId, owner(2)))!).toMatchObject({ withdrawn: true, bytes: null });
  });

  test('cannot be withdrawn once the task is closed, and not by strangers', async () => {
    for (const i of [1, 2]) await store.insertContribution(taskId, contribution(i));
    await expect(store.withdraw(taskId, owner(7))).rejects.toMatchObject({
      code: 'ERR_CONTRIBUTION_UNKNOWN',
    });
    await store.closeTask(taskId);
    await expect(store.withdraw(taskId, owner(1))).rejects.toMatchObject({ code: 'ERR_TASK_CLOSED' });
  });
});

describe('a task', () => {
  test('closes only with its minimum of contributions, and then stays closed', async () => {
    await store.insertContribution(taskId, contribution(1));
    await expect(store.closeTask(taskId)).rejects.toMatchObject({ code: 'ERR_MINIMUM_OWNERS' });
    expect(await stateOf()).toBe('open');
    await store.insertContribution(taskId, contribution(2));
    await store.closeTask(taskId);
    await store.closeTask(taskId);
    expect(await stateOf()).toBe('closed');
  });

  test('moves on from the state it is in, and from no other', async () => {
    expect(await store.advance(taskId, 'closed', { to: 'blinded' })).toBe(false);
    expect(await stateOf()).toBe('open');
  });

  test('keeps what a stage left and adds up its timings, until it is final', async () => {
    for (const i of [1, 2]) await store.insertContribution(taskId, contribution(i));
    await store.closeTask(taskId);
    const [sealedBlinding, blinded] = [Buffer.from('blinding'), Buffer.from('blinded')];
    const timing = { stage: 'aggregate', milliseconds: 2 };
    await store.advance(taskId, 'closed', { to: 'blinded', sealedBlinding, blinded, timing });
    await store.advance(taskId, 'blinded', { to: 'unblinded', timing });
    const between = (await store.task(taskId))!;
    expect(Buffer.from(between.sealedBlinding!).toString()).toBe('blinding');
    expect(Buffer.from(between.blinded!).toString()).toBe('blinded');
    expect(between.timings).toEqual({ aggregate: 4 });
    await store.advance(taskId, 'unblinded', { to: 'done', projection: 'projection' });
    expect(await store.task(taskId)).toMatchObject({
      state: 'done',
      sealedBlinding: null,
      blinded: null,
      projection: 'projection',
    });
    expect(await store.contributions(taskId, '', 10)).toEqual([]);
    expect((await store.contribution(taskId, owner(1)))!).toMatchObject({
      bytes: null,
      receipt: 'receipt 1',
    });
  });

  test('is unfinished until it is final and the CSP knows', async () => {
    expect(await store.unfinishedTasks()).toEqual([taskId]);
    await store.advance(taskId, 'open', { to: 'cancelled' });
    expect(await store.unfinishedTasks()).toEqual([taskId]);
    await store.markEndedAtCsp(taskId);
    expect(await store.unfinishedTasks()).toEqual([]);
  });
});
