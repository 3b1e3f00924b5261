/** The work queue over PostgreSQL: several processes share tasks and batches, lose them and find them again. */
import { openDataUserDatabase, PostgresWorkQueue, postgresStore, type Turn } from '@eigenveil/data-user';
import { PaillierPool } from '@eigenveil/paillier';
import { STANDARD_WAITS } from '@eigenveil/server';
import { databaseOfRun, emptying } from '@eigenveil/testbed/databases/database-of-run';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { AggregatingProcess, MARKS, NumbersTask, OWNERS, SUM, WITHDRAWN } from './support/aggregating.ts';
import { QUICK, QUICK_WAITS } from './support/queue-times.ts';

const pool = new PaillierPool({ threads: 0 });
let url: string;
let task: NumbersTask;
let admin: Client;
const running: AggregatingProcess[] = [];
const queueErrors: unknown[] = [];
beforeAll(async () => {
  url = await databaseOfRun();
  task = await NumbersTask.make();
  admin = new Client({ connectionString: url });
  await admin.connect();
});
beforeEach(() => {
  task = task.next();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((it) => it.close()));
  await admin.query(`${emptying('eigenveil_data_user')}; DROP SCHEMA eigenveil_jobs CASCADE`);
});
afterAll(async () => {
  await pool.close();
  await admin.end();
});

async function open(): Promise<AggregatingProcess> {
  const store = postgresStore(await openDataUserDatabase(url));
  const onError = (error: unknown) => queueErrors.push(error);
  const waits = { ...STANDARD_WAITS, ...QUICK_WAITS };
  const queue = await PostgresWorkQueue.open({ url, waits, batches: 2, onError, times: QUICK.postgres });
  const process = new AggregatingProcess({ task, store, queue, paillier: pool });
  running.push(process);
  return process;
}
const rows = async (sql: string) => (await admin.query({ text: sql, rowMode: 'array' })).rows;
const marks = () =>
  rows(
    `SELECT batch, count(*)::integer FROM eigenveil_data_user.contributions GROUP BY batch ORDER BY batch NULLS FIRST`,
  );
const sumsOf = (processes: readonly AggregatingProcess[]) => processes.flatMap(({ sums }) => sums);
type Batch = Parameters<AggregatingProcess['aggregation']['complete']>;
const storedBy = (processes: readonly AggregatingProcess[]) =>
  processes.flatMap(({ stored }) => stored).toSorted();

test('processes that start at once share the batches of a task, which one of them works on', async () => {
  const processes = await Promise.all([open(), open()]);
  await task.collect(processes[0]!.store, OWNERS, WITHDRAWN);
  for (const process of processes) await process.queue.start(process.workers());
  await Promise.all(processes.map(({ queue }) => queue.offer(task.id)));
  await expect.poll(() => sumsOf(processes)).toEqual([SUM]);
  expect(storedBy(processes)).toEqual([0, 1, 2, 3, 4]);
  expect(await marks()).toEqual(MARKS);
  expect(queueErrors).toEqual([]);
});

test('a process that starts finds what others have left', { tags: ['long'] }, async () => {
  const first = await open();
  await task.collect(first.store, OWNERS, WITHDRAWN);
  await first.close();
  running.pop();
  const second = await open();
  await second.queue.start(second.workers({ unfinished: () => second.store.unfinishedTasks() }));
  await expect.poll(() => second.sums).toEqual([SUM]);
});

test('batches whose jobs are lost are sent again', async () => {
  const process = await open();
  await task.collect(process.store, OWNERS, WITHDRAWN);
  let losing: Promise<unknown[][]> | undefined;
  const batch = async (...work: Batch) => {
    losing ??= rows(
      `DELETE FROM eigenveil_jobs.job WHERE name = 'batches' AND state = 'created' RETURNING id`,
    );
    await losing;
    await process.aggregation.complete(...work);
  };
  await process.queue.start(process.workers({ batch }));
  await process.queue.offer(task.id);
  await expect.poll(() => process.sums).toEqual([SUM]);
  expect((await losing)!.length).toBeGreaterThan(0); // two workers have asked for two batches at most
  expect(await marks()).toEqual(MARKS);
}, 120_000);

test('a batch that fails is tried again, and what it failed with is told', async () => {
  const process = await open();
  await task.collect(process.store, OWNERS, WITHDRAWN);
  let attempts = 0;
  const batch = async (...work: Batch) => {
    attempts += work[1] === 2 ? 1 : 0;
    if (work[1] === 2 && attempts < 2) throw new Error('poisoned');
    await process.aggregation.complete(...work);
  };
  await process.queue.start(process.workers({ batch }));
  await process.queue.offer(task.id);
  await expect.poll(() => process.sums).toEqual([SUM]);
  expect(process.errors.map(String)).toEqual(['Error: poisoned']);
  expect(process.stored.toSorted()).toEqual([0, 1, 2, 3, 4]);
}, 120_000);

test('a task that fails with words that no database takes is tried again at once, and the words are not stored', async () => {
  const process = await open();
  let isSeen = false;
  const step = async () => {
    if (!isSeen) throw new Error('a peer says \0');
    return false;
  };
  await process.queue.start(process.workers({ step }));
  await process.queue.offer(task.id);
  const outcome = () => rows(`SELECT state::text, output FROM eigenveil_jobs.job WHERE name = 'tasks'`);
  await expect.poll(outcome).toMatchObject([['retry', { message: 'ERR_INTERNAL' }]]);
  expect(JSON.stringify(await rows('SELECT output FROM eigenveil_jobs.job'))).not.toContain('peer');
  isSeen = true;
  expect(queueErrors).toEqual([]);
}, 120_000);

test('a task that is cancelled while others aggregate it is not waited for', async () => {
  const process = await open();
  await task.collect(process.store, OWNERS);
  const batch = async () => {
    await process.store.advance(task.id, 'closed', { to: 'cancelled' });
  };
  await process.queue.start(process.workers({ batch }));
  await process.queue.offer(task.id);
  await expect.poll(() => process.errors.length).toBeGreaterThan(0);
  expect(await rows('SELECT batch FROM eigenveil_data_user.partial_products')).toEqual([]);
}, 120_000);

test('a task is taken by one process at a time, and lost with the connection', async () => {
  const [first, second] = [await open(), await open()];
  const connections = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()
    AND pid IN (SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND application_name LIKE 'eigenveil lock %')`;
  await first!.queue.take(task.id, async (turn) => {
    await turn.confirm();
    for (const { queue } of [first!, second!])
      await expect(queue.take(task.id, async () => 'taken')).rejects.toThrow('being worked on');
    const [[connection]] = (await rows(connections)) as [[number]];
    await admin.query('SELECT pg_terminate_backend($1)', [connection]);
    await expect.poll(() => turn.signal.aborted).toBe(true);
    await expect(turn.confirm()).rejects.toMatchObject({ code: 'ERR_DATABASE_UNREACHABLE' });
    expect(await second!.queue.take(task.id, async () => 'taken')).toBe('taken');
  });
  await first!.queue.take(task.id, (turn) => turn.confirm());
});

test('a process that stops gives back its task at once', async () => {
  const process = await open();
  const begun = Promise.withResolvers<void>();
  const step = (_: unknown, { signal }: Turn) => {
    begun.resolve();
    return new Promise<boolean>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  };
  await process.queue.start(process.workers({ step }));
  await process.queue.offer(task.id);
  await begun.promise;
  expect((await process.queue.lengths()).batches).toBe(0);
  await process.queue.close();
  const jobs = `SELECT state::text, start_after <= now() FROM eigenveil_jobs.job WHERE name = 'tasks' AND state < 'completed'`;
  expect(await rows(jobs)).toEqual([['created', true]]);
});

test('a task that two offer is there once, with the heartbeat of the settings', async () => {
  const processes = [await open(), await open()];
  await Promise.all([...processes, ...processes].map(({ queue }) => queue.offer(task.id)));
  expect(await rows(`SELECT data ->> 'taskId', heartbeat_seconds FROM eigenveil_jobs.job`)).toEqual([
    [task.id, QUICK_WAITS.jobHeartbeatSeconds],
  ]);
});
