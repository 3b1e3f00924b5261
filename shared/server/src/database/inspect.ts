/**
 * Looks into a service's database without changing anything: for `check-config`, beside a service that may
 * run, and for `backup verify`.
 */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { CodedError, isOf } from '@eigenveil/platform';
import { SERVER_CODES } from '../codes.ts';
import type { SealedColumn } from '../secrets/rotation.ts';
import { type DatabaseService, requireOwn, requireVersion } from './sqlite.ts';

/** The form of a service's database. */
export interface DatabaseRules {
  readonly service: DatabaseService;
  readonly migrations: readonly string[];
  readonly sealed: readonly SealedColumn[];
}

/**
 * Returns the schema version of a database, 0 for an empty one, after `look` was given each of its sealed
 * values.
 * @throws ERR_DATABASE, ERR_SCHEMA_NEWER and what `look` throws
 */
export function inspectDatabase(
  path: string,
  { service, migrations, sealed }: DatabaseRules,
  look: (place: string, value: Uint8Array) => void,
  /**
   * Says whether it is a copy, which nobody has open: then SQLite checks the whole file, and looks at no
   * other file beside it.
   */
  isCopy = false,
): number {
  const db = openReadOnly(path, isCopy);
  try {
    requireOwn(db, path, service);
    const version = requireVersion(db, path, migrations.length);
    if (isCopy) requireWhole(db, path);
    for (const { table, key, column, place } of sealed) {
      const columns = db.prepare('SELECT name FROM pragma_table_info(?)').all(table);
      if (!columns.some(({ name }) => name === column)) continue; // not yet in this version
      const rows = db.prepare(
        `SELECT ${key} AS key, ${column} AS value FROM ${table} WHERE ${column} IS NOT NULL`,
      );
      for (const row of rows.iterate()) look(place(String(row.key)), row.value as Uint8Array);
    }
    return version;
  } catch (cause) {
    if (isOf(SERVER_CODES, cause)) throw cause;
    const reason = cause instanceof Error ? cause.message : 'unknown reason';
    throw new CodedError(SERVER_CODES.ERR_DATABASE, `"${path}" cannot be read: ${reason}`, { cause });
  } finally {
    db.close();
  }
}

/**
 * Opens the database for reading. Without its log nobody has it open, and `immutable` keeps SQLite from
 * making a log. Beside a service that runs, or after one that was killed, SQLite reads the log, too, and
 * changes at most the index of the log (`-shm`).
 */
function openReadOnly(path: string, isCopy: boolean): DatabaseSync {
  const url = pathToFileURL(path);
  if (isCopy || !existsSync(`${path}-wal`)) url.searchParams.set('immutable', '1');
  try {
    return new DatabaseSync(url, { readOnly: true, timeout: 5000 });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown reason';
    throw new CodedError(SERVER_CODES.ERR_DATABASE, `"${path}" cannot be opened: ${reason}`, { cause });
  }
}

function requireWhole(db: DatabaseSync, path: string): void {
  const found = db.prepare('PRAGMA integrity_check(1)').get()?.integrity_check;
  if (found !== 'ok')
    throw new CodedError(SERVER_CODES.ERR_DATABASE, `"${path}" is damaged: ${String(found)}`);
}
