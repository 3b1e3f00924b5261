/** One service per data directory: two would each decrypt, blind and remember used proofs on their own. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CodedError } from '@eigenveil/platform';
import { SERVER_CODES } from '../codes.ts';

export interface DirectoryLock {
  release(): void;
}

export function lockFile(directory: string): string {
  return join(directory, 'lock.sqlite');
}

/**
 * Locks a data directory for this process. The lock is SQLite's on a file of its own, which the operating system takes
 * back when the process dies, however it does.
 * @throws ERR_DATA_DIRECTORY_IN_USE
 */
export function lockDirectory(directory: string): DirectoryLock {
  const db = new DatabaseSync(lockFile(directory), { timeout: 0 });
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (cause) {
    db.close();
    throw new CodedError(
      SERVER_CODES.ERR_DATA_DIRECTORY_IN_USE,
      `"${directory}" is in use by another service: stop it first`,
      { cause },
    );
  }
  return { release: () => db.close() };
}
