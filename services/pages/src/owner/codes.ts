/**
 * Error codes for faults on the owner's device itself: of the data that the browser keeps, and of the files
 * of its backup. Messages never hold any of that data, nor of a file.
 */
import { codes } from '@eigenveil/platform';

export const DEVICE_CODES = codes({
  ERR_OWNER_HOME: { title: 'The browser keeps nothing, or not what it should' },
  ERR_OWNER_BUSY: { title: 'Another tab of this browser works for the owner' },
  ERR_OWNER_MOVED: { title: 'The owner has moved to another device' },
  ERR_OWNER_EXISTS: { title: 'This browser keeps another owner' },
  ERR_BACKUP_INVALID: { title: 'The file is no backup' },
  ERR_PASSPHRASE: { title: 'The passphrase does not open the file' },
  ERR_PASSPHRASE_WEAK: { title: 'The passphrase is too weak' },
  ERR_WORKER: { title: 'The part of the page that works on rows has failed' },
});
