/** Opens what the data user keeps, in the place that its configuration names. */
import { type PostgresDatabase, requireKeys, type Service, type UsedProofs } from '@eigenveil/server';
import { ReplayGuard } from '@eigenveil/wire';
import { claimDatabase, PostgresReplayGuard } from './postgres-sharing.ts';
import { openDataUserDatabase, PostgresDataUserStore } from './postgres-store.ts';
import { SqliteDataUserStore } from './sqlite-store.ts';
import type { DataUserStore } from './store.ts';

export interface OpenedStore {
  readonly store: DataUserStore;
  readonly usedProofs: UsedProofs;
  /** The database that this process shares with others; undefined when it has one of its own. */
  readonly shared: PostgresDatabase | undefined;
}

/** Throws ERR_DATABASE, ERR_SCHEMA_NEWER, ERR_DATABASE_IDENTITY, ERR_SEAL_BROKEN. */
export async function openStore(databaseUrl: string | undefined, service: Service): Promise<OpenedStore> {
  const { foundation } = service;
  const opened =
    databaseUrl === undefined
      ? {
          store: new SqliteDataUserStore(foundation.database),
          usedProofs: new ReplayGuard(),
          shared: undefined,
        }
      : await openShared(databaseUrl, service);
  try {
    const { thumbprint } = foundation.key;
    if (opened.shared !== undefined)
      await claimDatabase(opened.shared, { thumbprint, keyIds: foundation.sealer.keyIds });
    await requireKeys(opened.store, foundation.sealer);
    return opened;
  } catch (error) {
    await opened.store.close();
    throw error;
  }
}

async function openShared(databaseUrl: string, { log, metrics }: Service): Promise<OpenedStore> {
  const shared = await openDataUserDatabase(databaseUrl, (error) =>
    log.warn({ err: error }, 'a connection to the database broke'),
  );
  metrics.gauge('database_connections', 'Connections to the database.', () => shared.load.connections);
  metrics.gauge('database_connections_idle', 'Those that nobody uses.', () => shared.load.idle);
  metrics.gauge(
    'database_waiting',
    'Transactions that wait for a connection to the database.',
    () => shared.load.waiting,
  );
  return {
    store: new PostgresDataUserStore(shared),
    usedProofs: new PostgresReplayGuard(shared),
    shared,
  };
}
