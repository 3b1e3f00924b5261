/** The files that one text names: what is found, what is passed over, what folders' names say, and the same rows twice. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordsOfFiles, rowsOfFiles } from '../src/files/index.ts';
import type { ReadingOptions } from '../src/index.ts';
import { collect } from './reading.ts';

const task = { features: ['a', 'b'].map((name) => ({ name, min: -1, max: 1 })), labellings: [] };
let folder: string;
const path = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-files-'));
  const files: Readonly<Record<string, string | Uint8Array>> = {
    'parts/1.csv': 'a,b\n1,1\n',
    'parts/deep/2': gzipSync('b,a\n1,2\n'),
    'parts/_SUCCESS': '',
    'parts/.3.csv.crc': 'crc',
    'parts/_old/4.csv': 'a,b\n4,1\n',
    'twice/rows.csv': 'a,b,id\n1,1,7\n2,1,8\n',
    'twice/rows (1).csv': 'b,a,id\n1,1,9\n1,2,9\n',
    'twice/empty.csv': 'a,b,id\n',
    'twice/none.csv': 'a,b,id\n',
    'b=0.5/rows.csv': 'a\n1\n',
    'b=0.25/rows.csv': 'a\n2\n',
    'b=9/own.csv': 'a,b\n3,1\n',
    'mixed/1.csv': 'a,b\n1,1\n',
    'book.csv': 'PK\x03\x04 and so on and on',
  };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(path(name), '..'), { recursive: true });
    await writeFile(path(name), content);
  }
  await mkdir(path('tables/x.parquet'), { recursive: true });
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  for (const [name, select] of [
    ['tables/x.parquet/part', 'SELECT 6 AS a, 0.5 AS b'],
    ['b=9/own', 'SELECT 3 AS a, 1 AS b'],
    ['b=9/lacking', 'SELECT 8 AS a'],
    ['mixed/2', 'SELECT 1 AS a, 0.5 AS b'],
  ] as const)
    await connection.run(`COPY (${select}) TO '${path(name)}' (FORMAT parquet)`);
  connection.closeSync();
  instance.closeSync();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function rowsOf(name: string, settings: ReadingOptions = {}, ignoredColumns: string[] = []) {
  const rows: number[][] = [];
  for await (const batch of rowsOfFiles(path(name), settings).read(task, { ignoredColumns }))
    rows.push(...batch.map(({ values }) => Array.from(values)));
  return rows;
}

describe('files', () => {
  test.each([
    [
      'parts',
      [
        [1, 1],
        [2, 1],
      ],
    ],
    [
      'parts/**',
      [
        [1, 1],
        [2, 1],
      ],
    ],
    ['parts/*', [[1, 1]]],
    ['parts/_old/4.csv', [[4, 1]]],
    ['parts/_old/*', [[4, 1]]],
    ['tables/*.parquet', [[6, 0.5]]],
    ['tables', [[6, 0.5]]],
  ])('of %s are all that it means, whatever they are called', async (name, expected) => {
    expect(await rowsOf(name)).toEqual(expected);
  });

  test('that are nothing to read are refused by name', async () => {
    await expect(rowsOf('parts/.*.none')).rejects.toMatchObject({ code: 'ERR_FILE_UNREADABLE' });
    await expect(rowsOf('mixed/*')).rejects.toMatchObject({
      code: 'ERR_FILE_UNREADABLE',
      message: expect.stringContaining('expected files of one kind'),
    });
    await expect(rowsOf('book.csv')).rejects.toMatchObject({
      message: `${JSON.stringify(path('book.csv'))} expected CSV or Parquet, got a zip archive or a workbook (xlsx, ods): unpack it, or export it as CSV`,
    });
    await expect(rowsOf('tables', { separator: 'tab' })).rejects.toMatchObject({
      code: 'ERR_ROW_OPTIONS',
      message: expect.stringMatching(/^"--separator" expected with CSV alone/),
    });
  });

  test('with the same rows are refused, unless that is right', async () => {
    const twice = () => rowsOf('twice/*.csv', {}, ['id']);
    await expect(twice()).rejects.toMatchObject({
      code: 'ERR_FILE_REPEATED',
      message: expect.stringMatching(/rows \(1\)\.csv" and ".*rows\.csv" have the same rows/),
    });
    expect(await rowsOf('twice/*.csv', { allowRepeatedFiles: true }, ['id'])).toHaveLength(4);
  });
});

describe('folders', () => {
  test('say something of columns where that is asked for, and nothing else', async () => {
    await expect(rowsOf('b=0.5/rows.csv')).rejects.toMatchObject({ code: 'ERR_CSV_COLUMNS' });
    expect(await rowsOf('b=0.*/rows.csv', { folderColumns: ['b'] })).toEqual([
      [2, 0.25],
      [1, 0.5],
    ]);
    expect(await rowsOf('b=9/lacking', { folderColumns: ['b'] })).toEqual([[8, 9]]);
    for (const name of ['b=9/own.csv', 'b=9/own']) {
      expect(await rowsOf(name)).toEqual([[3, 1]]);
      await expect(rowsOf(name, { folderColumns: ['b'] })).rejects.toMatchObject({
        code: 'ERR_CSV_COLUMNS',
        message: expect.stringContaining("columns both in the file and in its folders' names"),
      });
    }
    await expect(rowsOf('parts', { folderColumns: ['b'] })).rejects.toMatchObject({
      message: expect.stringContaining('expected a folder "b=…"'),
    });
  });
});

test('records of files have one header, and columns in its order', async () => {
  const records: (readonly (string | undefined)[])[] = [];
  for await (const { cells } of recordsOfFiles(path('parts'))) records.push(cells);
  expect(records).toEqual([
    ['a', 'b'],
    ['1', '1'],
    ['2', '1'],
  ]);
  const stored: (readonly (string | undefined)[])[] = [];
  for await (const { cells } of recordsOfFiles(path('b=9/lacking'), { folderColumns: ['b'] }))
    stored.push(cells);
  expect(stored).toEqual([
    ['a', 'b'],
    ['8', '9'],
  ]);
});

test('records of Parquet say which columns are neither numbers nor labels', async () => {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  const values = "SELECT 1 AS a, 'x' AS b, DATE '2024-01-31' AS c, [1] AS d, 2.5::DECIMAL(9,3) AS e";
  await connection.run(`COPY (${values}) TO '${path('types.parquet')}' (FORMAT parquet)`);
  connection.closeSync();
  instance.closeSync();
  const [header, row] = await collect(recordsOfFiles(path('types.parquet')));
  expect(header!.problems).toEqual([
    {},
    { feature: 'is a VARCHAR, which is not a number' },
    { feature: 'is a DATE, which is not a number', label: 'is a DATE, which is not a label' },
    { feature: 'is a LIST, which is not a number', label: 'is a LIST, which is not a label' },
    {},
  ]);
  expect(row!.cells).toEqual(['1', 'x', undefined, undefined, '2.500']);
});
