/**
 * DuckDB runs in a process of its own, which is given no secret and whose end is told.
 *
 * @claims S-675
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { readStoredRows } from '../../src/duckdb/index.ts';
import { METHODS, syntheticTask } from '../datasets.ts';

const task = syntheticTask(2, METHODS.pca, {
  features: [
    { name: 'a', min: -10, max: 10 },
    { name: 'b', min: 0, max: 1 },
  ],
});
const query = (sql: string) => readStoredRows({ query: sql, title: 'rows.sql' }, task);

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-duckdb-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** The processes that run DuckDB for the one with this id. */
function readersOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const [, fields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return fields!.split(' ')[1] === `${parent}` && command.includes('duckdb/process.ts');
      } catch {
        return false; // it has ended meanwhile
      }
    })
    .map(Number);
}

async function count(batches: AsyncIterable<readonly unknown[]>): Promise<number> {
  let rows = 0;
  for await (const batch of batches) rows += batch.length;
  return rows;
}

test.skipIf(process.platform !== 'linux')(
  'whoever reads Parquet has no DuckDB in its memory, and the process that has it gets no token',
  async () => {
    const url = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
    const source = `
      import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
      import { readStoredRows, writeParquet } from ${url('../../src/duckdb/index.ts')};
      writeFileSync('rows.csv', 'a,b\\n1,0.5\\n');
      const columns = ['a', 'b'].map((name) => ({ name, type: 'DOUBLE' }));
      await writeParquet('rows.csv', 'rows.parquet', columns);
      const told = { rows: 0, readers: [] };
      const task = ${JSON.stringify({ features: task.features, labellings: [] })};
      const has = (pid) => readFileSync('/proc/' + pid + '/maps', 'utf8').includes('duckdb.node');
      for await (const batch of readStoredRows({ parquet: ['rows.parquet'] }, task)) {
        told.rows += batch.length;
        const children = readdirSync('/proc').filter((pid) => {
          try {
            return readFileSync('/proc/' + pid + '/stat', 'utf8').split(') ')[1].split(' ')[1] === String(process.pid);
          } catch {
            return false;
          }
        });
        told.readers = children.map((pid) => ({
          hasDuckDb: has(pid),
          environment: readFileSync('/proc/' + pid + '/environ', 'utf8').split('\\0'),
        }));
      }
      console.log(JSON.stringify({ ...told, hasDuckDb: has('self') }));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', source], {
      cwd: await temporaryFolder(),
      env: { ...process.env, EIGENVEIL_OWNER_TOKEN: 'a secret' },
    });
    const { readers, ...told } = JSON.parse(stdout) as {
      readers: { hasDuckDb: boolean; environment: string[] }[];
    };
    expect(told).toEqual({ rows: 1, hasDuckDb: false });
    expect(readers).toEqual([
      { hasDuckDb: true, environment: expect.arrayContaining([`PATH=${process.env.PATH}`]) },
    ]);
    expect(readers[0]!.environment.join()).not.toContain('a secret');
  },
);

test.skipIf(process.platform !== 'linux')(
  'a process that ends while it reads is told, and the next one reads on',
  async () => {
    const reading = query('SELECT 1 AS a, 0.5 AS b FROM range(10000000)');
    await reading.next();
    for (const pid of readersOf(process.pid)) process.kill(pid, 'SIGKILL');
    await expect(count(reading)).rejects.toMatchObject({
      code: 'ERR_FILE_UNREADABLE',
      message: expect.stringMatching(/^"rows.sql" cannot be read by DuckDB \(its process has ended/),
    });
    expect(await count(query('SELECT 1 AS a, 0.5 AS b FROM range(3000)'))).toBe(3000);
  },
);

test('several may read at a time, and one that stops early leaves the others their rows', async () => {
  const first = query('SELECT 1 AS a, 0.5 AS b FROM range(100000)');
  await first.next();
  const [rows] = await Promise.all([
    count(query('SELECT 2 AS a, 0.5 AS b FROM range(5000)')),
    first.return(undefined),
  ]);
  expect(rows).toBe(5000);
  expect(await count(query('SELECT 3 AS a, 0.5 AS b FROM range(7000)'))).toBe(7000);
});

test('a statement that is no SELECT has no effect: it is not even planned', async () => {
  const folder = join(await temporaryFolder(), 'exported');
  await expect(count(query(`EXPORT DATABASE '${folder}'`))).rejects.toMatchObject({ code: 'ERR_QUERY' });
  await expect(access(folder)).rejects.toMatchObject({ code: 'ENOENT' });
});
