/** The operator's list of all tasks, page by page. */
import { readFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { adminTokenFile, databaseFile } from '@eigenveil/server';
import { newTaskId, type TaskId } from '@eigenveil/task';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ByHand } from './support/by-hand.ts';
import { send } from './support/requests.ts';
import { World } from './support/world.ts';

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
    `INSERT INTO tasks (task_id, task, state, ended_at_csp) VALUES (?, ?, 'cancelled', 1)`,
  );
  for (const id of ids) insert.run(id, JSON.stringify({ ...task, id }));
  db.close();
  const expected = [...ids.toReversed(), task.id, ...before.map(({ taskId }) => taskId)];
  expect(expected).toHaveLength(2 * PAGE + 1);
  expect((await client.list()).map(({ taskId }) => taskId)).toEqual(expected);
  // A page that the last task fills is the last page.
  const { tasks, older } = (await get(`/tasks/${expected[PAGE]}/older`)).json as {
    tasks: { taskId: TaskId }[];
    older: boolean;
  };
  expect([tasks.length, older]).toEqual([PAGE, false]);
});

test('there is nothing older than a task that is not there', async () => {
  expect(await get(`/tasks/${newTaskId()}/older`)).toMatchObject({ status: 404, code: 'ERR_TASK_UNKNOWN' });
});
