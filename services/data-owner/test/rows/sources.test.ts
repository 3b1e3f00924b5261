/** Where an owner's rows are: one file, all files of a pattern, a query. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RowSettings, rowsOf } from '../../src/rows/sources.ts';

const task = { features: ['a', 'b'].map((name) => ({ name, min: -1, max: 1 })), labellings: [] };
let folder: string;
const path = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-rows-'));
  for (const [part, text] of [
    ['1', 'a,b\n0.1,1\n0.2,1\n'],
    ['2', 'b,a\n1,0.3\n'],
  ] as const) {
    await mkdir(path(`part=${part}`));
    await writeFile(path(`part=${part}/rows.csv`), text);
    await writeFile(path(`part=${part}/rows.csv.gz`), gzipSync(text));
  }
  await writeFile(path('[1].csv'), 'a,b\n0.7,1\n');
  await writeFile(path('bad.csv'), 'a,b\n0.1,1\nSECRET,1\n');
  await writeFile(path('rows.sql'), 'SELECT a, b FROM visits');
  const instance = await DuckDBInstance.create(path('rows.duckdb'), { threads: '1' });
  const connection = await instance.connect();
  await connection.run('CREATE TABLE visits AS SELECT 0.5 AS a, 0.25 AS b');
  for (const part of [1, 2])
    await connection.run(`COPY (SELECT ${part} / 10 AS a, 1 AS b) TO '${path(`part=${part}/rows.parquet`)}'`);
  connection.closeSync();
  instance.closeSync();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The first feature of all rows. */
async function read(settings: RowSettings): Promise<number[]> {
  const rows = rowsOf(settings);
  const a: number[] = [];
  for await (const batch of rows.read(task, { ignoredColumns: 'others' }))
    a.push(...batch.map(({ values }) => values[0]!));
  return a;
}

describe('rows', () => {
  test.each([
    ['part=*/rows.csv', [0.1, 0.2, 0.3]],
    ['part=*/rows.csv.gz', [0.1, 0.2, 0.3]],
    ['**/rows.parquet', [0.1, 0.2]],
    ['part=2/rows.parquet', [0.2]],
    ['part={2,1}/rows.csv', [0.1, 0.2, 0.3]],
    ['[1].csv', [0.7]], // a file of that very name
  ])('of %s are those of its files, sorted by name', async (name, expected) => {
    expect(await read({ data: path(name) })).toEqual(expected);
  });

  test('of a query are those that it gives', async () => {
    const query = { query: path('rows.sql'), database: path('rows.duckdb') };
    expect(await read(query)).toEqual([0.5]);
  });

  test('of several files are refused with the name of the file', async () => {
    await expect(read({ data: path('{bad,part=1/rows}.csv') })).rejects.toMatchObject({
      code: 'ERR_CSV_CELL',
      message: `${JSON.stringify(path('bad.csv'))}, row 2 (line 3), column "a" (number 1): expected a finite decimal number, got something else`,
    });
    await expect(read({ data: path('nothing-*.csv') })).rejects.toMatchObject({
      code: 'ERR_FILE_UNREADABLE',
    });
    await expect(read({ data: path('nothing.parquet') })).rejects.toMatchObject({
      code: 'ERR_FILE_UNREADABLE',
      message: `${JSON.stringify(path('nothing.parquet'))} cannot be read: no such file or directory`,
    });
  });

  test.each([
    ['nowhere', {}],
    ['in two places', { data: 'x.csv', query: 'x.sql' }],
    ['in a database without a query', { data: 'x.csv', database: 'x.duckdb' }],
  ] as const)('that are %s are refused', (_title, settings) => {
    expect(() => rowsOf(settings)).toThrow(expect.objectContaining({ code: 'ERR_CONFIGURATION' }));
  });

  test('that are no text have no options of text', async () => {
    const query = { query: path('rows.sql'), database: path('rows.duckdb') };
    for (const settings of [
      { data: path('part=1/rows.parquet'), separator: 'tab' },
      { ...query, decimal: 'comma' },
      { ...query, skipRows: 1 },
    ] as const)
      await expect(read(settings)).rejects.toMatchObject({ code: 'ERR_ROW_OPTIONS' });
  });
});
