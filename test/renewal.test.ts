/** A task is renewed once, however often it is asked for, whatever gets lost and whoever dies; owners get to know the next task. */
import type { TaskClient } from '@eigenveil/data-user';
import { checkRenewal, digestTask, linkOf, renewalId, type SignedTask } from '@eigenveil/wire';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { query } from './support/database.ts';
import { ownerOf, sendAs } from './support/requests.ts';
import { madeUpProposal } from './support/tasks.ts';
import { type Enrolled, World } from './support/world.ts';

const PROPOSAL = /^POST \/tasks$/;
/** Within what the CSP takes. */
const soon = (days: number) =>
  `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)}T00:00:00Z`;

let world: World;
let client: TaskClient;
let owner: Enrolled;
let first: SignedTask;

beforeAll(async () => {
  world = await World.start({ proxied: true, dataUser: { cspPatienceSeconds: 0 } });
  client = await world.taskClient();
  owner = await world.enrolledOwner();
});
afterAll(() => world.close());
beforeEach(async () => {
  first = await client.create(madeUpProposal('pca', 3));
  await client.cancelTask(first.task.id);
});
afterEach(() => world.proxies.csp.heal());

const renew = (deadline?: string) => client.renew(first.task.id, deadline);
/** Of this series alone. */
const keysAtCsp = () =>
  query(
    world.cspConfig.dataDirectory,
    `SELECT task_id FROM tasks WHERE state <> 'ended' AND json_extract(task, '$.series.id') = '${first.task.id}'`,
  ).map((row) => row.task_id);

test('the next task has the parameters of the last, as much time, and its own key; asked for again it is the same', async () => {
  const next = await renew();
  checkRenewal(linkOf(first.task), next.task);
  const left = Date.parse(next.task.deadline) - Date.now();
  expect(Math.abs(left - 3_600_000)).toBeLessThan(120_000);
  expect(await renew()).toEqual(next);
  expect(await renew(next.task.deadline)).toEqual(next);
  await expect(renew(soon(3))).rejects.toMatchObject({ code: 'ERR_TASK_CONFLICT' });
  expect(next.agreement).not.toBe(first.agreement);
  expect(keysAtCsp()).toEqual([next.task.id]);
  await client.cancelTask(next.task.id);
  const third = await client.renew(next.task.id);
  expect(third.task.series).toEqual({ id: first.task.id, number: 2, previous: digestTask(next.task) });
});

test('asked for by many at once it is one task', async () => {
  const asked = await Promise.allSettled([2, 3, 4, 5, 6].map((days) => renew(soon(days))));
  const got = asked.flatMap((it) => (it.status === 'fulfilled' ? [it.value.task.id] : []));
  expect(got).toHaveLength(1);
  for (const it of asked)
    if (it.status === 'rejected') expect(it.reason.code).toMatch(/^ERR_(TASK_CONFLICT|BUSY)$/);
  expect(keysAtCsp()).toEqual(got);
});

test('what cannot be renewed is refused', async () => {
  const open = await client.create(madeUpProposal('pca', 3));
  await expect(client.renew(open.task.id)).rejects.toMatchObject({ code: 'ERR_TASK_OPEN' });
  const rotated = {
    components: 1,
    twoParty: 'rotated',
    allowFullRank: true,
    outputs: ['spectrum', 'sampleCount'],
  };
  const other = await client.create(madeUpProposal('pca', 3, [], rotated));
  await client.cancelTask(other.task.id);
  await expect(client.renew(other.task.id)).rejects.toMatchObject({ code: 'ERR_TASK_INVALID' });
  await expect(client.renew(renewalId(digestTask(first.task), 0))).rejects.toMatchObject({
    code: 'ERR_TASK_UNKNOWN',
  });
});

describe('the data user dies between the proposal of the renewal and its answer', () => {
  test('after the CSP has signed it', () => goesOn('lose answer'));
  test('before the CSP hears of it', { tags: ['long'] }, () => goesOn('lose request'));
  async function goesOn(kind: 'lose request' | 'lose answer'): Promise<void> {
    world.proxies.csp.inject(PROPOSAL, { kind }, Number.POSITIVE_INFINITY);
    await expect(renew(soon(9))).rejects.toMatchObject({
      code: 'ERR_PEER_UNREACHABLE',
    });
    await world.stopDataUser();
    world.proxies.csp.heal();
    await world.startDataUser();
    await expect
      .poll(() =>
        renew().then(
          ({ task }) => task.deadline,
          () => undefined,
        ),
      )
      .toBe(soon(9));
    const { task } = await renew();
    expect(keysAtCsp()).toEqual([task.id]);
    checkRenewal(linkOf(first.task), task);
  }
});

test('a renewal that was given up before the CSP has signed it leaves room for another', async () => {
  world.proxies.csp.inject(PROPOSAL, { kind: 'lose request' }, Number.POSITIVE_INFINITY);
  await expect(renew()).rejects.toMatchObject({ code: 'ERR_PEER_UNREACHABLE' });
  await client.cancelTask(renewalId(digestTask(first.task), 0));
  world.proxies.csp.heal();
  await expect(renew('2099-01-01T00:00:00Z')).rejects.toMatchObject({ code: 'ERR_TASK_REFUSED' });
  const { task } = await renew();
  expect(task.id).toBe(renewalId(digestTask(first.task), 2));
  checkRenewal(linkOf(first.task), task);
});

test('owners are told the next task, or that there is none yet', async () => {
  const ask = async (id: string) =>
    sendAs(world.dataUserAddress, await ownerOf(owner.home), { method: 'GET', path: `/tasks/${id}/next` });
  expect((await ask(first.task.id)).json).toEqual({ next: null });
  const next = await renew();
  expect((await ask(first.task.id)).json).toEqual({ next });
  expect((await ask(next.task.id)).json).toEqual({ next: null });
  expect((await ask(renewalId(digestTask(first.task), 1))).code).toBe('ERR_TASK_UNKNOWN');
});
