/** Says what the data user's backups leave out, and what ends when one is restored. */
import type { BackupRules } from '@eigenveil/server';
import { FINAL_STATES } from '@eigenveil/wire';
import { openSqliteStore } from './store/open.ts';
import { eraseAll } from './store/rules.ts';
import { SEALED, type SqlDataUserStore } from './store/sql-store.ts';
import { MIGRATIONS } from './store/sqlite-schema.ts';

/**
 * The rules of the data user's backups. Tasks that have not ended are given up in the backup already, so that
 * contributions and blinding values that no task will use stay out of it.
 */
export const DATA_USER_BACKUP: BackupRules = {
  service: 'data-user',
  migrations: MIGRATIONS,
  sealed: SEALED,
  prepare: giveUpAll,
  async finish(database, backup) {
    await giveUpAll(database);
    const store = openSqliteStore(database);
    await store.operators.noteRestoration(backup, new Date()).finally(() => store.close());
  },
};

async function giveUpAll(database: string): Promise<void> {
  const store = openSqliteStore(database);
  try {
    await giveUpTasks(store);
  } finally {
    await store.close();
  }
}

/**
 * Fails every task that is not final: owners have receipts for contributions that a restored database lacks,
 * and blinding values that were used must not be used again. Contributions and blinding values are destroyed.
 */
async function giveUpTasks(store: SqlDataUserStore): Promise<void> {
  const failure = {
    code: 'ERR_TASK_RESTORED',
    message: 'the data user was restored from a backup, which lacks what happened since',
  } as const;
  for (const taskId of [...(await store.openTasks()), ...(await store.unfinishedTasks())]) {
    for (;;) {
      const state = (await store.state(taskId))!;
      if (FINAL_STATES.includes(state)) break;
      await store.advance(taskId, state, { to: 'failed', failure });
    }
    await eraseAll(store, taskId);
  }
}
