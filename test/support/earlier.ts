/**
 * Data directories as earlier releases left them. The fixtures hold a CSP and a data user in the midst of six tasks, dumped as SQL
 * when the release with that schema version was the latest, with keys made for the purpose.
 */
import { chmod, copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '@eigenveil/server';
import { TaskId } from '@eigenveil/wire';
import { z } from 'zod';

export type ServiceName = 'csp' | 'data-user';

const FIXTURES = new URL('../fixtures/', import.meta.url).pathname;

/** What the fixtures' tasks were in the midst of, and the time of the latest of their rows. */
export const EARLIER = z
  .strictObject({
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
  })
  .parse(JSON.parse(await readFile(join(FIXTURES, 'tasks.json'), 'utf8')));

/** The schema versions of a service that there are fixtures of, the earliest first. */
export async function earlierVersions(service: ServiceName): Promise<number[]> {
  const pattern = new RegExp(`^${service}-(\\d+)\\.sql$`);
  const versions = (await readdir(FIXTURES)).map((name) => Number(pattern.exec(name)?.[1] ?? 0));
  return versions.filter((version) => version > 0).toSorted((a, b) => a - b);
}

/** Makes the data directory of a service with an earlier schema version, the latest one by default. */
export async function earlierDirectory(
  service: ServiceName,
  directory: string,
  version?: number,
): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const name of ['signing-key.json', 'key-encryption-key']) {
    await copyFile(join(FIXTURES, `${service}-${name}`), join(directory, name));
    await chmod(join(directory, name), 0o600);
  }
  const wanted = version ?? (await earlierVersions(service)).at(-1);
  const db = new DatabaseSync(databaseFile(directory));
  db.exec(`PRAGMA journal_mode = WAL; BEGIN; PRAGMA defer_foreign_keys = ON;`);
  db.exec(await readFile(join(FIXTURES, `${service}-${wanted}.sql`), 'utf8'));
  db.exec('COMMIT');
  db.close();
  return directory;
}
