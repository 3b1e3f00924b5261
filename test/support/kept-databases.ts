/**
 * Data directories as earlier releases left them: a CSP and a data user in the midst of the same six tasks, dumped as SQL when the
 * schema versions in the files' names were the latest, with keys made for the purpose (test/make-kept-databases.test.ts).
 */
import { chmod, copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '@eigenveil/server';
import { TaskId } from '@eigenveil/task';
import { z } from 'zod';

export type ServiceName = 'csp' | 'data-user';

/** One database of an earlier release. */
export interface Earlier {
  readonly service: ServiceName;
  /** The folder of the fixture; databases of the same release belong together. */
  readonly release: string;
  /** Of the schema. */
  readonly version: number;
}

const FIXTURES = new URL('../fixtures/', import.meta.url).pathname;

/** The owner's folder of a release. */
export const earlierHome = (release: string) => join(FIXTURES, release, 'owner');

const EarlierTasks = z.strictObject({
  /** When the fixture was made: the tasks' deadlines are three days later. */
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
  /** From the seventh release on: open, and an owner has prepared the first part of the rows for it, but nobody got them. */
  awaited: TaskId.optional(),
});
export type EarlierTasks = z.infer<typeof EarlierTasks>;

/** All fixtures, the earliest first. */
export const EARLIER: readonly Earlier[] = (await readdir(FIXTURES, { recursive: true }))
  .flatMap((path) => {
    const [, release, service, version] = /^(release-\d+)\/(csp|data-user)-(\d+)\.sql$/.exec(path) ?? [];
    return release === undefined
      ? []
      : [{ release, service: service as ServiceName, version: Number(version) }];
  })
  .toSorted((a, b) => a.release.localeCompare(b.release) || a.version - b.version);

/** The latest fixture of a service. */
export function latestOf(service: ServiceName): Earlier {
  return EARLIER.findLast((it) => it.service === service)!;
}

/** The tasks of a release's databases. */
export async function earlierTasks(release: string): Promise<EarlierTasks> {
  return EarlierTasks.parse(JSON.parse(await readFile(join(FIXTURES, release, 'tasks.json'), 'utf8')));
}

/** The SQL of a fixture. */
export function earlierSql({ release, service, version }: Earlier): Promise<string> {
  return readFile(join(FIXTURES, release, `${service}-${version}.sql`), 'utf8');
}

/** Makes the data directory of a fixture. */
export async function earlierDirectory(earlier: Earlier, directory: string): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const name of ['signing-key.json', 'key-encryption-key']) {
    await copyFile(join(FIXTURES, earlier.release, `${earlier.service}-${name}`), join(directory, name));
    await chmod(join(directory, name), 0o600);
  }
  const db = new DatabaseSync(databaseFile(directory));
  db.exec('PRAGMA journal_mode = WAL; BEGIN;');
  db.exec(await earlierSql(earlier));
  db.exec('COMMIT');
  db.close();
  return directory;
}
