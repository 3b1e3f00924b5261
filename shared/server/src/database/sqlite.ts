/**
 * Opens the embedded database so that everything a service has answered for survives a power cut, and
 * everything it deleted is gone.
 */
import { closeSync, fchmodSync, openSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { CodedError, isOf } from '@eigenveil/platform';
import { CODES } from '@eigenveil/wire';
import { DATABASE_RETRY_SECONDS, SERVER_CODES } from '../codes.ts';

/** The owner of a file: the application id in its header ("EvCs", "EvDu", "EvAu"). */
const SERVICES = {
  csp: { words: 'a CSP', applicationId: 0x45764373 },
  'data-user': { words: 'a data user', applicationId: 0x45764475 },
  authenticator: { words: 'an authenticator', applicationId: 0x45764175 },
} as const;
export type DatabaseService = keyof typeof SERVICES;

/**
 * The time for which a statement waits while a command of the operator holds the write lock, in milliseconds.
 */
const BUSY_TIMEOUT_MILLISECONDS = 5000;

/**
 * Opens the database file of a service (mode 0600, made when missing; `:memory:` for tests) and brings its
 * schema up to date: migration i takes the schema from version i to i + 1, each in a transaction of its own.
 * The file of another service or program is left alone.
 *
 * Durability. In WAL mode with synchronous=FULL, SQLite syncs the log at every commit, so a transaction that
 * returned is on the disk before the peer hears of it; synchronous=NORMAL would lose the last commits with
 * the power. `secure_delete` overwrites deleted content with zeros; older copies remain in the log until
 * `scrub` empties it.
 *
 * The connection is used from one place: it cannot be opened again after `close`, because that would come
 * back without these settings.
 * @throws ERR_SCHEMA_NEWER for a schema newer than the last migration, ERR_DATABASE otherwise
 * @example
 * import { openDatabase, transaction } from '@eigenveil/server';
 *
 * const db = openDatabase(':memory:', ['CREATE TABLE seen (id TEXT PRIMARY KEY) STRICT'], 'csp');
 * transaction(db, () => db.prepare('INSERT INTO seen VALUES (?)').run('a'));
 */
export function openDatabase(
  path: string,
  migrations: readonly string[],
  service: DatabaseService,
): Database {
  const db = openFile(path);
  try {
    claim(db, path, service);
    configure(db, path);
    migrate(db, path, migrations);
    scrub(db);
  } catch (cause) {
    db.close();
    throw asServerError(path, cause);
  }
  return db;
}

/** The room that must be free again after there was none: more than the largest contribution (0.74 MB). */
const ROOM_BYTES = 2 ** 20;

/** Primary result codes of SQLite that pass without a change to this program; the others are faults. */
const [BUSY, READONLY, IOERR, FULL, CANTOPEN] = [5, 8, 10, 13, 14];
const UNREACHABLE_CODES = new Set([READONLY, IOERR, FULL, CANTOPEN]);

/**
 * An open database. Errors of SQLite that pass are thrown as they are over PostgreSQL:
 * ERR_DATABASE_UNREACHABLE when the disk is full, read-only or broken, ERR_BUSY when another process has held
 * the write lock for too long.
 */
export class Database extends DatabaseSync {
  #lacksRoom = false;

  override exec(sql: string): void {
    this.#attempt(() => super.exec(sql));
  }

  override prepare(sql: string): StatementSync {
    const statement = this.#attempt(() => super.prepare(sql));
    for (const name of ['run', 'get', 'all'] as const) {
      const method = statement[name];
      const value = (...parameters: SQLInputValue[]) =>
        this.#attempt(() => Reflect.apply(method, statement, parameters));
      Object.defineProperty(statement, name, { value });
    }
    return statement;
  }

  override open(): never {
    throw new CodedError(
      SERVER_CODES.ERR_DATABASE,
      'a closed database is not opened again; call openDatabase',
    );
  }

  /**
   * Writes a few bytes, or, once there was no room for something, as much as ROOM_BYTES. A disk that has
   * become full can go unnoticed until then, since SQLite's log may have room left.
   * @throws ERR_DATABASE_UNREACHABLE unless that can be written
   */
  check(): void {
    transaction(this, () => {
      if (this.#lacksRoom)
        this.exec(
          `CREATE TABLE room (bytes BLOB); INSERT INTO room VALUES (zeroblob(${ROOM_BYTES})); DROP TABLE room`,
        );
      const version = this.prepare('PRAGMA user_version').get()?.user_version;
      this.exec(`PRAGMA user_version = ${Number(version)}`);
    });
    this.#lacksRoom = false;
  }

  #attempt<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      const code = resultCode(error);
      if (code === FULL) this.#lacksRoom = true;
      throw translated(error, code);
    }
  }
}

/** Returns the primary result code of an error of SQLite. */
function resultCode(error: unknown): number | undefined {
  const code: unknown = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code & 0xff : undefined;
}

/** Returns the error that users of the database get for an error of SQLite. */
function translated(error: unknown, code: number | undefined): unknown {
  if (code === undefined) return error;
  const options = { cause: error, retryAfterSeconds: DATABASE_RETRY_SECONDS };
  if (code === BUSY)
    return new CodedError(CODES.ERR_BUSY, 'the database takes too long at the moment', options);
  if (!UNREACHABLE_CODES.has(code)) return error;
  const reason = code === FULL ? ': its disk is full' : '';
  const message = `the database cannot be written at the moment${reason}`;
  return new CodedError(CODES.ERR_DATABASE_UNREACHABLE, message, options);
}

/**
 * Runs `work` between BEGIN IMMEDIATE and COMMIT and returns its result; if it throws, rolls back and throws
 * the error on. IMMEDIATE takes the write lock at once, so a check and the write that relies on it cannot be
 * separated by another writer. `work` is synchronous: awaiting would let another request's statements into
 * this transaction.
 */
export function transaction<Result>(db: DatabaseSync, work: () => Result): Result {
  if (db.isTransaction) throw new TypeError('transactions do not nest');
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    if (result instanceof Promise) throw new TypeError('"work" expected a synchronous function');
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // Some failures, such as a full disk, have rolled back already.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** The time to wait before emptying a log again that another connection was reading, in milliseconds. */
const SCRUB_AGAIN_MILLISECONDS = 500;

/**
 * Moves the log into the database and empties it, so that no copy of deleted or overwritten content remains
 * in either file. Call it after secrets were deleted. It is not possible while another connection reads (a
 * backup, say) or while the disk is full: then it is repeated until it succeeds, without delaying anybody.
 * `openDatabase` does it too, for a process that was killed in between.
 */
export function scrub(db: DatabaseSync): void {
  if (!db.isOpen || tryScrub(db)) return;
  setTimeout(() => scrub(db), SCRUB_AGAIN_MILLISECONDS).unref();
}

/**
 * Does what `scrub` does, but only once; returns whether it was possible. It is for a command, which may end
 * before a second attempt.
 */
export function tryScrub(db: DatabaseSync): boolean {
  db.exec('PRAGMA busy_timeout = 0'); // otherwise every request would wait for the reader
  try {
    return db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0;
  } catch (error) {
    // When the disk is full, the content of the log is overwritten once there is room.
    if (error instanceof CodedError) return false;
    throw error;
  } finally {
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MILLISECONDS}`);
  }
}

function openFile(path: string): Database {
  try {
    // SQLite gives the log and the shared-memory file the mode of the database file, so it must be right
    // beforehand.
    if (path !== ':memory:') makePrivate(path);
    return new Database(path, { timeout: BUSY_TIMEOUT_MILLISECONDS, enableForeignKeyConstraints: true });
  } catch (cause) {
    throw asServerError(path, cause);
  }
}

function makePrivate(path: string): void {
  const file = openSync(path, 'a', 0o600);
  try {
    fchmodSync(file, 0o600);
  } finally {
    closeSync(file);
  }
}

/**
 * Gives an empty database its service's id, and requires that id of any other.
 * @throws ERR_DATABASE for a database of another service or program
 */
function claim(db: Database, path: string, service: DatabaseService): void {
  const { applicationId } = SERVICES[service];
  if (applicationIdOf(db) === applicationId) return;
  transaction(db, () => {
    if (!requireOwn(db, path, service)) db.exec(`PRAGMA application_id = ${applicationId}`);
  });
}

/**
 * Says whether the database has its service's id; an empty one has none yet.
 * @throws ERR_DATABASE for a database of another service or program
 */
export function requireOwn(db: DatabaseSync, path: string, service: DatabaseService): boolean {
  const { applicationId, words } = SERVICES[service];
  const id = applicationIdOf(db);
  if (id === applicationId) return true;
  const isEmpty = db.prepare('SELECT name FROM sqlite_schema').get() === undefined;
  if (id === 0 && isEmpty) return false;
  const other = Object.values(SERVICES).find((it) => it.applicationId === id);
  throw new CodedError(
    SERVER_CODES.ERR_DATABASE,
    `"${path}" expected the database of ${words}, got that of ${other?.words ?? 'another program'}: give each service a folder of its own`,
  );
}

function applicationIdOf(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA application_id').get()?.application_id);
}

function configure(db: DatabaseSync, path: string): void {
  const mode = db.prepare('PRAGMA journal_mode = WAL').get()?.journal_mode;
  if (mode !== 'wal' && path !== ':memory:') {
    throw new CodedError(
      SERVER_CODES.ERR_DATABASE,
      `"${path}" expected a file system that allows journal mode wal, got ${mode}`,
    );
  }
  db.exec('PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA trusted_schema = OFF;');
}

function migrate(db: DatabaseSync, path: string, migrations: readonly string[]): void {
  // The version is read inside the transaction: two processes that start at once must not both run the same
  // migration.
  for (let done = false; !done; ) {
    done = transaction(db, () => {
      const version = requireVersion(db, path, migrations.length);
      const migration = migrations[version];
      if (migration === undefined) return true;
      db.exec(migration);
      db.exec(`PRAGMA user_version = ${version + 1}`);
      return false;
    });
  }
}

/**
 * Returns the schema version of a database.
 * @throws ERR_SCHEMA_NEWER
 */
export function requireVersion(db: DatabaseSync, path: string, known: number): number {
  const version = Number(db.prepare('PRAGMA user_version').get()?.user_version);
  if (version <= known) return version;
  throw new CodedError(
    SERVER_CODES.ERR_SCHEMA_NEWER,
    `"${path}" has schema version ${version}, this release knows ${known}: install a newer release`,
  );
}

function asServerError(path: string, cause: unknown): CodedError {
  if (isOf(SERVER_CODES, cause)) return cause;
  const original = cause instanceof CodedError ? cause.cause : cause;
  const reason = original instanceof Error ? original.message : 'unknown reason';
  return new CodedError(SERVER_CODES.ERR_DATABASE, `"${path}" cannot be opened: ${reason}`, { cause });
}
