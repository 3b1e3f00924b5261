/**
 * Opens what the data user keeps, in a SQLite file or in PostgreSQL as its configuration says, and the queue
 * of work on it.
 */

import { closing } from '@eigenveil/command';
import {
  type Database,
  databaseFile,
  inspectPostgres,
  type KeyPlace,
  keyFile,
  openDatabase,
  openPostgres,
  type PostgresDatabase,
  PostgresDriver,
  type PostgresOptions,
  requireKeys,
  type Service,
  SqliteDriver,
  sqliteBytes,
  type UsedProofs,
} from '@eigenveil/server';
import { ReplayGuard } from '@eigenveil/wire';
import {
  type JobWaits,
  type PostgresQueueTimes,
  PostgresWorkQueue,
  type PostgresWorkQueueOptions,
} from '../compute/postgres-work-queue.ts';
import { type LocalQueueTimes, LocalWorkQueue, type WorkQueue } from '../compute/work-queue.ts';
import { OPERATOR_LOG } from '../tasks/operators.ts';
import { MIGRATIONS as POSTGRES_MIGRATIONS, SCHEMA } from './postgres-schema.ts';
import { claimDatabase, PostgresReplayGuard } from './postgres-sharing.ts';
import { SqlDataUserStore } from './sql-store.ts';
import { MIGRATIONS as SQLITE_MIGRATIONS } from './sqlite-schema.ts';
import type { DataUserStore } from './store.ts';

export interface OpenedStore {
  readonly store: DataUserStore;
  readonly usedProofs: UsedProofs;
  readonly queue: WorkQueue;
  /** @throws ERR_DATABASE_UNREACHABLE unless the database can do its work */
  readonly check: () => Promise<void>;
  readonly databaseBytes: () => Promise<number>;
}

/** Times of the one of the queues that is opened; the default is that queue's. */
export interface QueueTimes {
  readonly local?: LocalQueueTimes;
  readonly postgres?: PostgresQueueTimes;
}

interface StoreConfiguration extends JobWaits {
  readonly databaseUrl?: string | undefined;
  readonly threads: number;
}

/** @throws ERR_DATABASE, ERR_SCHEMA_NEWER, ERR_DATABASE_IDENTITY, ERR_SEAL_BROKEN */
export async function openStore(
  config: StoreConfiguration,
  service: Service,
  times: QueueTimes = {},
): Promise<OpenedStore> {
  const batches = config.threads + 1; // one is read from the database while the threads multiply others
  return config.databaseUrl === undefined
    ? openOwn({ batches, times: times.local }, service)
    : openShared({ url: config.databaseUrl, waits: config, batches, times: times.postgres }, service);
}

/**
 * Says where the data user's key-encryption keys and the values sealed under them are, for the commands that
 * rotate them.
 */
export function keyPlaceOf(config: Place & { readonly keyEncryptionKey?: string | undefined }): KeyPlace {
  const { dataDirectory, databaseUrl } = config;
  return {
    keyFile: keyFile(config),
    dataDirectory: databaseUrl === undefined ? dataDirectory : undefined,
    open: () => openForCommand(config),
  };
}

/** The place where a data user keeps what it must not forget. */
export interface Place {
  readonly dataDirectory: string;
  readonly databaseUrl?: string | undefined;
}

/**
 * The store for a command beside services that may be running.
 * @throws ERR_DATABASE, ERR_SCHEMA_NEWER
 */
export async function openForCommand({ dataDirectory, databaseUrl }: Place) {
  return databaseUrl === undefined
    ? openSqliteStore(databaseFile(dataDirectory))
    : postgresStore(await openDataUserDatabase(databaseUrl));
}

/**
 * The entries of the log of what operators did, in their order.
 * @throws ERR_DATABASE
 */
export async function readOperatorLog({ dataDirectory, databaseUrl }: Place) {
  if (databaseUrl === undefined) return OPERATOR_LOG.read(databaseFile(dataDirectory));
  await using store = closing(await openForCommand({ dataDirectory, databaseUrl }));
  return await store.operators.log();
}

async function openOwn(
  queue: ConstructorParameters<typeof LocalWorkQueue>[0],
  { foundation }: Service,
): Promise<OpenedStore> {
  const database = openDataUserFile(foundation.database);
  const store = sqliteStore(database);
  await orClose(store, () => requireKeys(store, foundation.sealer));
  return {
    store,
    usedProofs: new ReplayGuard(),
    queue: new LocalWorkQueue(queue),
    check: async () => database.check(),
    databaseBytes: () => sqliteBytes(foundation.database),
  };
}

async function openShared(
  options: Omit<PostgresWorkQueueOptions, 'onError'>,
  { foundation, log, metrics }: Service,
): Promise<OpenedStore> {
  const shared = await openDataUserDatabase(options.url, {
    onIdleError: (error) => log.warn({ err: error }, 'a connection to the database broke'),
    waits: options.waits,
  });
  const store = postgresStore(shared);
  const { key, sealer } = foundation;
  const queue = await orClose(store, async () => {
    await claimDatabase(shared, { thumbprint: key.thumbprint, keyIds: sealer.keyIds });
    await requireKeys(store, sealer);
    const onError = (error: unknown) =>
      log.warn({ err: error }, 'the queue of jobs was interrupted; it goes on');
    return PostgresWorkQueue.open({ ...options, onError });
  });
  metrics.gauge('database_connections', 'Connections to the database.', () => shared.load.connections);
  metrics.gauge('database_connections_idle', 'Those that nobody uses.', () => shared.load.idle);
  metrics.gauge(
    'database_waiting',
    'Transactions that wait for a connection to the database.',
    () => shared.load.waiting,
  );
  const databaseBytes = async () => {
    const text = 'SELECT pg_database_size(current_database()) AS bytes';
    return Number((await shared.query<{ bytes: string }>({ text })).rows[0]!.bytes);
  };
  const usedProofs = new PostgresReplayGuard(shared);
  return { store, usedProofs, queue, check: () => shared.check(), databaseBytes };
}

async function orClose<Result>(store: DataUserStore, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    await store.close();
    throw error;
  }
}

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
