/** Contributions that come too late, again, at the same time or too few: nothing is lost, and nothing counted twice. */
import type { SignedTask } from '@eigenveil/wire';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ByHand } from './support/by-hand.ts';
import { query } from './support/database.ts';
import { type Enrolled, World } from './support/world.ts';

const HOUR = 3_600_000;
let clockOffset = 0;
let world: World;
let byHand: ByHand;
beforeAll(async () => {
  const now = () => new Date(Date.now() + clockOffset);
  world = await World.start({ cspOverrides: { now }, dataUserOverrides: { now } });
  byHand = await ByHand.start(world);
});
afterAll(() => world.close());

describe('a contribution after its time is refused', () => {
  let signed: SignedTask;
  let owners: Enrolled[];
  let late: Enrolled;
  beforeAll(async () => {
    late = await world.enrolledOwner();
    owners = await byHand.owners(2);
  });
  beforeEach(async () => {
    signed = await byHand.create({ maximumOwners: 2 });
    for (const [part, owner] of owners.entries()) await byHand.contribute(owner, signed, part);
  });
  const putLate = async () =>
    (await byHand.put(late, signed.task.id, await byHand.contribution(late, signed, 2))).code;

  test('when the task is full, until somebody withdraws', async () => {
    expect(await putLate()).toBe('ERR_TASK_FULL');
    expect((await byHand.withdraw(owners[0]!, signed.task.id)).status).toBe(204);
    expect(await putLate()).toBeUndefined();
    await byHand.expectResult(signed, [1, 2]);
  });

  test('when the task is closed', async () => {
    await byHand.expectResult(signed, [0, 1]);
    expect(await putLate()).toBe('ERR_TASK_CLOSED');
    expect((await byHand.withdraw(owners[0]!, signed.task.id)).code).toBe('ERR_TASK_CLOSED');
    expect((await byHand.withdraw(late, signed.task.id)).code).toBe('ERR_CONTRIBUTION_UNKNOWN');
  });

  test('when the task is cancelled, and there is no result', async () => {
    const client = await world.taskClient();
    const { id } = signed.task;
    const seen = () => late.owner.state(world.dataUserAddress, id);
    expect(await seen()).toBe('open');
    expect((await client.cancelTask(id)).state).toBe('cancelled');
    expect(await seen()).toBe('cancelled');
    expect(await putLate()).toBe('ERR_TASK_CANCELLED');
    expect((await byHand.withdraw(owners[0]!, id)).code).toBe('ERR_TASK_CANCELLED');
    const cancelled = expect.objectContaining({ code: 'ERR_TASK_CANCELLED' });
    await expect(client.closeTask(id)).rejects.toEqual(cancelled);
    await expect(client.result(id)).rejects.toEqual(cancelled);
    await expect(owners[0]!.owner.result(world.dataUserAddress, id)).rejects.toEqual(cancelled);
    expect((await client.cancelTask(id)).state).toBe('cancelled');
  });

  test('when the deadline has passed, after which the task can still be closed', async () => {
    const open = await byHand.create();
    for (const [part, owner] of owners.entries()) await byHand.contribute(owner, open, part);
    const tooLate = await byHand.contribution(late, open, 2);
    clockOffset = 2 * HOUR;
    try {
      expect((await byHand.put(late, open.task.id, tooLate)).code).toBe('ERR_TASK_DEADLINE');
      await byHand.expectResult(open, [0, 1]);
    } finally {
      clockOffset = 0;
    }
  });
});

describe('a contribution that comes again', () => {
  let signed: SignedTask;
  let owners: Enrolled[];
  beforeEach(async () => {
    signed = await byHand.create();
    owners = await byHand.owners(2);
  });

  test('with the same bytes gets the same receipt, byte for byte, before and after the end', async () => {
    const [first, second] = owners as [Enrolled, Enrolled];
    const { id } = signed.task;
    const sent = await byHand.contribution(first, signed, 0);
    const { text, status } = await byHand.put(first, id, sent);
    expect(status).toBe(200);
    expect((await byHand.put(first, id, sent)).text).toBe(text);
    await byHand.contribute(second, signed, 1);
    await byHand.expectResult(signed, [0, 1]);
    expect((await byHand.put(first, id, sent)).text).toBe(text);
    expect((await byHand.status(id)).contributions).toBe(2);
  });

  test('at the same time is stored once, under one receipt', { tags: ['long'] }, async () => {
    const [first, second] = owners as [Enrolled, Enrolled];
    const { id } = signed.task;
    const sent = await byHand.contribution(first, signed, 0);
    const answers = await Promise.all(Array.from({ length: 8 }, () => byHand.put(first, id, sent)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]!.status).toBe(200);
    await byHand.contribute(second, signed, 1);
    await byHand.expectResult(signed, [0, 1]);
  });

  test('with other bytes is a conflict, also at the same time: one of them counts', async () => {
    const [first, second] = owners as [Enrolled, Enrolled];
    const { id } = signed.task;
    const versions = await Promise.all([0, 2].map((part) => byHand.contribution(first, signed, part)));
    const answers = await Promise.all(versions.map((version) => byHand.put(first, id, version)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const counted = answers.findIndex(({ status }) => status === 200);
    expect((await byHand.put(first, id, versions[1 - counted]!)).code).toBe('ERR_CONTRIBUTION_CONFLICT');
    await byHand.contribute(second, signed, 1);
    await byHand.expectResult(signed, [counted === 0 ? 0 : 2, 1]);
  });

  test('after a withdrawal cannot come back, with the same bytes or others', async () => {
    const [first] = owners as [Enrolled];
    const { id } = signed.task;
    const sent = await byHand.contribution(first, signed, 0);
    await byHand.put(first, id, sent);
    expect((await byHand.withdraw(first, id)).status).toBe(204);
    expect((await byHand.withdraw(first, id)).status).toBe(204); // its first answer may have been lost
    expect((await byHand.put(first, id, sent)).code).toBe('ERR_CONTRIBUTION_WITHDRAWN');
    expect((await byHand.put(first, id, await byHand.contribution(first, signed, 0))).code).toBe(
      'ERR_CONTRIBUTION_WITHDRAWN',
    );
    const at = (sql: string) => query(world.dataUserConfig.dataDirectory, sql, id);
    expect(at('SELECT withdrawn FROM contributions WHERE task_id = ?')).toEqual([{ withdrawn: 1 }]);
    expect(at('SELECT owner_id FROM contribution_bodies WHERE task_id = ?')).toEqual([]);
    expect((await byHand.status(id)).contributions).toBe(0);
  });

  test('that its own withdrawal has overtaken does not count', async () => {
    const [first, second] = owners as [Enrolled, Enrolled];
    const third = await world.enrolledOwner();
    const { id } = signed.task;
    const sent = await byHand.contribution(first, signed, 0);
    expect((await byHand.withdraw(first, id)).status).toBe(204);
    expect((await byHand.put(first, id, sent)).code).toBe('ERR_CONTRIBUTION_WITHDRAWN');
    expect((await byHand.status(id)).contributions).toBe(0);
    await byHand.contribute(second, signed, 1);
    await byHand.contribute(third, signed, 2);
    await byHand.expectResult(signed, [1, 2]);
  });

  test('while it is withdrawn and the task is closed counts in all or in none of the places', async () => {
    const [first, second] = owners as [Enrolled, Enrolled];
    const third = await world.enrolledOwner();
    const { id } = signed.task;
    const sent = await byHand.contribution(first, signed, 0);
    await byHand.put(first, id, sent);
    await byHand.contribute(second, signed, 1);
    await byHand.contribute(third, signed, 2);
    const client = await world.taskClient();
    const [withdrawn, again] = await Promise.all([
      byHand.withdraw(first, id),
      byHand.put(first, id, sent),
      client.closeTask(id),
    ]);
    const counts = withdrawn.status !== 204;
    expect(withdrawn.code).toBe(counts ? 'ERR_TASK_CLOSED' : undefined);
    expect([undefined, 'ERR_CONTRIBUTION_WITHDRAWN']).toContain(again.code);
    expect((await byHand.put(first, id, sent)).code).toBe(counts ? undefined : 'ERR_CONTRIBUTION_WITHDRAWN');
    await byHand.expectResult(signed, counts ? [0, 1, 2] : [1, 2]);
  });
});

describe('fewer owners than the minimum', () => {
  test('leave the task open: it can be closed once there are enough', async () => {
    const signed = await byHand.create({ minimumOwners: 3 });
    const { id } = signed.task;
    const client = await world.taskClient();
    const owners = await byHand.owners(3);
    const tooFew = expect.objectContaining({ code: 'ERR_MINIMUM_OWNERS' });
    for (const [part, owner] of owners.entries()) {
      await expect(client.closeTask(id)).rejects.toEqual(tooFew);
      expect(await byHand.status(id)).toMatchObject({ state: 'open', contributions: part });
      await byHand.contribute(owner, signed, part);
    }
    expect((await byHand.withdraw(owners[0]!, id)).status).toBe(204);
    await expect(client.closeTask(id)).rejects.toEqual(tooFew);
    const fourth = await world.enrolledOwner();
    await byHand.contribute(fourth, signed, 0);
    await byHand.expectResult(signed, [0, 1, 2]);
  });
});

test('a task that nobody closes is cancelled days after its deadline, and its contributions are deleted', {
  tags: ['long'],
}, async () => {
  const DAY = 24 * HOUR;
  const deadlineIn = (days: number) => new Date(Date.now() + days * DAY).toISOString();
  const abandoned = await byHand.create({ deadline: deadlineIn(1) });
  const kept = await byHand.create({ deadline: deadlineIn(2) });
  const owners = await byHand.owners(2);
  for (const [part, owner] of owners.entries()) {
    await byHand.contribute(owner, abandoned, part);
    await byHand.contribute(owner, kept, part);
  }
  clockOffset = 31.5 * DAY; // with 30 days of retention
  try {
    await world.stopDataUser();
    await world.startDataUser();
    expect((await byHand.status(abandoned.task.id)).state).toBe('cancelled');
    expect((await byHand.status(kept.task.id)).state).toBe('open');
    const bodies = ({ task }: SignedTask) => {
      const sql = 'SELECT owner_id FROM contribution_bodies WHERE task_id = ?';
      return query(world.dataUserConfig.dataDirectory, sql, task.id).length;
    };
    await expect.poll(() => bodies(abandoned)).toBe(0);
    expect(bodies(kept)).toBe(2);
  } finally {
    clockOffset = 0;
  }
});
