/** The database: its settings, migrations, transactions, and what is left of deleted content. */
import { execFile } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { openDatabase as openOf } from '../../src/database/sqlite.ts';
import { scrub, transaction } from '../../src/index.ts';
import { temporaryDirectory } from '../temporary.ts';

const MIGRATIONS = [
  'CREATE TABLE owners (id TEXT PRIMARY KEY) STRICT; CREATE TABLE notes (owner TEXT REFERENCES owners, text BLOB) STRICT;',
  "INSERT INTO owners VALUES ('ada');",
];

const openDatabase = (path: string, migrations: readonly string[]) => openOf(path, migrations, 'csp');
const pragma = (db: DatabaseSync, name: string) => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
const names = (db: DatabaseSync) =>
  db
    .prepare('SELECT id FROM owners')
    .all()
    .map((row) => row.id);

async function databaseFile(): Promise<string> {
  return `${await temporaryDirectory()}/service.db`;
}

describe('an open database', () => {
  test('has the settings that durability and erasure need', async () => {
    const path = await databaseFile();
    const db = openDatabase(path, MIGRATIONS);
    expect(pragma(db, 'journal_mode')).toBe('wal');
    expect(pragma(db, 'synchronous')).toBe(2); // FULL
    expect(pragma(db, 'foreign_keys')).toBe(1);
    expect(pragma(db, 'secure_delete')).toBe(1);
    expect(pragma(db, 'busy_timeout')).toBe(5000);
    expect(pragma(db, 'trusted_schema')).toBe(0);
    expect(() => db.exec("INSERT INTO notes VALUES ('nobody', NULL)")).toThrow(/FOREIGN KEY/);
    db.close();
  });

  test('is readable by its owner alone, log and all', async () => {
    const path = await databaseFile();
    await writeFile(path, '', { mode: 0o644 });
    const db = openDatabase(path, MIGRATIONS);
    for (const suffix of ['', '-wal', '-shm']) {
      expect((await stat(path + suffix)).mode & 0o777, suffix).toBe(0o600);
    }
    db.close();
  });

  test('is not opened again after it was closed', async () => {
    const db = openDatabase(await databaseFile(), MIGRATIONS);
    db.close();
    expect(() => db.open()).toThrow(expect.objectContaining({ code: 'ERR_DATABASE' }));
    expect(() => names(db)).toThrow(/not open/);
  });

  test('can be in memory', () => {
    const db = openDatabase(':memory:', MIGRATIONS);
    expect(names(db)).toStrictEqual(['ada']);
    db.close();
  });

  test('keeps what was committed when its process is killed', async () => {
    const path = await databaseFile();
    const source = `
      import { openDatabase, transaction } from ${JSON.stringify(new URL('../../src/database/sqlite.ts', import.meta.url).href)};
      const db = openDatabase(${JSON.stringify(path)}, ${JSON.stringify(MIGRATIONS)}, 'csp');
      transaction(db, () => db.exec("INSERT INTO owners VALUES ('grace')"));
      db.exec('BEGIN IMMEDIATE');
      db.exec("INSERT INTO owners VALUES ('half')");
      process.kill(process.pid, 'SIGKILL');`;
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', source]);
    await expect(run).rejects.toMatchObject({ signal: 'SIGKILL' });
    const db = openDatabase(path, MIGRATIONS);
    expect(names(db)).toStrictEqual(['ada', 'grace']);
    db.close();
  });
});

describe('migrations', () => {
  test('run once each, the new ones on what the old ones left', async () => {
    const path = await databaseFile();
    openDatabase(path, MIGRATIONS.slice(0, 1)).close();
    openDatabase(path, MIGRATIONS).close();
    const db = openDatabase(path, [...MIGRATIONS, "INSERT INTO owners VALUES ('grace');"]);
    expect(pragma(db, 'user_version')).toBe(3);
    expect(names(db)).toStrictEqual(['ada', 'grace']);
    db.close();
  });

  test('that fail are rolled back and leave the ones before', async () => {
    const path = await databaseFile();
    const bad =
      "INSERT INTO owners VALUES ('half'); CREATE TABLE more (id TEXT) STRICT; SELECT * FROM missing;";
    expect(() => openDatabase(path, [...MIGRATIONS, bad])).toThrow(
      expect.objectContaining({
        code: 'ERR_DATABASE',
        message: expect.stringMatching(/no such table: missing/),
      }),
    );
    const db = openDatabase(path, MIGRATIONS);
    expect(pragma(db, 'user_version')).toBe(2);
    expect(names(db)).toStrictEqual(['ada']);
    expect(() => db.exec('SELECT * FROM more')).toThrow(/no such table/);
    db.close();
  });

  test('refuse a schema that is newer than they are', async () => {
    const path = await databaseFile();
    openDatabase(path, MIGRATIONS).close();
    expect(() => openDatabase(path, MIGRATIONS.slice(0, 1))).toThrow(
      expect.objectContaining({
        code: 'ERR_SCHEMA_NEWER',
        message: expect.stringMatching(/has schema version 2, this release knows 1/),
      }),
    );
  });

  test.each([
    ['that is no database', 'x'.repeat(5000)],
    ['in no directory', undefined],
  ])('refuse a file %s', async (_, content) => {
    const path = content === undefined ? '/nonexistent/service.db' : await databaseFile();
    if (content !== undefined) await writeFile(path, content);
    expect(() => openDatabase(path, MIGRATIONS)).toThrow(expect.objectContaining({ code: 'ERR_DATABASE' }));
  });
});

describe('a transaction', () => {
  test('returns what its work returns, and is rolled back when that throws', async () => {
    const db = openDatabase(await databaseFile(), MIGRATIONS);
    expect(transaction(db, () => db.exec("INSERT INTO owners VALUES ('grace')") ?? 'done')).toBe('done');
    const fail = () =>
      transaction(db, () => {
        db.exec("INSERT INTO owners VALUES ('half')");
        throw new Error('changed my mind');
      });
    expect(fail).toThrow('changed my mind');
    expect(names(db)).toStrictEqual(['ada', 'grace']);
    expect(db.isTransaction).toBe(false);
    db.close();
  });

  test('is synchronous and does not nest', async () => {
    const db = openDatabase(await databaseFile(), MIGRATIONS);
    expect(() => transaction(db, async () => db.exec("INSERT INTO owners VALUES ('half')"))).toThrow(
      /synchronous/,
    );
    expect(() => transaction(db, () => transaction(db, () => 1))).toThrow(/do not nest/);
    expect(names(db)).toStrictEqual(['ada']);
    expect(transaction(db, () => 'still usable')).toBe('still usable');
    db.close();
  });

  test('keeps other writers out from its beginning', async () => {
    const path = await databaseFile();
    const db = openDatabase(path, MIGRATIONS);
    const other = new DatabaseSync(path, { timeout: 0 });
    transaction(db, () => {
      expect(() => other.exec('BEGIN IMMEDIATE')).toThrow(/locked/);
    });
    other.exec('BEGIN IMMEDIATE; ROLLBACK');
    other.close();
    db.close();
  });

  test('whose commit fails is rolled back', async () => {
    const db = openDatabase(await databaseFile(), [
      ...MIGRATIONS,
      'CREATE TABLE late (owner TEXT REFERENCES owners DEFERRABLE INITIALLY DEFERRED) STRICT;',
    ]);
    expect(() => transaction(db, () => db.exec("INSERT INTO late VALUES ('nobody')"))).toThrow(/FOREIGN KEY/);
    expect(db.isTransaction).toBe(false);
    db.close();
  });
});

test('deleted content is in none of the files after a scrub', async () => {
  const directory = await temporaryDirectory();
  const db = openDatabase(`${directory}/service.db`, MIGRATIONS);
  const secret = Buffer.from('blinding-values-of-task-one'.repeat(200)); // over several pages
  transaction(db, () => db.prepare("INSERT INTO notes VALUES ('ada', ?)").run(secret));
  const filesWithSecret = async () => {
    const found: string[] = [];
    for (const name of await readdir(directory)) {
      if ((await readFile(`${directory}/${name}`)).includes('blinding-values')) found.push(name);
    }
    return found;
  };
  scrub(db);
  expect(await filesWithSecret()).toStrictEqual(['service.db']);
  db.exec('DELETE FROM notes');
  scrub(db);
  expect(await filesWithSecret()).toStrictEqual([]);
  db.close();
});

test('a log that a reader kept from being emptied is emptied once the reader is gone', async () => {
  const path = await databaseFile();
  const db = openDatabase(path, MIGRATIONS);
  const log = async () => (await stat(`${path}-wal`)).size;
  const reader = new DatabaseSync(path);
  reader.exec('BEGIN; SELECT * FROM owners');
  db.exec("INSERT INTO owners VALUES ('grace')");
  scrub(db);
  expect(await log()).toBeGreaterThan(0);
  reader.exec('ROLLBACK');
  await expect.poll(log).toBe(0);
  expect(pragma(db, 'busy_timeout')).toBe(5000);
  reader.close();
  db.close();
});

test('a database that was left in a hurry has its log emptied when it is opened', async () => {
  const path = await databaseFile();
  const db = openDatabase(path, MIGRATIONS);
  db.exec("INSERT INTO owners VALUES ('grace')");
  expect((await stat(`${path}-wal`)).size).toBeGreaterThan(0);
  const successor = openDatabase(path, MIGRATIONS);
  expect((await stat(`${path}-wal`)).size).toBe(0);
  successor.close();
  db.close();
});

describe('a database belongs to one service', () => {
  const CSP_TABLES = ['CREATE TABLE enrolment_tokens (token_hash TEXT) STRICT;'];
  const DATA_USER_TABLES = ['CREATE TABLE contributions (owner_id TEXT) STRICT;'];
  const refusal = (expected: string, got: string) =>
    expect.objectContaining({
      code: 'ERR_DATABASE',
      message: expect.stringContaining(`expected the database of ${expected}, got that of ${got}`),
    });

  test('which has made it', async () => {
    const path = await databaseFile();
    openOf(path, CSP_TABLES, 'csp').close();
    openOf(path, CSP_TABLES, 'csp').close();
    expect(() => openOf(path, DATA_USER_TABLES, 'data-user')).toThrow(refusal('a data user', 'a CSP'));
    const other = await databaseFile();
    openOf(other, DATA_USER_TABLES, 'data-user').close();
    expect(() => openOf(other, CSP_TABLES, 'csp')).toThrow(refusal('a CSP', 'a data user'));
  });

  test('and is left as it is when it is another program’s', async () => {
    const path = await databaseFile();
    for (const prepare of [
      'CREATE TABLE bookmarks (url TEXT)',
      'PRAGMA application_id = 7; DROP TABLE bookmarks',
    ]) {
      const foreign = new DatabaseSync(path);
      foreign.exec(prepare);
      foreign.close();
      const before = await readFile(path);
      expect(() => openOf(path, CSP_TABLES, 'csp')).toThrow(refusal('a CSP', 'another program'));
      expect(await readFile(path)).toStrictEqual(before);
    }
  });
});

describe('a full disk', () => {
  /** SQLite says SQLITE_FULL as on a full disk. */
  const fill = (db: DatabaseSync) => db.exec(`PRAGMA max_page_count = ${pragma(db, 'page_count')}`);
  const free = (db: DatabaseSync) => db.exec('PRAGMA max_page_count = 1000000');
  const full = expect.objectContaining({
    code: 'ERR_DATABASE_UNREACHABLE',
    status: 503,
    parameters: { retryAfterSeconds: 1 },
    message: 'the database cannot be written at the moment: its disk is full',
  });
  const large = "INSERT INTO notes VALUES ('ada', zeroblob(100000))";

  test('keeps what was there, and is a state that passes', async () => {
    const db = openDatabase(await databaseFile(), MIGRATIONS);
    fill(db);
    expect(() => db.prepare(large).run()).toThrow(full);
    expect(() => db.prepare(`${large} RETURNING owner`).get()).toThrow(full);
    expect(() => db.prepare(`${large} RETURNING owner`).all()).toThrow(full);
    expect(() => transaction(db, () => db.exec(large))).toThrow(full);
    expect(names(db)).toStrictEqual(['ada']);
    free(db);
    db.prepare(large).run();
    db.close();
  });

  test('is asked about by writing: as soon as something found no room, with as much as a contribution', async () => {
    const path = await databaseFile();
    const db = openDatabase(path, MIGRATIONS);
    const log = async () => (await stat(`${path}-wal`)).size;
    const before = await log();
    db.check();
    expect(await log()).toBeGreaterThan(before);
    fill(db);
    db.check(); // a few bytes still fit in
    expect(() => db.prepare(large).run()).toThrow(full);
    for (const _ of [1, 2]) expect(() => db.check()).toThrow(full);
    free(db);
    db.check();
    expect(pragma(db, 'user_version')).toBe(2);
    expect(() => db.exec('SELECT * FROM room')).toThrow(/no such table/);
    db.close();
  });
});

test('a write lock that another process keeps is waited for, and then the database is busy', async () => {
  const path = await databaseFile();
  const db = openDatabase(path, MIGRATIONS);
  db.exec('PRAGMA busy_timeout = 1');
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  const busy = expect.objectContaining({
    code: 'ERR_BUSY',
    status: 503,
    parameters: { retryAfterSeconds: 1 },
  });
  expect(() => transaction(db, () => 1)).toThrow(busy);
  other.close();
  db.close();
});
