/**
 * Opens a PostgreSQL database so that everything a service has answered for survives a crash of either, and
 * runs transactions there.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError, isOf } from '@eigenveil/platform';
import { CODES } from '@eigenveil/wire';
import { Client, DatabaseError, Pool, type PoolClient, type QueryConfig, type QueryResultRow } from 'pg';
import { DATABASE_RETRY_SECONDS, SERVER_CODES } from '../codes.ts';
import {
  type PostgresAddress,
  type PostgresWaits,
  parsePostgresUrl,
  STANDARD_WAITS,
  timesOfWaits,
} from './postgres-settings.ts';
import { endClient, PostgresSockets } from './postgres-sockets.ts';

/** The object that statements are sent to: a pool, or a transaction. */
export interface PostgresQueries {
  query<Row extends QueryResultRow>(statement: QueryConfig): Promise<{ rows: Row[]; rowCount: number }>;
}

export interface PostgresOptions {
  /** The address as parsePostgresUrl takes it. */
  readonly url: string;
  /**
   * The schema that has the tables, made when missing. Its name comes from this program, not from its
   * operator.
   */
  readonly schema: string;
  /** Migrations like those of openDatabase. */
  readonly migrations: readonly string[];
  /** Told about connections that broke while nobody used them. */
  readonly onIdleError?: (error: Error) => void;
  readonly waits?: PostgresWaits;
}

/** The number of connections of one process. Several processes share the server's max_connections. */
const CONNECTIONS = 10;
/**
 * The longest idle time within a transaction: a process that was stopped there must not hold up the others.
 */
const IDLE_IN_TRANSACTION_MILLISECONDS = 15_000;
const MOST_ATTEMPTS = 10;
const BACKOFF_MILLISECONDS = 10;

/**
 * The settings without which PostgreSQL loses what it has committed, or the whole database, with the power.
 */
const DURABILITY_SETTINGS = ['fsync', 'full_page_writes', 'synchronous_commit'] as const;

/** Serialization failure and deadlock: the server has undone the transaction, and it can be done again. */
const AGAIN: ReadonlySet<string> = new Set(['40001', '40P01']);
/** A statement, or its wait for a lock, took too long. */
const OVERLOADED: ReadonlySet<string> = new Set(['57014', '55P03']);
/**
 * Classes of errors that go away without a change to this program: connections (08), resources such as the
 * disk (53), the server's stop or start (57); and a server that has become read-only, or a transaction of
 * which the server itself cannot say how it ended.
 */
const UNREACHABLE_STATES = /^(08|53|57)|^(25006|25P03|40003)$/;

/**
 * Connects, brings the schema up to date and returns a pool of connections. Any number of processes may do so
 * at once: the first makes the schema, the others wait for it.
 *
 * Durability. A commit returns when it is in the write-ahead log on the disk, if `fsync`, `full_page_writes`
 * and `synchronous_commit` are on. Every new connection checks them, since it may lead to another server than
 * the one before, and then sets synchronous_commit = on for itself, so that a synchronous standby is waited
 * for, too.
 *
 * No message holds a part of the URL, not even the host: a password with a character that should have been
 * encoded would end up in it.
 * @throws ERR_SCHEMA_NEWER for a schema newer than the last migration, ERR_DATABASE otherwise
 */
export async function openPostgres(options: PostgresOptions): Promise<PostgresDatabase> {
  const address = parsePostgresUrl(options.url);
  await withClient(address, options.waits, async (client) => {
    await checkDurability(client);
    await migrate(client, options);
  });
  return new PostgresDatabase(address, options);
}

/**
 * Returns the schema version of a database as openPostgres would find it, 0 where there is none yet; nothing
 * is changed.
 * @throws as openPostgres
 */
export async function inspectPostgres({ url, schema, migrations, waits }: PostgresOptions): Promise<number> {
  return withClient(parsePostgresUrl(url), waits, async (client) => {
    await client.query('SET default_transaction_read_only = on');
    await checkDurability(client);
    const { rows } = await client.query<{ hasVersion: boolean }>(
      `SELECT to_regclass($1) IS NOT NULL AS "hasVersion"`,
      [`${schema}.schema_version`],
    );
    if (!rows[0]!.hasVersion) return 0;
    await client.query(`SET search_path TO ${schema}`);
    return requireVersion(await readVersion(client), migrations.length);
  });
}

/** Works with a client, and throws errors without their cause, which may repeat the URL. */
async function withClient<Result>(
  address: PostgresAddress,
  waits: PostgresWaits = STANDARD_WAITS,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const { prompt } = timesOfWaits(waits);
  const client = new Client({ ...clientOptions(address), connectionTimeoutMillis: prompt });
  client.on('error', ignore); // the statement under way fails with it
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    throw isOf(SERVER_CODES, error)
      ? error
      : new CodedError(SERVER_CODES.ERR_DATABASE, `the database cannot be opened: ${reasonOf(error)}`);
  } finally {
    await endClient(client, prompt);
  }
}

export class PostgresDatabase implements PostgresQueries {
  readonly #pool: Pool;
  readonly #sockets = new PostgresSockets();
  readonly #times: ReturnType<typeof timesOfWaits>;

  /** Call openPostgres instead. */
  constructor(
    address: PostgresAddress,
    { schema, onIdleError = ignore, waits = STANDARD_WAITS }: PostgresOptions,
  ) {
    const times = timesOfWaits(waits);
    this.#times = times;
    this.#pool = new Pool({
      ...clientOptions(address),
      stream: this.#sockets.stream,
      max: CONNECTIONS,
      connectionTimeoutMillis: times.prompt,
      query_timeout: times.answer,
      onConnect: (client) => prepareSession(client, schema, times),
    });
    this.#pool.on('error', onIdleError);
  }

  /**
   * The number of connections, the number of idle ones among them, and the number of requests that wait for
   * one.
   */
  get load(): { readonly connections: number; readonly idle: number; readonly waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { connections: totalCount, idle: idleCount, waiting: waitingCount };
  }

  /**
   * Runs one statement, which is a transaction by itself.
   * @throws ERR_DATABASE_UNREACHABLE, ERR_BUSY, or the server's error
   */
  async query<Row extends QueryResultRow>(statement: QueryConfig) {
    const session = await this.#session();
    try {
      return await session.query<Row>(statement);
    } finally {
      session.release();
    }
  }

  /**
   * Runs `work` between BEGIN and COMMIT and returns its result; if it throws, rolls back and throws the
   * error on. After a deadlock or a serialization failure `work` runs again, so it must have no effect except
   * through the statements that it sends.
   *
   * Isolation is READ COMMITTED: each statement sees what was committed before it began. Checks must be made
   * under a row lock which every transaction that could invalidate them takes as well: then nothing changes
   * what a transaction reads after it has the lock. (REPEATABLE READ would read what was there before the
   * wait for the lock, and fail instead.)
   *
   * ERR_DATABASE_UNREACHABLE may mean that the transaction was committed and only the answer was lost. The
   * caller's operation must be one that can be repeated.
   * @throws ERR_BUSY when conflicts do not end, and as `query`
   */
  async transaction<Result>(
    name: string,
    work: (queries: PostgresQueries) => Promise<Result>,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(work);
      } catch (error) {
        if (!(error instanceof DatabaseError && AGAIN.has(error.code ?? ''))) throw error;
        if (attempt === MOST_ATTEMPTS) {
          const options = { cause: error, retryAfterSeconds: DATABASE_RETRY_SECONDS };
          throw new CodedError(
            CODES.ERR_BUSY,
            `${name} was in conflict with others ${attempt} times`,
            options,
          );
        }
      }
      await sleep(BACKOFF_MILLISECONDS * attempt * (0.5 + Math.random()));
    }
  }

  /**
   * Checks that the database answers, and soon.
   * @throws Error otherwise
   */
  async check(): Promise<void> {
    const statement = { text: 'SELECT 1', query_timeout: this.#times.prompt };
    await this.query(statement);
  }

  /** Ends all connections; those of a server that does not answer are cut. */
  async close(): Promise<void> {
    await this.#sockets.end(this.#pool.end(), this.#times.prompt);
  }

  async #attempt<Result>(work: (queries: PostgresQueries) => Promise<Result>): Promise<Result> {
    const session = await this.#session();
    try {
      await session.query({ text: 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE' });
      const result = await work(session);
      await session.commit();
      return result;
    } catch (error) {
      await session.rollBack();
      throw error;
    } finally {
      session.release();
    }
  }

  async #session(): Promise<Session> {
    try {
      return new Session(await this.#pool.connect());
    } catch (error) {
      throw translated(error);
    }
  }
}

/** A connection while somebody uses it. */
class Session implements PostgresQueries {
  readonly #client: PoolClient;
  #isBroken = false;
  readonly #onError = () => {
    this.#isBroken = true;
  };

  constructor(client: PoolClient) {
    this.#client = client;
    // Without a listener, a connection that breaks between two statements would end the process.
    client.on('error', this.#onError);
  }

  async query<Row extends QueryResultRow>(statement: QueryConfig) {
    const { rows, rowCount } = await this.#send<Row>(statement);
    return { rows, rowCount: rowCount ?? 0 };
  }

  async commit(): Promise<void> {
    const { command } = await this.#send({ text: 'COMMIT' });
    // The server rolls back, and says so only here, when the failure of a statement was passed over.
    if (command !== 'COMMIT') throw new TypeError(`a transaction expected COMMIT, got ${command}`);
  }

  async rollBack(): Promise<void> {
    if (!this.#isBroken) await this.#send({ text: 'ROLLBACK' }).catch(this.#onError);
  }

  release(): void {
    this.#client.off('error', this.#onError);
    this.#client.release(this.#isBroken);
  }

  async #send<Row extends QueryResultRow>(statement: QueryConfig) {
    try {
      return await this.#client.query<Row>(statement);
    } catch (error) {
      // Only an error that the server has sent for this statement tells what the connection is busy with.
      this.#isBroken ||= !(error instanceof DatabaseError) || error.severity !== 'ERROR';
      throw translated(error);
    }
  }
}

export function clientOptions({ host, port, database, user, password, ssl }: PostgresAddress) {
  const application_name = 'eigenveil';
  return { host, port, database, user, password, ssl, application_name, keepAlive: true };
}

/**
 * Sets what every connection needs before it is used.
 * @throws ERR_DATABASE
 */
async function prepareSession(
  client: Pick<Client, 'query'>,
  schema: string,
  { statement, lock }: ReturnType<typeof timesOfWaits>,
): Promise<void> {
  await checkDurability(client);
  const settings = {
    synchronous_commit: 'on',
    search_path: schema, // and nothing in which somebody else could put tables
    statement_timeout: statement,
    lock_timeout: lock,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MILLISECONDS,
  };
  const assignments = Object.keys(settings).map((name, i) => `set_config('${name}', $${i + 1}, false)`);
  await client.query(`SELECT ${assignments.join(', ')}`, Object.values(settings).map(String));
}

async function checkDurability(client: Pick<Client, 'query'>): Promise<void> {
  const columns = DURABILITY_SETTINGS.map((name) => `current_setting('${name}') AS ${name}`);
  const { rows } = await client.query<Record<string, string>>(`SELECT ${columns.join(', ')}`);
  const off = DURABILITY_SETTINGS.filter((name) => rows[0]?.[name] === 'off');
  if (off.length > 0) {
    const message = `the database server expected ${off.join(' and ')} on, got off: it could lose what it has confirmed`;
    throw new CodedError(SERVER_CODES.ERR_DATABASE, message);
  }
}

/** All missing migrations in one transaction, by one process at a time. */
async function migrate(client: Client, { schema, migrations }: PostgresOptions): Promise<void> {
  // Waiting for another process that migrates may take long.
  await client.query('BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0');
  await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`eigenveil ${schema}`]);
  const { rows } = await client.query<{ hasSchema: boolean; hasVersion: boolean }>(
    `SELECT to_regnamespace($1) IS NOT NULL AS "hasSchema", to_regclass($2) IS NOT NULL AS "hasVersion"`,
    [schema, `${schema}.schema_version`],
  );
  // Nothing is made that is there, so that a role without the right to is enough.
  if (!rows[0]!.hasSchema) await client.query(`CREATE SCHEMA ${schema}`);
  await client.query(`SET LOCAL search_path TO ${schema}`);
  if (!rows[0]!.hasVersion) await client.query('CREATE TABLE schema_version AS SELECT 0 AS version');
  const version = requireVersion(await readVersion(client), migrations.length);
  if (version < migrations.length) {
    for (const migration of migrations.slice(version)) await client.query(migration);
    await client.query('UPDATE schema_version SET version = $1', [migrations.length]);
  }
  await client.query('COMMIT');
}

function requireVersion(version: number, known: number): number {
  if (version <= known) return version;
  throw new CodedError(
    SERVER_CODES.ERR_SCHEMA_NEWER,
    `the database has schema version ${version}, this release knows ${known}: install a newer release`,
  );
}

async function readVersion(client: Client): Promise<number> {
  const { rows } = await client.query<{ version: number }>('SELECT version FROM schema_version');
  return rows[0]!.version;
}

/**
 * Returns what an error of pg is to those who use the database; the errors of a statement itself stay as they
 * are.
 */
export function translated(error: unknown): unknown {
  if (error instanceof CodedError && !isOf(SERVER_CODES, error)) return error;
  if (error instanceof TypeError || error instanceof RangeError) return error;
  const options = { cause: error, retryAfterSeconds: DATABASE_RETRY_SECONDS };
  const code = error instanceof DatabaseError ? (error.code ?? '') : undefined;
  if (code !== undefined && OVERLOADED.has(code))
    return new CodedError(CODES.ERR_BUSY, 'the database takes too long at the moment', options);
  if (code !== undefined && !UNREACHABLE_STATES.test(code)) return error;
  return new CodedError(
    CODES.ERR_DATABASE_UNREACHABLE,
    'the database cannot be reached at the moment',
    options,
  );
}

/** Says what went wrong in opening the database, without a word of the URL. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  if (!(error instanceof DatabaseError))
    return code ?? (error instanceof Error ? error.message : 'no reason');
  if (code?.startsWith('28') === true) return `the server refused user and password (${code})`;
  if (code === '3D000') return 'there is no database of this name';
  return `${error.message} (${code})`;
}

function ignore(): void {}
