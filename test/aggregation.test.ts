/** Aggregation in one process: many batches side by side, interrupted, taken up by a successor; every contribution counts once. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalWorkQueue, openSqliteStore } from '@eigenveil/data-user';
import { PaillierPool } from '@eigenveil/paillier';
import { databaseFile } from '@eigenveil/server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  AggregatingProcess,
  BATCHES,
  MARKS,
  NumbersTask,
  OWNERS,
  SUM,
  WITHDRAWN,
} from './support/aggregating.ts';
import { query } from './support/database.ts';
import { WatchedPool } from './support/pool.ts';

const pool = new PaillierPool({ threads: 0 });
afterAll(() => pool.close());
let folder: string;
let task: NumbersTask;
beforeAll(async () => {
  task = await NumbersTask.make();
});
const running: AggregatingProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-test-'));
  task = task.next();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((it) => it.close()));
  await rm(folder, { recursive: true });
});

function open(batches: number, paillier: PaillierPool = pool): AggregatingProcess {
  const store = openSqliteStore(databaseFile(folder));
  const process = new AggregatingProcess({ task, store, queue: new LocalWorkQueue({ batches }), paillier });
  running.push(process);
  return process;
}
const poll = <T>(look: () => T) => expect.poll(look);
const marks = () =>
  query(folder, 'SELECT batch, count(*) AS owners FROM contributions GROUP BY batch ORDER BY batch').map(
    (row) => Object.values(row),
  );

describe('the batches of a task', () => {
  const AT_A_TIME = [
    { atATime: 3, tags: [] },
    { atATime: 1, tags: ['long'] },
    { atATime: 8, tags: ['long'] },
  ];
  describe.each(AT_A_TIME)('$atATime at a time', ({ atATime, tags }) => {
    test('are aggregated, each contribution once', { tags }, async () => {
      const process = open(atATime);
      await task.collect(process.store, OWNERS, WITHDRAWN);
      await process.queue.start(process.workers());
      await process.queue.offer(task.id);
      await poll(() => process.sums).toEqual([SUM]);
      expect(process.stored.toSorted()).toEqual([0, 1, 2, 3, 4]);
      expect(marks()).toEqual(MARKS);
    });
  });

  test('never are more at work than there is memory for, also of several tasks', async () => {
    const process = open(3);
    await task.collect(process.store, OWNERS);
    let working = 0;
    let most = 0;
    const batch = async (...work: Parameters<AggregatingProcess['aggregation']['complete']>) => {
      working += 1;
      most = Math.max(most, working);
      await process.aggregation.complete(...work);
      working -= 1;
    };
    await process.queue.start(process.workers({ batch }));
    const numbers = Array.from({ length: BATCHES }, (_, number) => number);
    const aggregate = () =>
      process.queue.take(task.id, (turn) => process.queue.aggregate(task.id, async () => numbers, turn));
    const again = { signal: new AbortController().signal, confirm: async () => undefined };
    await Promise.all([aggregate(), process.queue.aggregate(task.id, async () => numbers, again)]);
    expect(most).toBe(3);
    expect(await process.queue.lengths()).toEqual({ tasks: 0, batches: 0 });
    expect(process.stored.toSorted()).toEqual(numbers);
  });

  test('of which one fails are left there; those that are done are not done again', async () => {
    const paillier = new WatchedPool();
    const process = open(2, paillier);
    await task.collect(process.store, OWNERS, WITHDRAWN);
    const batch = async (...work: Parameters<AggregatingProcess['aggregation']['complete']>) => {
      await process.aggregation.complete(...work);
      if (process.stored.length === 2) paillier.failing.add('aggregate');
    };
    await process.queue.start(process.workers({ batch }));
    await process.queue.offer(task.id);
    await poll(() => process.errors.length).toBeGreaterThan(1);
    expect(process.stored).toEqual([0, 1]);
    paillier.failing.clear();
    await poll(() => process.sums).toEqual([SUM]);
    expect(marks()).toEqual(MARKS);
  });

  test('that a process has left are done by its successor, and no others', async () => {
    const first = open(1);
    await task.collect(first.store, OWNERS, WITHDRAWN);
    let stop: Promise<void> | undefined;
    const batch = async (...work: Parameters<AggregatingProcess['aggregation']['complete']>) => {
      await first.aggregation.complete(...work);
      if (first.stored.length === 2) stop = first.queue.close();
    };
    await first.queue.start(first.workers({ batch }));
    await first.queue.offer(task.id);
    await poll(() => stop !== undefined).toBe(true);
    await stop;
    expect(first.stored).toEqual([0, 1]);
    expect(first.sums).toEqual([]);
    const second = open(2);
    await second.queue.start(second.workers({ unfinished: () => second.store.unfinishedTasks() }));
    await poll(() => second.sums).toEqual([SUM]);
    expect(second.stored.toSorted()).toEqual([2, 3, 4]);
    expect(marks()).toEqual(MARKS);
  });

  test('that two do at once count once', async () => {
    const processes = [open(2), open(3)];
    await task.collect(processes[0]!.store, OWNERS, WITHDRAWN);
    for (const process of processes) {
      await process.queue.start(process.workers());
      await process.queue.offer(task.id);
    }
    for (const { sums } of processes) await poll(() => sums).toEqual([SUM]);
    expect(processes.flatMap(({ stored }) => stored).toSorted()).toEqual([0, 1, 2, 3, 4]);
    expect(marks()).toEqual(MARKS);
  });

  test('of a task that has been cancelled in the meantime are not stored', async () => {
    const process = open(1);
    await task.collect(process.store, OWNERS);
    const batch = async (...work: Parameters<AggregatingProcess['aggregation']['complete']>) => {
      await process.aggregation.complete(...work);
      if (process.stored.length === 2) await process.store.advance(task.id, 'closed', { to: 'cancelled' });
    };
    await process.queue.start(process.workers({ batch }));
    await process.queue.offer(task.id);
    await poll(() => process.errors.length).toBeGreaterThan(0);
    expect(process.stored).toEqual([0, 1]);
    expect(process.sums).toEqual([]);
  });
});

describe('a task', () => {
  test('that is offered while it is worked on is looked at again', async () => {
    const process = open(1);
    const steps: string[] = [];
    const begun = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const step = async () => {
      steps.push('begun');
      begun.resolve();
      await goOn.promise;
      return false;
    };
    await process.queue.start(process.workers({ step }));
    await process.queue.offer(task.id);
    await begun.promise;
    await process.queue.offer(task.id);
    await expect(process.queue.take(task.id, async () => 'taken')).rejects.toThrow('being worked on');
    goOn.resolve();
    await poll(() => steps.length).toBe(2);
    await poll(() => process.queue.take(task.id, async () => 'taken').catch(() => '')).toBe('taken');
  });
});
