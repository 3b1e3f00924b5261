/** Transactions that are written for both databases: what each driver makes of a statement. PostgreSQL itself runs them in the contract of the data user's stores. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { among, forPostgres, LOCKED, rows } from '../../src/database/sql.ts';
import { erasing, openDatabase, rowsOf, SqliteDriver, sql, type Work } from '../../src/index.ts';

let folder: string;
let database: ReturnType<typeof openDatabase>;
let driver: SqliteDriver;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'eigenveil-sql-'));
  const schema = 'CREATE TABLE kept (id INTEGER PRIMARY KEY, bytes BLOB) STRICT';
  database = openDatabase(join(folder, 'database'), [schema], 'csp');
  driver = new SqliteDriver(database);
});
afterEach(async () => {
  await driver.close();
  rmSync(folder, { recursive: true });
});

const insert = (...ids: number[]) =>
  sql`INSERT INTO kept VALUES ${rows(ids.map((id) => [id, null]))} RETURNING id`;
const idsAmong = (...ids: number[]) =>
  rowsOf<{ id: number }>(sql`SELECT id FROM kept WHERE id ${among(ids)}`);

test('SQLite gets rows one by one, and tells of all of them', async () => {
  const inserted = await driver.transaction('insert', () => rowsOf(insert(3, 1, 2)));
  expect(inserted.map((row) => ({ ...row }))).toEqual([{ id: 3 }, { id: 1 }, { id: 2 }]);
  expect((await driver.run(idsAmong(1, 2, 7))).map(({ id }) => id)).toEqual([1, 2]);
});

test('PostgreSQL gets many rows and many values in one statement, and its locks', () => {
  expect(forPostgres(insert(3, 1))).toEqual({
    text: 'INSERT INTO kept VALUES ($1, $2), ($3, $4) RETURNING id',
    values: [3, null, 1, null],
  });
  const found = sql`SELECT id FROM kept WHERE id ${among([5, 6])} AND bytes = ${'a'} ${LOCKED}`;
  expect(forPostgres(found)).toEqual({
    text: 'SELECT id FROM kept WHERE id = ANY ($1) AND bytes = $2 FOR NO KEY UPDATE',
    values: [[5, 6], 'a'],
  });
  expect(forPostgres(insert())).toBeUndefined();
});

test('of a transaction that throws nothing stays', async () => {
  function* failing(): Work<void> {
    yield insert(1);
    throw new RangeError('no');
  }
  await expect(driver.transaction('fail', failing)).rejects.toThrow(RangeError);
  expect(await driver.run(idsAmong(1))).toEqual([]);
});

test('what is erased leaves the log of SQLite, what is only deleted need not', async () => {
  const secret = Buffer.from('what nobody may read any more');
  const isInLog = () => readFileSync(join(folder, 'database-wal')).includes(secret);
  await driver.run(rowsOf(sql`INSERT INTO kept VALUES ${rows([[1, secret]])}`));
  await driver.run(rowsOf(erasing`DELETE FROM kept WHERE id = 2`));
  expect(isInLog()).toBe(true);
  await driver.transaction('erase', () => rowsOf(erasing`DELETE FROM kept WHERE id = 1`));
  expect(isInLog()).toBe(false);
});

test('a statement that is kept lets go of many bytes, and runs no second time for it', async () => {
  const prepare = vi.spyOn(database, 'prepare');
  const bytes = Buffer.alloc(2 ** 17, 'x');
  await driver.run(rowsOf(sql`INSERT INTO kept VALUES (${1}, ${bytes})`));
  const [statement] = prepare.mock.results.map(({ value }) => value);
  expect(statement.expandedSQL).toBe('INSERT INTO kept VALUES (NULL, NULL)');
  expect(await driver.run(idsAmong(1, 2))).toHaveLength(1);
});
