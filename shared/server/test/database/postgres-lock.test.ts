/** Locks of a database: one holder for each name, who knows whether it still is. */
import { databaseOfRun } from '@eigenveil/testbed/databases/database-of-run';
import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { tryLock } from '../../src/index.ts';

let url: string;
beforeAll(async () => {
  url = await databaseOfRun();
});

test('is held by one, who can confirm it, whatever its name hashes to', async () => {
  for (const name of Array.from({ length: 12 }, (_, i) => `lock ${i}`)) {
    const lock = (await tryLock(url, name))!;
    expect(await tryLock(url, name)).toBeUndefined();
    await lock.confirm();
    await lock.release();
  }
});

test('another lock of the same session does not confirm it', async () => {
  const { query } = pg.Client.prototype;
  const lock = (await tryLock(url, 'the one'))!;
  // What a pooler does that gives the session to somebody else in between.
  const sessions: pg.Client[] = [];
  pg.Client.prototype.query = function (this: pg.Client, ...words: unknown[]) {
    sessions.push(this);
    return Reflect.apply(query, this, words);
  } as typeof query;
  await lock.confirm();
  pg.Client.prototype.query = query;
  await sessions[0]!.query('SELECT pg_advisory_unlock_all(), pg_advisory_lock(1)');
  await expect(lock.confirm()).rejects.toMatchObject({ code: 'ERR_DATABASE_UNREACHABLE' });
  expect(lock.signal.aborted).toBe(true);
  await lock.release();
});
