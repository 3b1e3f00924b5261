/** The work queue over PostgreSQL: several processes share tasks and batches, lose them and find them again. */
import {
  openDataUserDatabase,
  PostgresDataUserStore,
  PostgresWorkQueue,
  type Turn,
} from '@eigenveil/data-user';
import { PaillierPool } from '@eigenveil/paillier';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AggregatingProcess, NumbersTask } from './support/aggregating.ts';
import { Postgres } from './support/postgres.ts';

const OWNERS = 1100;
const WITHDRAWN = [3, 300, 1100];
const SUM = BigInt((OWNERS * (OWNERS + 1)) / 2 - WITHDRAWN.reduce((sum, number) => sum + number));
const PATIENCE = { timeout: 60_000, interval: 100 };

const pool = new PaillierPool({ threads: 0 });
let postgres: Postgres;
let url: string;
let task: NumbersTask;
let admin: Client;
const running: AggregatingProcess[] = [];
const queueErrors: unknown[] = [];
beforeAll(async () => {
  postgres = await Postgres.launch();
});
beforeEach(async () => {
  url = await postgres.database();
  task = await NumbersTask.make();
  admin = new Client({ connectionString: url });
  await admin.connect();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((it) => it.close()));
  await admin.end();
});
afterAll(async () => {
  await pool.close();
  await postgres.close();
});

async function open(): Promise<AggregatingProcess> {
  const store = new PostgresDataUserStore(await openDataUserDatabase(url));
  const onError = (error: unknown) => queueErrors.push(error);
  const queue = await PostgresWorkQueue.open({ url, batches: 2, onError });
  const process = new AggregatingProcess({ task, store, queue, paillier: pool });
  running.push(process);
  return process;
}
const rows = async (sql: string) => (await admin.query({ text: sql, rowMode: 'array' })).rows;
const marks = () =>
  rows(
    `SELECT batch, count(*)::integer FROM eigenveil_data_user.contributions GROUP BY batch ORDER BY batch NULLS FIRST`,
  );
const MARKS = [
  [null, 3],
  [0, 255],
  [1, 255],
  [2, 256],
  [3, 256],
  [4, 75],
];
const sumsOf = (processes: readonly AggregatingProcess[]) => processes.flatMap(({ sums }) => sums);
const storedBy = (processes: readonly AggregatingProcess[]) =>
  processes.flatMap(({ stored }) => stored).toSorted();

test('processes that start at once share the batches of a task, which one of them works on', async () => {
  const processes = await Promise.all([open(), open(), open()]);
  await task.collect(processes[0]!.store, OWNERS, WITHDRAWN);
  for (const process of processes) await process.queue.start(process.workers());
  await Promise.all(processes.map(({ queue }) => queue.offer(task.id)));
  await expect.poll(() => sumsOf(processes), PATIENCE).toEqual([SUM]);
  expect(storedBy(processes)).toEqual([0, 1, 2, 3, 4]);
  expect(await marks()).toEqual(MARKS);
  expect(queueErrors).toEqual([]);
});

test('a process that starts finds what others have left', async () => {
  const first = await open();
  await task.collect(first.store, OWNERS, WITHDRAWN);
  await first.close();
  running.pop();
  const second = await open();
  await second.queue.start(second.workers({ unfinished: () => second.store.unfinishedTasks() }));
  await expect.poll(() => second.sums, PATIENCE).toEqual([SUM]);
});
