/** Rows that DuckDB reads are those of a CSV file with the same values, and DuckDB does nothing else. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { CodedError, type Words } from '@eigenveil/platform';
import type { StatisticsTask } from '@eigenveil/task';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readStoredRows } from '../../src/duckdb/index.ts';
import type { StoredRowOptions, StoredRows } from '../../src/duckdb/rows.ts';
import { type Row, readFileBytes, statisticsOfCsv, statisticsOfRows } from '../../src/index.ts';
import { type DATASETS, loadDataset, METHODS, syntheticTask, taskFor } from '../datasets.ts';

let folder: string;
let instance: DuckDBInstance;
let connection: DuckDBConnection;
const path = (name: string) => join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-rows-'));
  instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  connection = await instance.connect();
});
afterAll(async () => {
  connection.closeSync();
  instance.closeSync();
  await rm(folder, { recursive: true, force: true });
});

/** Writes what a SELECT gives as a Parquet file. */
async function parquet(name: string, select: string, options = ''): Promise<string> {
  await connection.run(`COPY (${select}) TO '${path(name)}' (FORMAT parquet${options})`);
  return path(name);
}

/** Whatever is clipped: rows are made up. */
const consent = (task: StatisticsTask) => ({ allowClipping: task.features.map(({ name }) => name) });

const sums = (stored: StoredRows, task: StatisticsTask, options: StoredRowOptions = {}) =>
  statisticsOfRows(task, { ...consent(task), ...options }, (all) => readStoredRows(stored, task, all));

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

const query = (sql: string, database?: string) => ({ query: sql, title: 'rows.sql', database });
const task = syntheticTask(2, METHODS.pca, {
  features: [
    { name: 'a', min: -10, max: 10 },
    { name: 'b', min: 0, max: 1 },
  ],
});
const labelled: StatisticsTask = { ...task, ...syntheticTask(2, METHODS.lda), features: task.features };

/** What refuses the rows of a query. */
async function refusal(
  stored: StoredRows,
  options: StoredRowOptions = {},
  of: StatisticsTask = task,
): Promise<CodedError> {
  const error: unknown = await sums(stored, of, options).then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(CodedError);
  return error as CodedError;
}

describe('rows of Parquet', () => {
  const haveThose = async (name: (typeof DATASETS)[number]) => {
    const dataset = loadDataset(name);
    const exact = taskFor(dataset, METHODS.dca);
    const narrow = exact.features.map((it) => ({ ...it, max: it.min + (it.max - it.min) * 0.7 }));
    const clipping = { ...exact, features: narrow };
    // Small row groups; and whole numbers as integers, as DuckDB guesses types.
    const file = await parquet(`${name}.parquet`, `FROM '${dataset.path}'`, ', ROW_GROUP_SIZE 100');
    expect(await sums({ parquet: [file] }, clipping)).toEqual(
      await statisticsOfCsv(readFileBytes(dataset.path), clipping, consent(clipping)),
    );
  };
  const TO_THE_BIT = 'have the statistics of the CSV file, to the bit, for %s';
  it.each(['pima', 'iris'] as const)(TO_THE_BIT, haveThose);
  it.each(['breast_cancer', 'ionosphere'] as const)(TO_THE_BIT, { tags: ['long'] }, haveThose);

  it('mean the double that they are, wherever rounding is decided', async () => {
    const cell = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(-0, 5e-324, -5e-324, 1 - 2 ** -53, 2 ** 53 + 2, 0.5, 10, -10, 1),
      fc.integer({ min: -(2 ** 14), max: 2 ** 14 }).map((k) => ((k + 0.5) / 2 ** 14) * 10),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1 }), async (rows) => {
        const text = (x: number) => (Object.is(x, -0) ? '-0' : `${x}`);
        const values = rows.map((row) => `(${row.map((x) => `CAST('${text(x)}' AS DOUBLE)`).join(', ')})`);
        const file = await parquet('doubles.parquet', `SELECT * FROM (VALUES ${values.join(', ')}) t(a, b)`);
        const csv = ['a,b', ...rows.map((row) => row.map(text).join(','))].join('\n');
        expect(await sums({ parquet: [file] }, task)).toEqual(
          await statisticsOfCsv(bytesOf(csv), task, consent(task)),
        );
      }),
      { numRuns: 12 },
    );
  });

  it('that are the sum of those above them are told, or named in the error', async () => {
    const { classes } = labelled.labellings[0]!;
    const rows = `(1, 0.5, '${classes[0]}'), (2, 0.25, '${classes[1]}'), (3, 0.125, '${classes[0]}')`;
    const of = (last: string) => `SELECT * FROM (VALUES ${rows}, ${last}) t(a, b, label)`;
    const remarks: string[] = [];
    const onRemark = (remark: Words | string) => remarks.push(String(remark));
    await sums({ parquet: [await parquet('sum.parquet', of(`(6, 0.875, '${classes[1]}')`))] }, labelled, {
      onRemark,
    });
    expect(remarks).toContainEqual(expect.stringMatching(/^the last row is the sum of those above it/));
    const nameless = await parquet('nameless.parquet', of('(6, 0.875, NULL)'));
    expect((await refusal({ parquet: [nameless] }, {}, labelled)).message).toMatch(
      /row 4, .*NULL or NaN.*; the row is the sum of those above it/,
    );
  });

  it('may be in several files of other types', async () => {
    const files = await Promise.all([
      parquet('one.parquet', 'SELECT i AS a, 0.5 AS b FROM range(5) t(i)'),
      parquet('two.parquet', 'SELECT i AS a, 0.25 AS b FROM range(3) t(i)'),
    ]);
    const seen: [number, number | undefined][] = [];
    // The types of the first, integers and decimals of two digits, do not hold the values of this one.
    files.push(await parquet('three.parquet', 'SELECT 0.123::DOUBLE AS a, 0.125::DOUBLE AS b'));
    const { rows, statistics } = await sums({ parquet: files }, task, {
      onProgress: (count, total) => seen.push([count, total]),
    });
    expect(rows).toBe(9);
    expect(seen.at(-1)).toEqual([9, 9]);
    const csv = [
      'a,b',
      '0,0.5',
      '1,0.5',
      '2,0.5',
      '3,0.5',
      '4,0.5',
      '0,0.25',
      '1,0.25',
      '2,0.25',
      '0.123,0.125',
    ];
    expect(statistics).toEqual(
      (await statisticsOfCsv(bytesOf(csv.join('\n')), task, consent(task))).statistics,
    );
  });

  it('have no columns in the names of folders, and their own whatever folders are called', async () => {
    await mkdir(path('b=1'));
    const lacking = await parquet('b=1/x.parquet', 'SELECT 1 AS a');
    expect(await refusal({ parquet: [lacking] })).toMatchObject({ code: 'ERR_CSV_COLUMNS' });
    const own = await parquet('b=1/y.parquet', 'SELECT 1 AS a, 0.25 AS b');
    expect((await sums({ parquet: [own] }, task)).statistics).toEqual(
      (await sums(query('SELECT 0.25 AS b, 1 AS a'), task)).statistics,
    );
  });

  it('refuses columns that are unknown, as CSV does', async () => {
    const file = await parquet('more.parquet', 'SELECT 1 AS a, 1 AS b, 7 AS c');
    const unknown = await refusal({ parquet: [file] });
    expect(unknown).toMatchObject({
      code: 'ERR_CSV_COLUMNS',
      message: expect.stringContaining('"c" (number 3)'),
    });
    expect((await sums({ parquet: [file] }, task, { ignoredColumns: ['c'] })).rows).toBe(1);
    expect(await refusal({ parquet: [file] }, { ignoredColumns: ['c', 'd'] })).toMatchObject({
      code: 'ERR_CSV_COLUMNS',
      message: `${JSON.stringify(file)}, columns missing: "d"`,
    });
  });

  it('are those of the file that is named, also where its name is a pattern that others have', async () => {
    await mkdir(path('[12]'));
    await mkdir(path('1'));
    const names = ['x[12].parquet', 'x1.parquet', 'y*.parquet', 'yes.parquet', 'z?.parquet', 'z[.parquet'];
    names.push('[12]/x.parquet', '1/x.parquet');
    const files: string[] = [];
    for (const [n, name] of names.entries())
      files.push(await parquet(name, `SELECT ${n - 10} AS a, 1 AS b FROM range(${n + 1})`));
    for (const [n, file] of files.entries()) {
      const read: number[] = [];
      for await (const batch of readStoredRows({ parquet: [file] }, task))
        read.push(...batch.map(({ values }) => values[0]!));
      expect(read).toEqual(new Array(n + 1).fill(n - 10));
    }
  });

  it('are refused by the name of the one file that is at fault', async () => {
    const good = await parquet('good.parquet', 'SELECT 1.0 AS a, 1.0 AS b');
    const damaged = path('damaged.parquet');
    await writeFile(damaged, 'PAR1 damaged PAR1');
    for (const [code, bad] of [
      ['ERR_COLUMN_TYPE', await parquet('date.parquet', "SELECT DATE '2020-02-02' AS a, 1 AS b")],
      ['ERR_CSV_COLUMNS', await parquet('narrow.parquet', 'SELECT 1 AS a')],
      ['ERR_FILE_UNREADABLE', damaged],
    ]) {
      const refused = await refusal({ parquet: [good, bad!] });
      expect(refused).toMatchObject({ code, message: expect.stringContaining(JSON.stringify(bad)) });
      expect(refused.message).not.toContain('good.parquet');
    }
  });

  it('tells file, row group, row and column of a cell, and never the cell', async () => {
    const good = await parquet('good.parquet', 'SELECT 1.0 AS a, 1.0 AS b FROM range(10)');
    const select = `SELECT 0.5 AS a, CASE WHEN i = 2500 THEN CAST('Infinity' AS DOUBLE) ELSE 1 END AS b FROM range(3000) t(i)`;
    const bad = await parquet('bad "it".parquet', select, ', ROW_GROUP_SIZE 2048');
    expect(await refusal({ parquet: [good, bad] })).toMatchObject({
      code: 'ERR_CSV_CELL',
      message: `${JSON.stringify(bad)}, row group 2, row 2501, column "b" (number 2): expected a finite number, got an infinite one`,
    });
    const notParquet = path('no.parquet');
    await writeFile(notParquet, 'SECRET');
    for (const file of [notParquet, path('missing.parquet')]) {
      const { code, message } = await refusal({ parquet: [file] });
      expect({ code, message }).toMatchObject({ message: expect.stringMatching(/cannot be read by DuckDB/) });
      expect(message).not.toContain('SECRET');
    }
  });
});

describe('rows of a query', () => {
  const one = async (select: string, of: StatisticsTask = task, options: StoredRowOptions = {}) => {
    const rows: Row[] = [];
    for await (const batch of readStoredRows(query(select), of, options))
      rows.push(...batch.map(({ values, classes }) => ({ values: Array.from(values), classes })));
    return rows;
  };

  it.each([
    ['integers beyond 2^53', '9007199254740993::BIGINT', 2 ** 53],
    ['integers without sign', '18446744073709551615::UBIGINT', 2 ** 64],
    ['integers of 128 bits', '-170141183460469231731687303715884105727::HUGEINT', -(2 ** 127)],
    ['small integers', '(-128)::TINYINT', -128],
    [
      'decimals of many digits',
      "CAST('1.00000000000000033306690738754697' AS DECIMAL(38, 32))",
      1.0000000000000004,
    ],
    [
      'decimals that DuckDB itself rounds twice',
      "CAST('34.510620168936075225915' AS DECIMAL(38, 21))",
      34.51062016893608,
    ],
    ['decimals that are negative', '-0.05::DECIMAL(4, 2)', -0.05],
    ['single precision', '0.1::FLOAT', Math.fround(0.1)],
    ['true', 'true', 1],
    ['false', 'false', 0],
  ])('takes %s as the nearest double', async (_title, expression, expected) => {
    expect(await one(`SELECT ${expression} AS a, 0 AS b`)).toEqual([{ values: [expected, 0], classes: [] }]);
  });

  it.each([
    ['DATE', "DATE '2020-02-02'"],
    ['TIMESTAMP', "TIMESTAMP '2020-02-02 00:00:00'"],
    ['VARCHAR', "'8273645'"],
    ['ENUM', "'8273645'::ENUM('8273645')"],
    ['STRUCT', "{'x': 8273645}"],
    ['BLOB', "'8273645'::BLOB"],
    ['LIST', '[0.5]'],
    ['LIST', '[1]'],
  ])('refuses a %s for a number, by name and type', async (type, expression) => {
    const { code, message } = await refusal(query(`SELECT ${expression} AS a, 0 AS b`));
    expect({ code, message }).toEqual({
      code: 'ERR_COLUMN_TYPE',
      message: `"rows.sql", column "a" is a ${type}, which is not a number: make one of it with --query`,
    });
  });

  it.each([
    ['text', "'2'", {}],
    ['integers', '2', {}],
    ['large integers', '2::HUGEINT', {}],
    ['an enum', "'2'::ENUM('2')", {}],
    ['numbers that are said to be labels', '2.0::DOUBLE', { numericLabels: true }],
    ['text with blanks', "' 2 '", { trim: true }],
  ])('takes %s for labels', async (_title, expression, options) => {
    const rows = await one(`SELECT 0 AS a, 0 AS b, ${expression} AS label`, labelled, options);
    expect(rows).toEqual([{ values: [0, 0], classes: [2] }]);
  });

  it.each([
    ['floating-point labels', '2.0::DOUBLE', 'ERR_COLUMN_TYPE', /--numeric-labels/],
    ['a date', "DATE '2020-02-02'", 'ERR_COLUMN_TYPE', /is a DATE/],
    ['a list of texts', "['0']", 'ERR_COLUMN_TYPE', /is a LIST/],
    ['a list of decimals', '[0.5]', 'ERR_COLUMN_TYPE', /is a LIST/],
    ['a list of an ENUM', "['0'::ENUM ('0')]", 'ERR_COLUMN_TYPE', /is a LIST/],
    ['an unknown class', "'8273645'", 'ERR_UNKNOWN_CLASS', /row 1, column "label" .* got another label/],
    ['no label', 'NULL::VARCHAR', 'ERR_UNKNOWN_CLASS', /got NULL or NaN: --missing skip/],
  ])('refuses %s', async (_title, expression, code, text) => {
    const refused = await refusal(query(`SELECT 0 AS a, 0 AS b, ${expression} AS label`), {}, labelled);
    expect(refused).toMatchObject({ code, message: expect.stringMatching(text) });
    expect(refused.message).not.toContain('8273645');
  });

  it('leaves rows out that lack a cell, if that is asked for, and counts them', async () => {
    const values = `(1, 1, '0'), (NULL, 1, '0'), (1, CAST('NaN' AS DOUBLE), '0'), (2, 1, NULL)`;
    const sql = `SELECT * FROM (VALUES ${values}) t(a, b, label)`;
    expect(await refusal(query(sql), {}, labelled)).toMatchObject({
      code: 'ERR_CSV_CELL',
      message:
        '"rows.sql", row 2, column "a" (number 1): expected a finite number, got NULL or NaN: --missing skip leaves such rows out',
    });
    expect(await sums(query(sql), labelled, { missing: 'skip' })).toMatchObject({ rows: 1, skippedRows: 3 });
    const infinite = `${sql} UNION ALL SELECT CAST('-inf' AS DOUBLE), NULL, '0'`;
    expect(await refusal(query(infinite), { missing: 'skip' }, labelled)).toMatchObject({
      code: 'ERR_CSV_CELL',
    });
    const outside = await refusal(query('SELECT 11 AS a, 0 AS b'), { strict: true });
    expect(outside).toMatchObject({
      code: 'ERR_OUT_OF_RANGE',
      message: expect.stringContaining('column "a"'),
    });
  });

  it('carries over columns that are kept', async () => {
    const rows: unknown[] = [];
    const select = `SELECT 'x, "y"' AS id, 1 AS a, DATE '2020-02-02' AS born, 0 AS b, NULL AS nothing`;
    const options = { ignoredColumns: 'others', keptColumns: ['born', 'id', 'nothing'] } as const;
    for await (const batch of readStoredRows(query(select), task, options))
      rows.push(...batch.map(({ kept }) => kept));
    expect(rows).toEqual([['2020-02-02', 'x, "y"', '']]);
  });

  it.each([
    ['several statements', 'SELECT 1 AS a, 1 AS b; SELECT 1 AS a, 1 AS b'],
    ['one that changes something behind one that does not', 'SELECT 1 AS a, 1 AS b; DROP TABLE t'],
    ['a table', 'CREATE TABLE t AS SELECT 1 AS a, 1 AS b'],
    ['a copy', "COPY (SELECT 1 AS a, 1 AS b) TO '/tmp/eigenveil-never.csv'"],
    ['an attached database', "ATTACH '/tmp/eigenveil-never.duckdb'"],
    ['a setting', 'SET threads = 1'],
    ['an extension', 'INSTALL httpfs'],
    ['an explanation', 'EXPLAIN SELECT 1 AS a, 1 AS b'],
    ['a parameter', 'SELECT $1::INTEGER AS a, 1 AS b'],
    ['what is no SQL', 'SECRET'],
    ['nothing', '-- nothing'],
  ])('refuses %s', async (_title, sql) => {
    const { code, message } = await refusal(query(sql));
    expect(code).toBe('ERR_QUERY');
    expect(message).not.toContain('SECRET');
  });

  it('loads no extension, and passes on nothing of what DuckDB says', async () => {
    const remote = await refusal(query("SELECT * FROM 'https://127.0.0.1:1/SECRET.parquet'"));
    expect(remote.message).toMatch(/Missing Extension Error/);
    const cast = await refusal(
      query("SELECT CAST(x AS INTEGER) AS a, 0 AS b FROM (SELECT 'SECRET' || range AS x FROM range(9))"),
    );
    expect(cast).toMatchObject({
      code: 'ERR_FILE_UNREADABLE',
      message: expect.stringContaining('Conversion Error'),
    });
    const failing = await refusal(query("SELECT error('SECRET') AS a, 0 AS b"));
    for (const { message, cause } of [remote, cast, failing]) {
      expect(message).not.toContain('SECRET');
      expect(cause).toBeUndefined();
    }
  });

  it('reads a database, and writes none', async () => {
    const file = path('rows.duckdb');
    await connection.run(
      `ATTACH '${file}' AS made; CREATE TABLE made.visits AS SELECT i AS a, 0.5 AS b FROM range(7) t(i); DETACH made`,
    );
    expect((await sums(query('FROM visits WHERE a > 1', file), task)).rows).toBe(5);
    expect((await sums(query('FROM visits; -- with a remark', file), task)).rows).toBe(7);
    expect(await refusal(query('FROM visits', path('no.duckdb')))).toMatchObject({
      code: 'ERR_FILE_UNREADABLE',
    });
  });

  it('ends at the limit of memory, and spills no row to the disk', async () => {
    const sql = 'SELECT hash(i) % 10 AS a, 0.5 AS b FROM range(30000000) t(i) ORDER BY hash(i)';
    const { message } = await refusal(query(sql), { memoryMegabytes: 64 });
    expect(message).toMatch(/Out of Memory Error.*--memory/);
  });
});
