/**
 * Data directories that are kept in `test/fixtures/databases`: a CSP and a data user in the midst of the same six tasks, dumped as SQL, with
 * keys made for the purpose. `test/make-kept-databases.test.ts` makes them anew when a schema or what lies in it changes.
 */
import { chmod, copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '@eigenveil/server';
import { TaskId } from '@eigenveil/task';
import { z } from 'zod';

export type ServiceName = 'csp' | 'data-user';

export const KEPT_DATABASES = new URL('../fixtures/databases/', import.meta.url).pathname;

/** The keys of a service, each in a file of its own. */
export const KEY_FILES = ['signing-key.json', 'key-encryption-key'];

const KeptTasks = z.strictObject({
  /** When the databases were made: the tasks' deadlines are three days later. */
  time: z.iso.datetime(),
  /** Computed and ended at both servers. */
  done: TaskId,
  cancelled: TaskId,
  /** Three contributions, and a fourth that was withdrawn. */
  open: TaskId,
  /** No contributions. */
  agreed: TaskId,
  /** Blinded at the data user; the CSP was killed while it unblinded. */
  blinded: TaskId,
  /** Unblinded at both servers. */
  unblinded: TaskId,
});
export type KeptTasks = z.infer<typeof KeptTasks>;

/** The tasks of both databases. */
export async function keptTasks(): Promise<KeptTasks> {
  return KeptTasks.parse(JSON.parse(await readFile(join(KEPT_DATABASES, 'tasks.json'), 'utf8')));
}

/** Makes the data directory of a service, with its keys and its database. */
export async function keptDirectory(service: ServiceName, directory: string): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const name of KEY_FILES) {
    await copyFile(join(KEPT_DATABASES, `${service}-${name}`), join(directory, name));
    await chmod(join(directory, name), 0o600);
  }
  const db = new DatabaseSync(databaseFile(directory));
  db.exec('PRAGMA journal_mode = WAL; BEGIN;');
  db.exec(await readFile(join(KEPT_DATABASES, `${service}.sql`), 'utf8'));
  db.exec('COMMIT');
  db.close();
  return directory;
}
