/** A task is proposed once, however often it is asked for, whatever gets lost and whoever dies: no second key, and none left over. */
import { startDataUser } from '@eigenveil/data-user';
import type { PaillierPool } from '@eigenveil/paillier';
import { newTaskId, type TaskId } from '@eigenveil/task';
import type { Fault } from '@eigenveil/testbed/proxies/proxy';
import type { SignedTask } from '@eigenveil/wire';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ByHand } from './support/by-hand.ts';
import { query } from './support/database.ts';
import { WatchedPool } from './support/pool.ts';
import { QUICK } from './support/queue-times.ts';
import { RogueDataUser } from './support/rogue.ts';
import { World } from './support/world.ts';

const LOSE_REQUEST: Fault = { kind: 'lose request' };
const LOSE_ANSWER: Fault = { kind: 'lose answer' };
const ALWAYS = Number.POSITIVE_INFINITY;
const PROPOSAL = /^POST \/tasks$/;

/** Makes a key only when it is let. */
class GatedPool extends WatchedPool {
  gate: Promise<void> = Promise.resolve();

  override async generateKeyPair(...input: Parameters<PaillierPool['generateKeyPair']>) {
    const key = await super.generateKeyPair(...input);
    await this.gate;
    return key;
  }
}

const paillier = new GatedPool();
let world: World;
let byHand: ByHand;
let id: TaskId;

beforeAll(async () => {
  world = await World.start({
    proxied: true,
    cspOverrides: { paillier },
    dataUser: { cspPatienceSeconds: 0 },
  });
  byHand = await ByHand.start(world);
});
beforeEach(() => {
  id = newTaskId();
  paillier.begun.generateKeyPair = 0;
});
afterEach(() => {
  world.proxies.csp.heal();
  world.proxies.dataUser.heal();
});
afterAll(() => world.close());

const create = (): Promise<SignedTask> => byHand.create({}, id);
const refused = (code: string) => expect(create()).rejects.toMatchObject({ code });
const untilState = (state: string) => expect.poll(async () => (await byHand.status(id)).state).toBe(state);
const tasksAtCsp = () =>
  query(world.cspConfig.dataDirectory, "SELECT task_id, agreement FROM tasks WHERE state <> 'ended'");
const gated = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  paillier.gate = promise;
  return resolve;
};

/** It is the same, everybody has it once, and one key was made for it. */
async function expectOne(): Promise<void> {
  const signed = await create();
  expect(signed.task.id).toBe(id);
  expect(await create()).toEqual(signed);
  const listed = (await (await world.taskClient()).list()).filter(({ taskId }) => taskId === id);
  expect(listed).toMatchObject([{ state: 'open' }]);
  expect(tasksAtCsp()).toEqual([{ task_id: id, agreement: signed.agreement }]);
  expect(paillier.begun.generateKeyPair).toBe(1);
  expect((await byHand.status(id)).waiting).toBeUndefined();
  await (await world.taskClient()).cancelTask(id);
  await expect.poll(tasksAtCsp).toEqual([]);
}

describe('asked for again', () => {
  test('it is the same task', async () => {
    await create();
    await expectOne();
  });

  test('with other parameters it is a conflict, and stays as it was', async () => {
    await create();
    await expect(byHand.create({ components: 1 }, id)).rejects.toMatchObject({ code: 'ERR_TASK_CONFLICT' });
    await expectOne();
  });

  test('after it was refused or cancelled it is refused again, and no other task', async () => {
    const keyBits = { keyBits: 1024, allowInsecureKey: true, minimumOwners: 3, maximumOwners: 2 };
    await expect(byHand.create(keyBits, id)).rejects.toMatchObject({ code: 'ERR_TASK_INVALID' });
    await create();
    await (await world.taskClient()).cancelTask(id);
    expect((await create()).task.id).toBe(id); // its operator can see that it was cancelled
    expect((await byHand.status(id)).state).toBe('cancelled');
    await expect.poll(tasksAtCsp).toEqual([]);
  });

  test('at the same time it is proposed once; who is too early comes again', async () => {
    const open = gated();
    const first = create();
    await expect.poll(() => paillier.begun.generateKeyPair).toBe(1);
    await refused('ERR_BUSY');
    open();
    await first;
    await expectOne();
  });

  const isProposedOnce = async (_: string, proxy: 'csp' | 'dataUser', fault: Fault) => {
    world.proxies[proxy].inject(PROPOSAL, fault);
    await refused('ERR_PEER_UNREACHABLE');
    await expect.poll(() => create().catch(() => undefined)).toBeDefined();
    await expectOne();
  };
  const LOST = 'since %s was lost';
  test.each<[string, 'csp' | 'dataUser', Fault]>([
    ['the answer of the data user', 'dataUser', LOSE_ANSWER],
    ['the answer of the CSP', 'csp', LOSE_ANSWER],
  ])(LOST, isProposedOnce);
  test.each<[string, 'csp' | 'dataUser', Fault]>([
    ['the request to the data user', 'dataUser', LOSE_REQUEST],
    ['the request to the CSP', 'csp', LOSE_REQUEST],
  ])(LOST, { tags: ['long'] }, isProposedOnce);
});

describe('of a proposal whose answer does not come', () => {
  const lose = async () => {
    world.proxies.csp.inject(PROPOSAL, LOSE_ANSWER, ALWAYS);
    await refused('ERR_PEER_UNREACHABLE');
    expect((await byHand.status(id)).state).toBe('proposed');
    expect(tasksAtCsp()).toMatchObject([{ task_id: id }]);
  };

  test('the data user gets it as soon as it can, though nobody asks again', async () => {
    await lose();
    await expect.poll(async () => (await byHand.status(id)).waiting?.code).toBe('ERR_PEER_UNREACHABLE');
    world.proxies.csp.heal();
    await untilState('open');
    await expectOne();
  });

  test('the next process gets it', async () => {
    await lose();
    await world.stopDataUser();
    world.proxies.csp.heal();
    await world.startDataUser();
    await untilState('open');
    await expectOne();
  });

  test('a data user that is told to cancel has the key destroyed', async () => {
    await lose();
    await (await world.taskClient()).cancelTask(id);
    world.proxies.csp.heal();
    await expect.poll(tasksAtCsp).toEqual([]);
    await refused('ERR_TASK_CANCELLED');
  });
});

test('of a data user that knows the CSP by another address, the task waits until that is mended', {
  tags: ['long'],
}, async () => {
  await world.stopDataUser();
  const cspUrl = world.dataUserConfig.cspUrl.replace('127.0.0.1', 'localhost');
  const lost = await startDataUser({ ...world.dataUserConfig, cspUrl }, { queueTimes: QUICK });
  try {
    await expect(create()).rejects.toMatchObject({
      code: 'ERR_AUTH_REQUIRED',
      message: expect.stringContaining(
        `"DPoP" from the data user to the CSP expected a proof for ${world.cspAddress.url}, got one for ${cspUrl}: give`,
      ) as string,
    });
    await expect.poll(async () => (await byHand.status(id)).waiting?.code).toBe('ERR_AUTH_REQUIRED');
    expect((await byHand.status(id)).state).toBe('proposed');
  } finally {
    await lost.close();
    await world.startDataUser();
  }
  await untilState('open');
  await expectOne();
});

describe('the CSP', () => {
  test('makes one key for proposals that come at once, and destroys it for an end that comes meanwhile', async () => {
    const dataUser = await RogueDataUser.of(world);
    const task = dataUser.task(byHand.proposal, { id });
    const open = gated();
    const proposals = [dataUser.propose(task), dataUser.propose(task)];
    await expect.poll(() => paillier.begun.generateKeyPair).toBe(1);
    const end = dataUser.end(id);
    open();
    const [first, second] = await Promise.all(proposals);
    expect(first!.status).toBe(200);
    // The end may come before the second proposal, or after it.
    if (second!.code === undefined) expect(second!.text).toBe(first!.text);
    else expect(second!.code).toBe('ERR_TASK_CLOSED');
    expect((await end).status).toBe(204);
    expect(paillier.begun.generateKeyPair).toBe(1);
    expect(tasksAtCsp()).toEqual([]);
  });
});
