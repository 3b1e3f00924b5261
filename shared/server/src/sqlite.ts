/** Opens the embedded database so that what a service has answered for survives a power cut, and what it deleted is gone. */
import { closeSync, fchmodSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { ServerError } from './errors.ts';

/** How long a statement waits while a command of the operator holds the write lock, in milliseconds. */
const BUSY_TIMEOUT_MILLISECONDS = 5000;

/**
 * Opens a database file (mode 0600, made when missing; `:memory:` for tests) and brings its schema up to date: migration
 * i takes the schema from version i to i + 1, each in a transaction of its own.
 *
 * Durability. In WAL mode with synchronous=FULL, SQLite syncs the log at every commit, so a transaction that returned is
 * on the disk before the peer hears of it; synchronous=NORMAL would lose the last commits with the power. `secure_delete`
 * overwrites deleted content with zeros; older copies remain in the log until `scrub` empties it.
 *
 * Throws ERR_SCHEMA_NEWER for a schema newer than the last migration, ERR_DATABASE otherwise. The connection is used from
 * one place: it cannot be opened again after `close`, because that would come back without these settings.
 */
export function openDatabase(path: string, migrations: readonly string[]): DatabaseSync {
  const db = openFile(path);
  try {
    configure(db, path);
    migrate(db, path, migrations);
    scrub(db);
  } catch (cause) {
    db.close();
    throw asServerError(path, cause);
  }
  Object.defineProperty(db, 'open', { value: refuseReopening });
  return db;
}

/**
 * Runs `work` between BEGIN IMMEDIATE and COMMIT and returns its result; rolls back and throws on when it throws.
 * IMMEDIATE takes the write lock at once, so a check and the write that relies on it cannot be separated by another
 * writer. `work` is synchronous: awaiting would let another request's statements into this transaction.
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

/** Where sealed values lie. The names come from the code, never from outside. */
export interface SealedColumn {
  readonly table: string;
  readonly key: string;
  readonly column: string;
  /** The place for which the value of a row was sealed. */
  readonly place: (key: string) => string;
}

/** What SealedStore.reseal does, for one column: one value in memory at a time, and each change a transaction. */
export function resealColumn(
  db: DatabaseSync,
  { table, key, column, place }: SealedColumn,
  change: (place: string, sealed: Uint8Array) => Uint8Array,
): number {
  const rows = db.prepare(`SELECT ${key} AS key FROM ${table} WHERE ${column} IS NOT NULL`).all();
  const find = db.prepare(`SELECT ${column} AS sealed FROM ${table} WHERE ${key} = ?`);
  const replace = db.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ? AND ${column} = ?`);
  let changes = 0;
  for (const row of rows) {
    const name = row.key as string;
    const sealed = find.get(name)?.sealed as Uint8Array | null | undefined;
    if (sealed == null) continue; // destroyed meanwhile
    const changed = change(place(name), sealed);
    if (changed !== sealed) changes += Number(replace.run(changed, name, sealed).changes);
  }
  return changes;
}

/** How long to wait before emptying a log again that another connection was reading, in milliseconds. */
const SCRUB_AGAIN_MILLISECONDS = 500;

/**
 * Moves the log into the database and empties it, so that no copy of deleted or overwritten content remains in either
 * file. To be called after secrets were deleted. While another connection reads (a backup, say) that is not possible: then
 * it is tried again until it is, without holding anybody up. `openDatabase` does it too, for a process that was killed
 * in between.
 */
export function scrub(db: DatabaseSync): void {
  if (!db.isOpen || tryScrub(db)) return;
  setTimeout(() => scrub(db), SCRUB_AGAIN_MILLISECONDS).unref();
}

function tryScrub(db: DatabaseSync): boolean {
  db.exec('PRAGMA busy_timeout = 0'); // or every request would wait for the reader
  try {
    return db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0;
  } finally {
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MILLISECONDS}`);
  }
}

function openFile(path: string): DatabaseSync {
  try {
    // SQLite gives the log and the shared-memory file the mode of the database file, so it must be right beforehand.
    if (path !== ':memory:') makePrivate(path);
    return new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MILLISECONDS, enableForeignKeyConstraints: true });
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

function configure(db: DatabaseSync, path: string): void {
  const mode = db.prepare('PRAGMA journal_mode = WAL').get()?.journal_mode;
  if (mode !== 'wal' && path !== ':memory:') {
    throw new ServerError(
      'ERR_DATABASE',
      `"${path}" expected a file system that allows journal mode wal, got ${mode}`,
    );
  }
  db.exec('PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA trusted_schema = OFF;');
}

function migrate(db: DatabaseSync, path: string, migrations: readonly string[]): void {
  // Read inside the transaction: two processes that start at once must not both run the same migration.
  for (let done = false; !done; ) {
    done = transaction(db, () => {
      const version = Number(db.prepare('PRAGMA user_version').get()?.user_version);
      if (version > migrations.length) {
        throw new ServerError(
          'ERR_SCHEMA_NEWER',
          `"${path}" has schema version ${version}, this release knows ${migrations.length}: install a newer release`,
        );
      }
      const migration = migrations[version];
      if (migration === undefined) return true;
      db.exec(migration);
      db.exec(`PRAGMA user_version = ${version + 1}`);
      return false;
    });
  }
}

function refuseReopening(): never {
  throw new ServerError('ERR_DATABASE', 'a closed database is not opened again; call openDatabase');
}

function asServerError(path: string, cause: unknown): ServerError {
  if (cause instanceof ServerError) return cause;
  const reason = cause instanceof Error ? cause.message : 'unknown reason';
  return new ServerError('ERR_DATABASE', `"${path}" cannot be opened: ${reason}`, { cause });
}
