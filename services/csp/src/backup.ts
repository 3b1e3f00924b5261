/** Says which secrets the CSP's backups leave out, and what ends when a backup is restored. */
import type { BackupRules } from '@eigenveil/server';
import { CspOperator } from './operate/operator.ts';
import { MIGRATIONS } from './store/sqlite-schema.ts';
import { SEALED } from './store/sqlite-store.ts';

export const CSP_BACKUP: BackupRules = {
  service: 'csp',
  migrations: MIGRATIONS,
  sealed: SEALED,
  async prepare(database) {
    using operator = new CspOperator(database);
    operator.eraseSecrets();
  },
  async finish(database, backup) {
    using operator = new CspOperator(database);
    operator.endAll(backup);
  },
};
