/** The PostgreSQL that other tests use: it keeps what it has committed over a crash, and leaves nothing behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Postgres } from '@eigenveil/testbed/databases/postgres';
import { isAlive } from '@eigenveil/testbed/processes/alive';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';

let postgres: Postgres;
beforeAll(async () => {
  postgres = await Postgres.launch();
});
afterAll(() => postgres.close());

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

test('every database is its own, with checksums, and durable by its settings', async () => {
  const [a, b] = [await postgres.database(), await postgres.database()];
  await query(a, 'CREATE TABLE t (x int)');
  await expect(query(b, 'SELECT * FROM t')).rejects.toMatchObject({ code: '42P01' });
  expect(await query(a, 'SHOW data_checksums')).toEqual([{ data_checksums: 'on' }]);
  expect(await query(a, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
  expect(await query(a, 'SHOW synchronous_commit')).toEqual([{ synchronous_commit: 'on' }]);
});

test('what was committed is there after a crash, and what was not is not', async () => {
  const url = await postgres.database();
  await query(url, 'CREATE TABLE t (x int)');
  await query(url, 'INSERT INTO t VALUES (1)');
  const open = new pg.Client({ connectionString: url });
  open.on('error', () => undefined);
  const cut = new Promise<void>((resolve) => open.once('end', resolve));
  await open.connect();
  await open.query('BEGIN; INSERT INTO t VALUES (2)');
  const before = postgres.pid;
  await postgres.crash();
  await cut;
  expect(isAlive(before)).toBe(false);
  expect(() => postgres.pid).toThrow(TypeError);
  await expect(query(url, 'SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await postgres.start();
  expect(postgres.pid).not.toBe(before);
  expect(await query(url, 'SELECT x FROM t')).toEqual([{ x: 1 }]);
});

test('it ends with the process that has started it, even when that is killed', async () => {
  const module = new URL('../shared/testbed/src/databases/postgres.ts', import.meta.url).href;
  const script = `
    const { Postgres } = await import('${module}');
    const postgres = await Postgres.launch();
    console.log(postgres.pid);
  `;
  const child: ChildProcess = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  const pid = Number(line);
  const folder = readFileSync(`/proc/${pid}/cwd/postmaster.pid`, 'utf8').split('\n')[1]!;
  expect(isAlive(pid)).toBe(true);
  child.kill('SIGKILL');
  await expect.poll(() => isAlive(pid) || existsSync(folder)).toBe(false);
});
