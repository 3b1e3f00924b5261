/** Opens the data user's database, in a SQLite file or in PostgreSQL. */
import {
  type Database,
  inspectPostgres,
  openDatabase,
  openPostgres,
  type PostgresDatabase,
  PostgresDriver,
  type PostgresOptions,
  SqliteDriver,
} from '@eigenveil/server';
import { MIGRATIONS as POSTGRES_MIGRATIONS, SCHEMA } from './postgres-schema.ts';
import { SqlDataUserStore } from './sql-store.ts';
import { MIGRATIONS as SQLITE_MIGRATIONS } from './sqlite-schema.ts';

/**
 * Opens the data user's database in a SQLite file, made when it is missing.
 * @throws ERR_DATABASE, ERR_SCHEMA_NEWER
 */
export function openDataUserFile(path: string): Database {
  return openDatabase(path, SQLITE_MIGRATIONS, 'data-user');
}

/** The store in an open SQLite database, for the one process that uses it. */
export function sqliteStore(database: Database): SqlDataUserStore {
  return new SqlDataUserStore(new SqliteDriver(database));
}

/** @throws as `openDataUserFile` */
export function openSqliteStore(path: string): SqlDataUserStore {
  return sqliteStore(openDataUserFile(path));
}

/** The store in an open PostgreSQL database, for one process or several. */
export function postgresStore(database: PostgresDatabase): SqlDataUserStore {
  return new SqlDataUserStore(new PostgresDriver(database));
}

/**
 * Opens the data user's database in PostgreSQL, made when it is empty.
 * @throws ERR_DATABASE, ERR_SCHEMA_NEWER
 */
export async function openDataUserDatabase(
  url: string,
  options: Pick<PostgresOptions, 'onIdleError' | 'waits'> = {},
): Promise<PostgresDatabase> {
  return openPostgres({ ...options, url, schema: SCHEMA, migrations: POSTGRES_MIGRATIONS });
}

/** The schema version of a database as it is, and the one of this release; nothing is changed. */
export async function inspectDataUserDatabase(
  url: string,
): Promise<{ readonly version: number; readonly latest: number }> {
  const version = await inspectPostgres({ url, schema: SCHEMA, migrations: POSTGRES_MIGRATIONS });
  return { version, latest: POSTGRES_MIGRATIONS.length };
}
