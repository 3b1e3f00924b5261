/** A real PostgreSQL, opened as the services do. */
import { DatabaseLine } from '@eigenveil/testbed/databases/database-line';
import { databaseOfRun } from '@eigenveil/testbed/databases/database-of-run';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openPostgres, type PostgresDatabase, STANDARD_WAITS, tryLock } from '../../src/index.ts';

const schema = 'eigenveil_test';
const CREATE = 'CREATE TABLE t (x integer PRIMARY KEY, y integer NOT NULL DEFAULT 0)';

let url: string;
let operator: pg.Client;
const opened: PostgresDatabase[] = [];
beforeAll(async () => {
  url = await databaseOfRun();
  operator = new pg.Client({ connectionString: url });
  operator.on('error', () => undefined);
  await operator.connect();
});
afterAll(() => operator.end());
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
  await operator.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE; ALTER DATABASE ${databaseName()} RESET ALL`);
});
const open = async (migrations = [CREATE], at = url, waits = STANDARD_WAITS) => {
  const database = await openPostgres({ url: at, schema, migrations, waits });
  opened.push(database);
  return database;
};
/** A line to the server that lasts as long as its test. */
const openLine = async () => {
  const line = await DatabaseLine.open(url);
  onTestFinished(() => line.close());
  return line;
};
const numbersIn = async (database: PostgresDatabase, text: string) =>
  (await database.query<{ n: number }>({ text })).rows.map(({ n }) => n);
const databaseName = () => new URL(url).pathname.slice(1);

describe('the schema', () => {
  test('is made once by processes that start at once, and brought up to date by later ones', async () => {
    await Promise.all([open(), open(), open(), open()]);
    const [database] = opened;
    await database!.query({ text: 'INSERT INTO t VALUES (1)' });
    const next = [CREATE, 'ALTER TABLE t ADD z integer DEFAULT 5'];
    await Promise.all([open(next), open(next)]);
    expect(await numbersIn(database!, 'SELECT z AS n FROM t')).toEqual([5]);
    expect(await numbersIn(database!, 'SELECT version AS n FROM schema_version')).toEqual([2]);
  });

  test('is left alone when a migration fails', async () => {
    await expect(open([CREATE, 'ALTER TABLE missing ADD z integer'])).rejects.toMatchObject({
      code: 'ERR_DATABASE',
      message: expect.stringContaining('"missing" does not exist'),
    });
    expect(await numbersIn(await open(), 'SELECT count(*)::integer AS n FROM t')).toEqual([0]);
  });

  test('of a newer release is refused', async () => {
    await open([CREATE, 'SELECT 1']);
    await expect(open([CREATE])).rejects.toMatchObject({ code: 'ERR_SCHEMA_NEWER' });
  });

  test('needs no right to make anything once it is there', async () => {
    await open();
    const worker = `worker_of_${databaseName()}`; // roles are of the whole server
    await operator.query(`
      CREATE ROLE ${worker} LOGIN PASSWORD 'worker';
      GRANT USAGE ON SCHEMA ${schema} TO ${worker};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${worker};
    `);
    const asWorker = Object.assign(new URL(url), { username: worker, password: 'worker' }).href;
    const database = await open([CREATE], asWorker);
    await database.query({ text: 'INSERT INTO t VALUES (1)' });
    await expect(open([CREATE, 'ALTER TABLE t ADD z integer'], asWorker)).rejects.toMatchObject({
      code: 'ERR_DATABASE',
    });
    await expect(database.query({ text: 'CREATE TABLE u (x integer)' })).rejects.toMatchObject({
      code: '42501',
    });
  });
});

describe('a server that would lose what it has confirmed is refused', () => {
  test('at the start, when synchronous_commit is off', async () => {
    await operator.query(`ALTER DATABASE ${databaseName()} SET synchronous_commit = off`);
    await expect(open()).rejects.toMatchObject({
      code: 'ERR_DATABASE',
      message: expect.stringContaining('synchronous_commit on, got off'),
    });
  });

  test('and by every further connection', async () => {
    const database = await open();
    await operator.query(`ALTER DATABASE ${databaseName()} SET synchronous_commit = off`);
    await expect(database.check()).rejects.toMatchObject({
      code: 'ERR_DATABASE_UNREACHABLE',
      cause: { code: 'ERR_DATABASE' },
    });
    await operator.query(`ALTER DATABASE ${databaseName()} SET synchronous_commit = local`);
    await database.check();
    const { rows } = await database.query<{ value: string }>({
      text: `SELECT current_setting('synchronous_commit') AS value`,
    });
    expect(rows).toEqual([{ value: 'on' }]);
  });
});

describe('a transaction', () => {
  let database: PostgresDatabase;
  beforeEach(async () => {
    database = await open();
    await database.query({ text: 'INSERT INTO t VALUES (1), (2)' });
  });
  const sum = () => numbersIn(database, 'SELECT sum(y)::integer AS n FROM t');
  const add = (x: number) => ({ text: 'UPDATE t SET y = y + 1 WHERE x = $1', values: [x] });

  test('is committed as a whole, or not at all', async () => {
    expect(
      await database.transaction('both', async (db) => [await db.query(add(1)), await db.query(add(2))]),
    ).toHaveLength(2);
    const failure = new TypeError('a rule says no');
    const failing = database.transaction('one', async (db) => {
      await db.query(add(1));
      throw failure;
    });
    await expect(failing).rejects.toBe(failure);
    expect(await sum()).toEqual([2]);
    expect(database.load).toMatchObject({ connections: 1, idle: 1 });
  });

  test('is done again after a deadlock', async () => {
    let attempts = 0;
    const bothHaveOne = Promise.withResolvers<void>();
    const inOrder = (first: number, second: number) =>
      database.transaction('crossing', async (db) => {
        await db.query(add(first));
        attempts += 1;
        if (attempts === 2) bothHaveOne.resolve();
        await bothHaveOne.promise;
        await db.query(add(second));
      });
    await Promise.all([inOrder(1, 2), inOrder(2, 1)]);
    // The one that was ended may come back before the other has the row, and cross it once more.
    expect(attempts).toBeGreaterThanOrEqual(3);
    expect(await sum()).toEqual([4]);
  });

  test('that fails to serialize again and again says that the database is busy', async () => {
    let attempts = 0;
    const failing = database.transaction('hopeless', async (db) => {
      attempts += 1;
      await db.query({ text: `DO $$ BEGIN RAISE SQLSTATE '40001'; END $$` });
    });
    await expect(failing).rejects.toMatchObject({
      code: 'ERR_BUSY',
      parameters: { retryAfterSeconds: 1 },
      message: expect.stringContaining('hopeless'),
    });
    expect(attempts).toBe(10);
  });

  test('that passes over a failure is not taken for done', async () => {
    const careless = database.transaction('careless', async (db) => {
      await db.query(add(1));
      await db.query({ text: 'SELECT 1 / 0' }).catch(() => undefined);
    });
    await expect(careless).rejects.toThrow('expected COMMIT, got ROLLBACK');
    expect(await sum()).toEqual([0]);
  });

  test('tells errors of a statement from those of the line', async () => {
    const taken = { text: 'INSERT INTO t VALUES (1)' };
    await expect(database.query(taken)).rejects.toMatchObject({ code: '23505' });
    await expect(database.transaction('taken', (db) => db.query(taken))).rejects.toMatchObject({
      code: '23505',
    });
    await expect(
      database.query({ text: `DO $$ BEGIN RAISE SQLSTATE '57014'; END $$` }),
    ).rejects.toMatchObject({
      code: 'ERR_BUSY',
    });
    for (const state of ['08006', '53100', '57P03', '25006', '40003'])
      await expect(
        database.query({ text: `DO $$ BEGIN RAISE SQLSTATE '${state}'; END $$` }),
      ).rejects.toMatchObject({
        code: 'ERR_DATABASE_UNREACHABLE',
        status: 503,
        parameters: { retryAfterSeconds: 1 },
      });
    expect(database.load.connections).toBe(1);
  });

  test('whose connection is cut between two statements fails as a whole, and the process goes on', async () => {
    const cut = database.transaction('cut', async (db) => {
      await db.query(add(1));
      const { rows } = await db.query<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' });
      await operator.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid]);
      const isGone = async () => {
        const text = 'SELECT FROM pg_stat_activity WHERE pid = $1';
        return (await operator.query(text, [rows[0]!.pid])).rowCount === 0;
      };
      await expect.poll(isGone).toBe(true);
    });
    await expect(cut).rejects.toMatchObject({ code: 'ERR_DATABASE_UNREACHABLE' });
    expect(await sum()).toEqual([0]);
    expect(database.load).toMatchObject({ connections: 1, idle: 1 });
  });

  test('that was committed, but whose answer was lost, is not done again: the caller is told', async () => {
    const line = await openLine();
    const remote = await open([CREATE], line.url);
    line.state = 'losing';
    let attempts = 0;
    const unknown = remote.transaction('unknown', async (db) => {
      attempts += 1;
      await db.query(add(1));
    });
    await expect(unknown).rejects.toMatchObject({ code: 'ERR_DATABASE_UNREACHABLE' });
    expect(attempts).toBe(1);
    expect(await sum()).toEqual([1]);
  });
});

test('a server that is down is told apart from one that refuses, and work goes on when it is back', async () => {
  const line = await openLine();
  const database = await open([CREATE], line.url);
  await database.check();
  await line.close();
  for (const attempt of [() => database.check(), () => database.transaction('down', async () => 1)])
    await expect(attempt()).rejects.toMatchObject({ code: 'ERR_DATABASE_UNREACHABLE' });
  await expect(open([CREATE], line.url)).rejects.toMatchObject({
    code: 'ERR_DATABASE',
    message: expect.stringContaining('ECONNREFUSED'),
  });
  await line.listen();
  await database.check();
});

test('the server itself ends a wait for a lock, and a statement before its client gives it up', async () => {
  const database = await open([CREATE], url, { databaseAnswerSeconds: 30, databaseLockSeconds: 7 });
  const text = `SELECT current_setting('lock_timeout') AS lock, current_setting('statement_timeout') AS statement`;
  expect((await database.query({ text })).rows).toEqual([{ lock: '7s', statement: '20s' }]);
});

test('a server that hangs is left in time: questions have an end, and closing does not wait for it', async () => {
  const line = await openLine();
  const waits = { ...STANDARD_WAITS, databaseAnswerSeconds: 3 };
  const database = await open([CREATE], line.url, waits);
  await database.query({ text: 'INSERT INTO t VALUES (1)' });
  // Nobody asks it anything while the server hangs, so that nothing but its end can cut its connection.
  const idle = await open([CREATE], line.url, waits);
  await idle.check();
  const lock = (await tryLock(line.url, 'a lock', waits))!;
  line.state = 'hanging';
  const unreachable = { code: 'ERR_DATABASE_UNREACHABLE' };
  const question = database.query({ text: 'SELECT FROM t' });
  await Promise.all(
    [question, database.check(), tryLock(line.url, 'another', waits)].map((asked) =>
      expect(asked).rejects.toMatchObject(unreachable),
    ),
  );
  expect(line.connections).toBeGreaterThan(0);
  await Promise.all([database.close(), idle.close(), lock.release()]);
  for (const closed of [database, idle]) opened.splice(opened.indexOf(closed), 1);
  await expect.poll(() => line.heldConnections()).toBe(0);
}, 40_000); // shorter than the standard wait
