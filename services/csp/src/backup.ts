/** What the CSP's backups leave out, and what ends when one is restored. */
import type { BackupRules } from '@eigenveil/server';
import { SqliteCspStore } from './sqlite-store.ts';

export const CSP_BACKUP: BackupRules = {
  service: 'csp',
  async prepare(database) {
    withStore(database, (store) => store.eraseSecrets());
  },
  async finish(database, backup) {
    withStore(database, (store) => store.endAll(backup));
  },
};

function withStore(database: string, work: (store: SqliteCspStore) => void): void {
  const store = new SqliteCspStore(database);
  try {
    work(store);
  } finally {
    store.close();
  }
}
