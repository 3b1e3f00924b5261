/** What the CSP's backups leave out, and what ends when one is restored. */
import type { BackupRules } from '@eigenveil/server';
import { CspOperator } from './operate/operator.ts';
import { MIGRATIONS } from './store/sqlite-schema.ts';
import { SEALED } from './store/sqlite-store.ts';

export const CSP_BACKUP: BackupRules = {
  service: 'csp',
  migrations: MIGRATIONS,
  sealed: SEALED,
  async prepare(database) {
    within(database, (operator) => operator.eraseSecrets());
  },
  async finish(database, backup) {
    within(database, (operator) => operator.endAll(backup));
  },
};

function within(database: string, work: (operator: CspOperator) => void): void {
  const operator = new CspOperator(database);
  try {
    work(operator);
  } finally {
    operator.close();
  }
}
