/** What the console sees of a task over HTTPS while it goes on: arrivals, refusals, stages, what it waits for; and how streams end. */
import { readFile } from 'node:fs/promises';
import { adminTokenFile } from '@eigenveil/server';
import { newTaskId } from '@eigenveil/task';
import { TaskListLine, type TaskProgress, TaskProgressLine } from '@eigenveil/wire/console';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ByHand } from './support/by-hand.ts';
import { type OpenStream, openStream, signIn } from './support/console.ts';
import { send } from './support/requests.ts';
import { type Enrolled, World } from './support/world.ts';

let world: World;
let byHand: ByHand;
let token: string;
let bearer: string;
let owners: Enrolled[];

beforeAll(async () => {
  world = await World.start();
  byHand = await ByHand.start(world);
  owners = await byHand.owners(3);
  token = (await readFile(adminTokenFile(world.dataUserConfig.dataDirectory), 'utf8')).trim();
  ({ bearer } = await signIn(world.dataUserAddress, token));
});
afterAll(() => world.close());

const open = (path: string, authorization = bearer) => openStream(world.dataUserAddress, path, authorization);
/** Lines until one is as it should be. */
async function until(stream: OpenStream, isRight: (update: TaskProgress) => boolean): Promise<TaskProgress> {
  for (;;) {
    const line = TaskProgressLine.parse(await stream.next());
    if (line.kind === 'end') throw new Error(`the stream ended: ${line.reason}`);
    if (line.kind === 'update' && isRight(line.update)) return line.update;
  }
}

test('a task from its opening to its result, as its operator sees it', async () => {
  const signed = await byHand.create();
  const { id } = signed.task;
  const stream = await open(`/tasks/${id}/progress`);
  expect(stream).toMatchObject({
    status: 200,
    headers: { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store, no-transform' },
  });
  const first = await until(stream, () => true);
  expect(first).toMatchObject({
    status: {
      taskId: id,
      state: 'open',
      contributions: 0,
      waitsFor: { who: 'owners', code: 'contributions' },
    },
    minimumOwners: signed.task.minimumOwners,
    deadline: signed.task.deadline,
    arrivals: [],
    refused: [],
    stages: [
      { state: 'proposed', endedAt: expect.any(String) },
      { state: 'open', endedAt: null },
    ],
    computation: null,
  });

  for (const [part, owner] of owners.entries())
    expect((await byHand.put(owner, id, await byHand.contribution(owner, signed, part))).status).toBe(200);
  const full = await until(stream, ({ status }) => status.contributions === 3);
  expect(full.arrivals.map(({ contributions }) => contributions)).toEqual([1, 2, 3]);
  const times = full.arrivals.map(({ at }) => at);
  expect(times.toSorted()).toEqual(times);
  expect(full.status.waitsFor).toEqual({ who: 'operator', code: 'close' });

  // Another contribution of an owner that has one, twice; and one of nobody.
  const other = await byHand.contribution(owners[0]!, signed, 1);
  for (let i = 0; i < 2; i += 1) await byHand.put(owners[0]!, id, other);
  const path = `/tasks/${id}/contribution`;
  await send(world.dataUserAddress, { method: 'PUT', path, body: 'x' });
  await send(world.dataUserAddress, { method: 'PUT', path: path.replace(id, newTaskId()), body: 'x' });
  const refusing = await until(stream, ({ refused }) => refused.length === 2);
  expect(refusing.refused).toEqual([
    { code: 'ERR_CONTRIBUTION_CONFLICT', count: 2, lastAt: expect.any(String) },
    { code: 'ERR_AUTH_REQUIRED', count: 1, lastAt: expect.any(String) },
  ]);
  expect(JSON.stringify(refusing)).not.toContain((await owners[0]!.home.enrolment())!.ownerId);

  await (await world.taskClient()).closeTask(id);
  const done = await until(stream, ({ status }) => status.state === 'done');
  expect(done.status.waitsFor).toEqual({ who: 'nobody', code: 'nothing' });
  expect(done.stages.map(({ state }) => state)).toEqual([
    'proposed',
    'open',
    'closed',
    'blinded',
    'unblinded',
    'decomposed',
    'done',
  ]);
  for (const { state, milliseconds } of done.stages)
    expect(milliseconds === null).toBe(['proposed', 'open', 'done'].includes(state));
  expect(await stream.next()).toEqual({ kind: 'end', reason: 'final' });
  expect(await stream.next()).toBeUndefined();
});

test('the list, as tasks come and go', async () => {
  const stream = await open('/progress', token);
  const signed = await byHand.create();
  for (;;) {
    const line = TaskListLine.parse(await stream.next());
    if (line.kind === 'update' && line.update.tasks[0]?.taskId === signed.task.id) break;
  }
  stream.leave();
});

test('the list of those tasks that are sought, beside the list of all', async () => {
  const [all, some] = [await open('/progress'), await open('/progress?sought=HEART')];
  const heart = await byHand.create({ title: 'Heart study' });
  const lungs = await byHand.create({ title: 'Lungs' });
  const listed = async (stream: OpenStream, newest: string) => {
    for (;;) {
      const line = TaskListLine.parse(await stream.next());
      const tasks = line.kind === 'update' ? line.update.tasks : [];
      if (tasks[0]?.taskId === newest) return tasks;
    }
  };
  expect(await listed(some, heart.task.id)).toMatchObject([{ title: 'Heart study', state: 'open' }]);
  expect((await listed(all, lungs.task.id)).slice(0, 2)).toMatchObject([
    { title: 'Lungs' },
    { title: 'Heart study' },
  ]);
  for (const stream of [all, some]) stream.leave();
  expect(await open(`/progress?sought=${'x'.repeat(201)}`)).toMatchObject({ status: 422 });
});

test('a stream of no task, or asked for by nobody, does not begin', async () => {
  const unknown = await open(`/tasks/${newTaskId()}/progress`);
  expect(unknown).toMatchObject({ status: 404, headers: { 'content-type': 'application/problem+json' } });
  expect(await open('/progress', 'x'.repeat(43))).toMatchObject({ status: 401 });
});

test('what was refused just before the service stops is counted, and the stop waits for no stream', async () => {
  const signed = await byHand.create();
  const { id } = signed.task;
  const streams = [await open(`/tasks/${id}/progress`), await open('/progress')];
  for (const stream of streams) await stream.next();
  await send(world.dataUserAddress, { method: 'PUT', path: `/tasks/${id}/contribution`, body: 'x' });
  const stopped = world.stopDataUser().then(() => 'stopped');
  for (const stream of streams) {
    let line = await stream.next();
    while ((line as { kind: string }).kind === 'update') line = await stream.next();
    expect(line).toEqual({ kind: 'end', reason: 'closing' });
  }
  expect(await stopped).toBe('stopped');
  await world.startDataUser();
  const again = await open(`/tasks/${id}/progress`);
  const { refused } = await until(again, () => true);
  expect(refused).toMatchObject([{ code: 'ERR_AUTH_REQUIRED', count: 1 }]);
  again.leave();
});
