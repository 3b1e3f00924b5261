/** What the CSP makes of many two-party connections: one for each task, the newest, and so many tasks at a time. */
import { layout } from '@eigenveil/statistics';
import type { TaskId } from '@eigenveil/task';
import type { Channel } from '@eigenveil/two-party';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { credentials, encryptValues, recordFor, send } from './support/requests.ts';
import { RogueDataUser, upgradeHeaders } from './support/rogue.ts';
import { madeUpProposal } from './support/tasks.ts';
import { World } from './support/world.ts';

const MOST_COMPUTATIONS = 32;

let world: World;
let dataUser: RogueDataUser;
let owners: Awaited<ReturnType<World['enrolledOwner']>>[];
const channels: Channel[] = [];

beforeAll(async () => {
  world = await World.start();
  dataUser = await RogueDataUser.of(world);
  owners = await Promise.all([world.enrolledOwner(), world.enrolledOwner()]);
});
afterEach(async () => {
  await Promise.all(channels.splice(0).map((channel) => channel.close()));
});
afterAll(() => world.close());

/** A task whose computation may begin. The CSP then waits until the data user closes the connection. */
async function readyTask(): Promise<TaskId> {
  const signed = await dataUser.agree(madeUpProposal('pca', 1, [], { components: 1, allowFullRank: true }));
  const { id } = signed.task;
  const blinded = await encryptValues(
    signed,
    layout(signed.task).valueBits.map(() => 1n),
  );
  const records = await Promise.all(owners.map(({ home }) => recordFor(signed, home, blinded)));
  expect((await dataUser.records(id, records)).status).toBe(200);
  expect((await dataUser.unblind(id, blinded)).status).toBe(200);
  return id;
}

/** Opens a connection on which the computation has begun. */
async function begin(id: TaskId): Promise<Channel> {
  const channel = await dataUser.open(id);
  channels.push(channel);
  expect((await channel.receive()).length).toBeGreaterThan(0);
  return channel;
}

test('a data user that connects again gives its connection before up, every time', async () => {
  const id = await readyTask();
  const first = await begin(id);
  const second = await begin(id);
  await expect(first.receive()).rejects.toMatchObject({ code: 'ERR_CHANNEL_CLOSED' });
  // The end of the first connection has not made the CSP forget the second.
  const third = await begin(id);
  await expect(second.receive()).rejects.toMatchObject({ code: 'ERR_CHANNEL_CLOSED' });
  const other = await begin(await readyTask());
  await dataUser.end(id);
  await expect(third.receive()).rejects.toMatchObject({
    code: 'ERR_CHANNEL_ABORTED',
    parameters: { reason: 'ERR_TASK_CLOSED' },
  });
  // Another task's connection is left alone.
  const waiting = other.receive().catch((error: unknown) => error);
  await other.close();
  expect(await waiting).toMatchObject({ code: 'ERR_CHANNEL_CLOSED' });
});

test('more tasks than the CSP computes at a time are told to come again', { tags: ['long'] }, async () => {
  const ids: TaskId[] = [];
  for (let i = 0; i <= MOST_COMPUTATIONS; i += 1) ids.push(await readyTask());
  const last = ids.pop()!;
  const running: Channel[] = [];
  for (const id of ids) running.push(await begin(id));
  expect(await dataUser.connect(last)).toMatchObject({ status: 503, code: 'ERR_BUSY' });
  // A task that is being computed may connect again, and takes no place more.
  await begin(ids[1]!);
  await expect(running[1]!.receive()).rejects.toMatchObject({ code: 'ERR_CHANNEL_CLOSED' });
  expect(await dataUser.connect(last)).toMatchObject({ code: 'ERR_BUSY' });
  // A place that is given up is another task's.
  await running[0]!.close();
  await expect.poll(async () => (await dataUser.connect(last)).status).toBe(101);
});

test('a request of the right data user that opens no WebSocket gets a problem', async () => {
  const path = `/tasks/${await readyTask()}/two-party`;
  const ask = async (changes: Record<string, string | undefined>, method = 'GET') => {
    const proof = await credentials(world.cspAddress, dataUser, { method, path });
    const headers = Object.entries({ ...upgradeHeaders(), ...proof, ...changes });
    const given = Object.fromEntries(headers.filter((it): it is [string, string] => it[1] !== undefined));
    return send(world.cspAddress, { method, path, headers: given });
  };
  for (const answer of [
    await ask({}, 'POST'),
    await ask({ upgrade: 'h2c' }),
    await ask({ 'sec-websocket-version': '7' }),
    await ask({ 'sec-websocket-version': undefined }),
    await ask({ 'sec-websocket-key': undefined }),
    await ask({ 'sec-websocket-key': 'too short' }),
    await ask({ 'sec-websocket-protocol': 'a, a' }),
  ]) {
    expect(answer).toMatchObject({ status: 400, code: 'ERR_CHANNEL_MESSAGE' });
    expect(answer.headers['content-type']).toBe('application/problem+json');
  }
  // It has no protocols and no extensions, so it agrees to none.
  const opened = await ask({
    'sec-websocket-protocol': 'chat',
    'sec-websocket-extensions': 'permessage-deflate',
  });
  expect(opened.status).toBe(101);
  expect(opened.headers).not.toHaveProperty('sec-websocket-protocol');
  expect(opened.headers).not.toHaveProperty('sec-websocket-extensions');
});
