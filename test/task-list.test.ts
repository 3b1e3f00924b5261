/** What the operator lists page by page: all tasks, and the owners of one. */
import { readFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { adminTokenFile, databaseFile } from '@eigenveil/server';
import { newTaskId, type TaskId } from '@eigenveil/task';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ByHand } from './support/by-hand.ts';
import { jsonOf, runInProcess } from './support/in-process.ts';
import { ownerOf, send, sendAs } from './support/requests.ts';
import { type Enrolled, World } from './support/world.ts';

const PAGE = 100;

let world: World;
let byHand: ByHand;
beforeAll(async () => {
  world = await World.start();
  byHand = await ByHand.start(world);
});
afterAll(() => world.close());

const get = async (path: string) => {
  const token = await readFile(adminTokenFile(world.dataUserConfig.dataDirectory), 'utf8');
  return send(world.dataUserAddress, {
    method: 'GET',
    path,
    headers: { authorization: `Bearer ${token.trim()}` },
  });
};

test('without any task it is empty', async () => {
  expect((await get('/tasks')).json).toEqual({ tasks: [], older: false });
  expect(await (await world.taskClient()).list()).toEqual([]);
});

test('it tells of each task what an operator asks first, the newest first', async () => {
  const [first, second] = [await byHand.create(), await byHand.create()];
  const [owner] = await byHand.owners(1);
  await byHand.contribute(owner!, first, 0);
  const client = await world.taskClient();
  await client.cancelTask(second.task.id);
  const common = { method: first.task.method };
  expect(await client.list()).toEqual([
    {
      ...common,
      taskId: second.task.id,
      state: 'cancelled',
      contributions: 0,
      deadline: second.task.deadline,
    },
    { ...common, taskId: first.task.id, state: 'open', contributions: 1, deadline: first.task.deadline },
  ]);
});

test('of many tasks every one is there once', async () => {
  const client = await world.taskClient();
  const before = await client.list();
  const { task } = await byHand.create();
  const ids = Array.from({ length: 2 * PAGE - before.length }, newTaskId);
  const db = new DatabaseSync(databaseFile(world.dataUserConfig.dataDirectory));
  const insert = db.prepare(
    `INSERT INTO tasks (task_id, sought, task, state, ended_at_csp) VALUES (?, '', ?, 'cancelled', 1)`,
  );
  for (const id of ids) insert.run(id, JSON.stringify({ ...task, id }));
  db.close();
  const expected = [...ids.toReversed(), task.id, ...before.map(({ taskId }) => taskId)];
  expect(expected).toHaveLength(2 * PAGE + 1);
  expect((await client.list()).map(({ taskId }) => taskId)).toEqual(expected);
  // A page that the last task fills is the last page.
  const { tasks, older } = (await get(`/tasks?before=${expected[PAGE]}`)).json as {
    tasks: { taskId: TaskId }[];
    older: boolean;
  };
  expect([tasks.length, older]).toEqual([PAGE, false]);
});

test('an operator finds tasks by their titles and ids, page by page', async () => {
  const client = await world.taskClient();
  const signed = [];
  for (const title of ['Heart study', 'Lungs', 'heart study 2']) signed.push(await byHand.create({ title }));
  const [first, , third] = signed.map(({ task }) => task.id);
  expect((await client.list()).slice(0, 3).map(({ title }) => title)).toEqual([
    'heart study 2',
    'Lungs',
    'Heart study',
  ]);
  const found = async (query: string) => {
    const { tasks, older } = (await get(`/tasks?${query}`)).json as {
      tasks: { taskId: TaskId }[];
      older: boolean;
    };
    return [tasks.map(({ taskId }) => taskId), older];
  };
  expect(await found('sought=HEART%20study')).toEqual([[third, first], false]);
  expect(await found(`sought=heart&before=${third}`)).toEqual([[first], false]);
  expect(await found(`sought=${first!.toLowerCase()}`)).toEqual([[first], false]);
  expect(await found('sought=kidneys')).toEqual([[], false]);
  for (const query of [`sought=${'x'.repeat(201)}`, 'sought=a&sought=b', 'title=heart'])
    expect((await get(`/tasks?${query}`)).status).toBe(422);
});

test('who contributed and when, and who withdrew, is told to the operator, and to nobody else', async () => {
  const signed = await byHand.create();
  const id = signed.task.id;
  const [first, second, never] = await byHand.owners(3);
  const idOf = async ({ home }: Enrolled) => (await home.enrolment())!.ownerId;
  const sent = await byHand.contribution(first!, signed, 0);
  const { receipt } = (await byHand.put(first!, id, sent)).json;
  const { receivedAt } = JSON.parse(Buffer.from(String(receipt).split('.')[1]!, 'base64url').toString());
  await byHand.contribute(second!, signed, 1);
  await byHand.withdraw(second!, id);
  await byHand.withdraw(never!, id);
  const status = [
    'task',
    'status',
    id,
    '--owners',
    '--url',
    world.dataUserAddress.url,
    '--ca',
    world.cspConfig.tlsCertificate,
  ];
  const asOperator = ['--data-directory', world.dataUserConfig.dataDirectory];
  const told = jsonOf(await runInProcess('user', '--json', ...status, ...asOperator));
  const listed = [
    {
      number: 1,
      ownerId: await idOf(first!),
      contributedAt: receivedAt,
      withdrawn: false,
    },
    { number: 2, ownerId: await idOf(second!), contributedAt: expect.any(String), withdrawn: true },
    { number: 3, ownerId: await idOf(never!), contributedAt: null, withdrawn: true },
  ];
  expect(told).toMatchObject({ state: 'open', contributions: 1, owners: listed, more: false });
  const { stdout } = await runInProcess('user', ...status, ...asOperator, '--after', '1');
  const lines = stdout.trim().split('\n');
  expect(lines).toHaveLength(3);
  expect(lines[1]).toMatch(/^2 {2}\S{22} {2}contributed 2\S+Z, withdrew or was revoked$/);
  expect(lines[2]).toMatch(/^3 {2}\S{22} {2}has not contributed, withdrew or was revoked$/);

  const path = `/tasks/${id}/owners`;
  const asked = { method: 'GET', path };
  expect((await send(world.dataUserAddress, asked)).code).toBe('ERR_AUTH_REQUIRED');
  expect((await sendAs(world.dataUserAddress, await ownerOf(first!.home), asked)).code).toBe(
    'ERR_AUTH_REQUIRED',
  );
  expect((await get(path.replace(id, newTaskId()))).code).toBe('ERR_TASK_UNKNOWN');
  for (const query of ['after=-1', 'after=1e3', 'after=1234567890', 'after=x', 'after=1&after=2', 'before=1'])
    expect((await get(`${path}?${query}`)).status).toBe(422);
});

test('of many owners every one is listed once', async () => {
  const { task } = await byHand.create();
  const db = new DatabaseSync(databaseFile(world.dataUserConfig.dataDirectory));
  db.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
     INSERT INTO contributions (task_id, owner_id, sequence, digest, receipt, withdrawn)
     SELECT ?, printf('%022d', 9 * i % 1009), i, '', '', 1 FROM n`,
  ).run(task.id);
  db.close();
  const client = await world.taskClient();
  const first = await client.owners(task.id);
  const second = await client.owners(task.id, first.owners.at(-1)!.number);
  expect([first.more, second.more]).toEqual([true, false]);
  const numbers = [...first.owners, ...second.owners].map(({ number }) => number);
  expect(numbers).toEqual(Array.from({ length: 1000 }, (_, i) => i + 1));
});

test('there is nothing older than a task that is not there', async () => {
  expect(await get(`/tasks?before=${newTaskId()}`)).toMatchObject({ status: 404, code: 'ERR_TASK_UNKNOWN' });
});
