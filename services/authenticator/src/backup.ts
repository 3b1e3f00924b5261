/** What the authenticator's backups leave out, and what ends when one is restored. */
import { closing } from '@eigenveil/command';
import type { BackupRules } from '@eigenveil/server';
import { MIGRATIONS } from './store/sqlite-schema.ts';
import { SEALED, SqliteAuthenticatorStore } from './store/sqlite-store.ts';

/**
 * Sealed templates stay in a backup, or everybody would have to enrol anew; the key that opens them does not. Invitations are void. Who was
 * revoked or renewed after the backup is not known to it, so a restoration locks everybody: the relying application unlocks whom it still
 * knows with the same device.
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
