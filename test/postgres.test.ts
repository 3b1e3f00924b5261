/** The PostgreSQL that the tests of a run share: it is launched for the first who asks, once, and ends with the run. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { isAlive } from '@eigenveil/testbed/processes/alive';
import { tethered } from '@eigenveil/testbed/processes/tether';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** What happens in the process that runs the tests. */
const SCRIPT = `
  const { default: setUp } = await import('@eigenveil/testbed/databases/postgres-of-run');
  await setUp({ isRootProject: () => true, provide: (_, address) => console.log(address) });
  process.stdin.resume();
`;
let run: ChildProcess;
let address: string;
beforeAll(async () => {
  const [command, ...words] = tethered(process.execPath, '--input-type=module', '--eval', SCRIPT);
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  run = spawn(command, words, { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  [address] = (await once(createInterface({ input: run.stdout! }), 'line')) as [string];
});
afterAll(() => run.kill('SIGKILL'));

const database = async () => (await fetch(address)).text();
const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

test('it is launched once, for databases of which every one is its own and durable by its settings', async () => {
  expect(childrenOf(run.pid!)).toEqual([]);
  const [a, b] = (await Promise.all([database(), database()])) as [string, string];
  expect(childrenOf(run.pid!)).toHaveLength(1); // its keeper
  await query(a, 'CREATE TABLE t (x int)');
  await expect(query(b, 'SELECT * FROM t')).rejects.toMatchObject({ code: '42P01' });
  for (const setting of ['data_checksums', 'fsync', 'synchronous_commit'])
    expect(await query(a, `SHOW ${setting}`)).toEqual([{ [setting]: 'on' }]);
});

test('whoever does not know the whole address gets no database', async () => {
  expect((await fetch(address.slice(0, -1))).status).toBe(500);
});

test('it ends with the run, even when that is killed', async () => {
  const [keeper] = childrenOf(run.pid!) as [number];
  const [server] = childrenOf(keeper) as [number];
  const folder = readFileSync(`/proc/${server}/cwd/postmaster.pid`, 'utf8').split('\n')[1]!;
  run.kill('SIGKILL');
  await expect.poll(() => isAlive(server) || existsSync(folder)).toBe(false);
});
