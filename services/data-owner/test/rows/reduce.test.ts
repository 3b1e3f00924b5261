/** Rows that are reduced from one file into another. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { madeUpProjection, madeUpTask } from '@eigenveil/made-up/tasks';
import { csvLine } from '@eigenveil/statistics';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Projector, reduceFile } from '../../src/index.ts';

const task = madeUpTask('pca', 3, {
  features: ['a', 'b', 'c'].map((name) => ({ name, min: -1, max: 1 })),
  components: 1,
});
const projection = madeUpProjection(task, [1], { vectors: [[0, 1, 0]] });

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-reduce-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const write = async (text: string) => {
  await writeFile(join(folder, 'rows.csv'), text);
  return join(folder, 'rows.csv');
};
const out = () => join(folder, 'reduced.csv');

test('columns that are kept come first, in the order asked for, and are quoted where they must be', async () => {
  const data = await write('id;a;c;b;note\n1;0;0;0,5;"x; y"\n2;0;0;-0,25;"a ""b"", c"\n');
  const options = { separator: 'semicolon', decimal: 'comma', keptColumns: ['note', 'id', 'b'] } as const;
  expect(await reduceFile(new Projector(task, projection), data, out(), options)).toEqual({
    rows: 2,
    skippedRows: 0,
  });
  expect(await readFile(out(), 'utf8')).toBe(
    'note,id,b,component_1\nx; y,1,"0,5",0.5\n"a ""b"", c",2,"-0,25",-0.25\n',
  );
});

test('rows that lack a cell are refused, or left out and counted; a kept cell may be empty', async () => {
  const data = await write('a,b,c,id\n0,0.5,0,\n0,,0,2\n0,1,0,3\n');
  const keptColumns = ['id'];
  await expect(
    reduceFile(new Projector(task, projection), data, out(), { keptColumns }),
  ).rejects.toMatchObject({
    code: 'ERR_CSV_CELL',
  });
  expect(
    await reduceFile(new Projector(task, projection), data, out(), { keptColumns, missing: 'skip' }),
  ).toEqual({
    rows: 2,
    skippedRows: 1,
  });
  expect(await readFile(out(), 'utf8')).toBe('id,component_1\n,0.5\n3,1\n');
});

test.each([[['id', 'id']], [['component_1']]])('columns %j are not kept', async (keptColumns) => {
  const data = await write('a,b,c,id,component_1\n0,0,0,1,1\n');
  await expect(
    reduceFile(new Projector(task, projection), data, out(), { keptColumns }),
  ).rejects.toMatchObject({
    code: 'ERR_CSV_COLUMNS',
    message: 'kept columns expected once each, and none named as a column that comes out',
  });
});

test('rows that cannot be reduced leave the earlier result as it was', async () => {
  await writeFile(out(), 'earlier\n');
  const attempt = reduceFile(
    new Projector(task, projection),
    await write('a,b,c\n0,0.5,0\n0,none,0\n'),
    out(),
  );
  await expect(attempt).rejects.toMatchObject({ code: 'ERR_CSV_CELL' });
  expect(await readFile(out(), 'utf8')).toBe('earlier\n');
});

test('Parquet goes in and comes out, with the same reduced rows', async () => {
  const data = await write('a,b,c,id\n0,0.1,0,"x, ""y"""\n0,-0.3,1,é\n');
  const parquet = join(folder, 'rows.parquet');
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  await connection.run(`COPY (FROM '${data}') TO '${parquet}'`);
  const options = { keptColumns: ['id'] };
  const reduced = join(folder, 'reduced "it\'s".parquet');
  await reduceFile(new Projector(task, projection), data, out(), options);
  expect(await reduceFile(new Projector(task, projection), parquet, reduced, options)).toEqual({
    rows: 2,
    skippedRows: 0,
  });
  const read = await connection.runAndReadAll(
    `SELECT * FROM read_parquet('${reduced.replaceAll("'", "''")}')`,
  );
  expect(read.columnTypes().map(String)).toEqual(['VARCHAR', 'DOUBLE']);
  const lines = [read.columnNames(), ...read.getRows()].map((row) => csvLine(row.map(String)));
  expect(`${lines.join('\n')}\n`).toBe(await readFile(out(), 'utf8'));
  connection.closeSync();
  instance.closeSync();
  expect((await readdir(folder)).filter((name) => name.includes('.tmp'))).toEqual([]);
});
