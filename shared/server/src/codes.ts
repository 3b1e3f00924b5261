/**
 * The codes of errors of starting and running a service on one machine; over HTTP they are all ERR_INTERNAL.
 */
import { codes } from '@eigenveil/platform';

/** The seconds after which a client may ask again when the database is at fault. */
export const DATABASE_RETRY_SECONDS = 1;

export const SERVER_CODES = codes({
  ERR_KEY_FILE: {
    exit: 'usage',
    title: 'A file that must hold a secret is missing, malformed, or readable by others',
  },
  ERR_LISTEN: { exit: 'usage', title: 'The address to listen on is taken, not allowed or not ours' },
  ERR_SEAL_BROKEN: {
    exit: 'usage',
    title:
      'Sealed bytes were changed, belong elsewhere, or were sealed under a key that is not in the key file',
  },
  ERR_DATA_DIRECTORY_IN_USE: {
    exit: 'usage',
    title: 'Another process runs on the same data directory',
  },
  ERR_SCHEMA_NEWER: { exit: 'usage', title: 'The database was written by a newer version of the service' },
  ERR_BACKUP: {
    exit: 'usage',
    title: 'A backup cannot be made there, or is not what may be restored here',
  },
  ERR_DATABASE: {
    exit: 'usage',
    title: 'The database cannot be opened or does not offer what durability needs',
  },
  ERR_DATABASE_IDENTITY: {
    exit: 'usage',
    title: 'The database belongs to processes of another identity or with another key-encryption key',
  },
  ERR_AUDIT_BROKEN: { exit: 'refused', title: 'The log of what was done was changed' },
});
