/** Says which secrets the authenticator's backups leave out, and what ends when a backup is restored. */
import { closing } from '@eigenveil/command';
import type { BackupRules } from '@eigenveil/server';
import { MIGRATIONS } from './store/sqlite-schema.ts';
import { SEALED, SqliteAuthenticatorStore } from './store/sqlite-store.ts';

/**
 * Sealed templates stay in a backup, since otherwise everybody would have to enrol again; the key that opens
 * them does not. Invitations are void. A backup does not say which users were revoked or renewed after it, so
 * a restoration locks everybody: the relying application unlocks the users whom it still knows with the same
 * device.
 */
export const AUTHENTICATOR_BACKUP: BackupRules = {
  service: 'authenticator',
  migrations: MIGRATIONS,
  sealed: SEALED,
  async prepare(database) {
    await using store = closing(new SqliteAuthenticatorStore(database));
    store.eraseInvitations();
  },
  async finish(database) {
    await using store = closing(new SqliteAuthenticatorStore(database));
    store.lockAll(new Date());
  },
};
