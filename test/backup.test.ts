/** Backups of services: whole, without secrets, and restored only where they belong. */
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile, openSigningKey } from '@eigenveil/server';
import { runUntilKilled } from '@eigenveil/testbed/processes/killed';
import { generatePrivateJwk, signStatement } from '@eigenveil/wire';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { backUp, fails, type Name, restore, secretsOf, succeeds } from './support/backups.ts';
import { query } from './support/database.ts';
import { keptDirectory } from './support/kept-databases.ts';
import { straceProblem } from './support/system-calls.ts';
import { World } from './support/world.ts';

const cannotTrace = straceProblem();

let folder: string;
let count = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-backup-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const fresh = (name: string) => join(folder, `${name}-${++count}`);

/** A backup of a running service in a folder of its own. */
async function backedUp(name: Name, dataDirectory: string): Promise<string> {
  const to = fresh('backup');
  await succeeds(backUp(name, dataDirectory, to));
  return to;
}

describe.each(['csp', 'user'] as const)('a backup of eigenveil-%s', (name) => {
  const service = name === 'csp' ? 'csp' : 'data-user';
  let directory: string;
  let backup: string;
  beforeAll(async () => {
    directory = await keptDirectory(service, fresh(name));
    backup = await backedUp(name, directory);
  });
  const manifestOf = async (from: string) =>
    JSON.parse(await readFile(join(from, 'manifest.json'), 'utf8')) as Record<string, unknown>;
  /** A copy of the backup in which something is other. */
  async function changed(change: (copy: string) => Promise<void>): Promise<string> {
    const copy = fresh('changed');
    await cp(backup, copy, { recursive: true });
    await change(copy);
    return copy;
  }
  /** A data directory with the identity of the service. */
  async function empty(): Promise<string> {
    const target = fresh('restored');
    await mkdir(target);
    await copyFile(join(directory, 'signing-key.json'), join(target, 'signing-key.json'));
    return target;
  }

  test('holds the database and a manifest, for its owner alone, and no secret', async () => {
    const original = new DatabaseSync(databaseFile(directory));
    const before = original.prepare('PRAGMA user_version').get();
    original.close();
    expect((await readdir(backup)).toSorted()).toEqual(['database.sqlite', 'manifest.json']);
    const { thumbprint } = await openSigningKey(directory);
    const manifest = await manifestOf(backup);
    const bytes = await readFile(join(backup, 'database.sqlite'));
    expect(manifest).toMatchObject({
      service,
      identity: thumbprint,
      schemaVersion: before?.user_version,
      files: { 'database.sqlite': { bytes: bytes.length, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } },
    });
    for (const file of await readdir(backup))
      expect((await stat(join(backup, file))).mode & 0o777).toBe(0o600);
    expect((await stat(backup)).mode & 0o777).toBe(0o700);
    const all = await keptDirectory(service, fresh(name));
    const secrets = secretsOf(name, all);
    expect(secrets.length).toBeGreaterThan(3);
    for (const secret of secrets) expect(bytes.includes(secret.subarray(0, 48))).toBe(false);
    const { d } = JSON.parse(await readFile(join(directory, 'signing-key.json'), 'utf8')) as { d: string };
    expect(bytes.includes(d)).toBe(false);
  });

  test('can be restored, and then again be backed up', async () => {
    const target = await empty();
    expect(await succeeds(restore(name, target, backup))).toEqual(await manifestOf(backup));
    expect((await readdir(target)).toSorted()).toEqual([
      'eigenveil.sqlite',
      'lock.sqlite',
      'signing-key.json',
    ]);
    expect((await stat(databaseFile(target))).mode & 0o777).toBe(0o600);
    const taskIds = (at: string) => query(at, 'SELECT task_id FROM tasks ORDER BY task_id');
    expect(taskIds(target)).toEqual(taskIds(directory));
    const states = new Set(query(target, 'SELECT state FROM tasks').map(({ state }) => state));
    expect(states).toEqual(new Set(name === 'csp' ? ['ended'] : ['done', 'cancelled', 'failed']));
    await backedUp(name, target);
  });

  test('is made in a folder of its own, of a service that is there', async () => {
    const taken = await fails(backUp(name, directory, directory));
    expect(taken).toMatchObject({
      code: 'ERR_BACKUP',
      detail: expect.stringContaining('is empty or not there'),
    });
    expect(await fails(backUp(name, join(folder, 'nowhere'), fresh('none')))).toMatchObject({
      code: 'ERR_DATABASE',
    });
    expect(existsSync(join(folder, 'nowhere'))).toBe(false);
  });

  test('is refused in a data directory that holds more than keys', async () => {
    const target = await empty();
    await writeFile(join(target, 'eigenveil.sqlite'), '');
    expect(await fails(restore(name, target, backup))).toMatchObject({
      code: 'ERR_BACKUP',
      detail: expect.stringMatching(/expected nothing but the service's keys, got eigenveil\.sqlite/),
    });
    expect(await readFile(join(target, 'eigenveil.sqlite'), 'utf8')).toBe('');
  });

  test('is refused without the identity or under another', async () => {
    const none = fresh('none');
    await mkdir(none);
    expect(await fails(restore(name, none, backup))).toMatchObject({ code: 'ERR_KEY_FILE' });
    expect(await readdir(none)).toEqual([]);
    const other = { mode: 0o600 };
    await writeFile(join(none, 'signing-key.json'), JSON.stringify(await generatePrivateJwk()), other);
    expect(await fails(restore(name, none, backup))).toMatchObject({
      code: 'ERR_BACKUP',
      detail: expect.stringContaining('expected a backup of the identity'),
    });
    expect(await readdir(none)).toEqual(['signing-key.json']);
  });

  test('of the other service is refused', async () => {
    const other = name === 'csp' ? 'user' : 'csp';
    expect(await fails(restore(other, await empty(), backup))).toMatchObject({
      code: 'ERR_BACKUP',
      detail: expect.stringContaining(`got one of ${service}`),
    });
  });

  test.each<[string, (copy: string) => Promise<void>]>([
    ['without its manifest', (copy) => rm(join(copy, 'manifest.json'))],
    ['without its database', (copy) => rm(join(copy, 'database.sqlite'))],
    [
      'with a changed byte',
      async (copy) => {
        const bytes = await readFile(join(copy, 'database.sqlite'));
        bytes[bytes.length - 1]! ^= 1;
        await writeFile(join(copy, 'database.sqlite'), bytes);
      },
    ],
    [
      'with another database and its digest in the manifest',
      async (copy) => {
        const manifest = await manifestOf(copy);
        const files = { 'database.sqlite': { bytes: 1, sha256: 'a'.repeat(64) } };
        await writeFile(join(copy, 'manifest.json'), JSON.stringify({ ...manifest, files }));
      },
    ],
    [
      'with half a manifest',
      async (copy) => {
        const text = await readFile(join(copy, 'manifest.json'), 'utf8');
        await writeFile(join(copy, 'manifest.json'), text.slice(0, -40));
      },
    ],
  ])('%s is refused', async (_, change) => {
    const target = await empty();
    expect(await fails(restore(name, target, await changed(change)))).toMatchObject({ code: 'ERR_BACKUP' });
    expect(existsSync(databaseFile(target))).toBe(false);
  });

  test('of a newer release is refused', async () => {
    const newer = await changed(async (copy) => {
      const db = new DatabaseSync(join(copy, 'database.sqlite'));
      db.exec('PRAGMA user_version = 99');
      db.close();
      const { signature: _, ...contents } = await manifestOf(copy);
      const bytes = await readFile(join(copy, 'database.sqlite'));
      const digest = await crypto.subtle.digest('SHA-256', bytes);
      const file = { bytes: bytes.length, sha256: Buffer.from(digest).toString('hex') };
      const signed = { ...contents, schemaVersion: 99, files: { 'database.sqlite': file } };
      const schema = z.custom<typeof signed>();
      const statement = { type: 'eigenveil-backup+jwt', schema, code: 'ERR_INTERNAL' } as const;
      const signature = await signStatement(statement, await openSigningKey(directory), signed);
      await writeFile(join(copy, 'manifest.json'), JSON.stringify({ ...signed, signature }));
    });
    const target = await empty();
    expect(await fails(restore(name, target, newer))).toMatchObject({ code: 'ERR_SCHEMA_NEWER' });
    expect(existsSync(databaseFile(target))).toBe(false);
  });

  const cannotKill = cannotTrace !== undefined;
  for (const [call, nth] of [
    ['fsync', 1],
    ['fsync', 3],
    ['rename', 1],
  ] as const) {
    test.skipIf(cannotKill)(
      `is restored again when that was killed at ${call} number ${nth}`,
      { tags: ['long'] },
      async () => {
        const target = await empty();
        const command = ['restore', '--data-directory', target, '--from', backup];
        expect(await runUntilKilled(name, command, call, nth)).toBe(true);
        expect(existsSync(databaseFile(target))).toBe(false);
        await succeeds(restore(name, target, backup));
        expect((await readdir(target)).filter((file) => file.startsWith('restored'))).toEqual([]);
      },
    );
  }

  test('and a restoration take no notice of what one before them has left in its midst', async () => {
    const draft = join(directory, 'backup-draft', 'database.sqlite');
    await writeFile(draft, 'half a copy');
    await writeFile(`${draft}-wal`, 'and its log');
    const again = await backedUp(name, directory);
    expect(
      (await readdir(join(directory, 'backup-draft'))).filter((it) => it.startsWith('database')),
    ).toEqual([]);
    const target = await empty();
    await writeFile(join(target, 'restored.sqlite'), 'half a database');
    await writeFile(join(target, 'restored.sqlite-wal'), 'and its log');
    await succeeds(restore(name, target, again));
    expect((await readdir(target)).filter((file) => file.startsWith('restored'))).toEqual([]);
    const taskIds = (at: string) => query(at, 'SELECT task_id FROM tasks ORDER BY task_id');
    expect(taskIds(target)).toEqual(taskIds(directory));
  });

  test.skipIf(cannotKill)(
    'that was killed is no backup, and leaves no copy after the next',
    { tags: ['long'] },
    async () => {
      const to = fresh('killed');
      // The copy is made and not yet prepared.
      const command = ['backup', '--data-directory', directory, '--to', to];
      expect(await runUntilKilled(name, command, 'fsync', 2)).toBe(true);
      expect(await fails(restore(name, await empty(), to))).toMatchObject({ code: 'ERR_BACKUP' });
      await backedUp(name, directory);
      const left = await readdir(join(directory, 'backup-draft'));
      expect(left.filter((file) => file.startsWith('database'))).toEqual([]);
    },
  );
});

test('a copy that a killed backup has left is gone when the service has started, unless a backup is being made', async () => {
  const world = await World.start();
  const directories = [world.cspConfig.dataDirectory, world.dataUserConfig.dataDirectory];
  const copies = directories.flatMap((directory) =>
    ['', '-wal', '-journal'].map((suffix) => join(directory, 'backup-draft', `database.sqlite${suffix}`)),
  );
  await Promise.all(directories.map((directory) => mkdir(join(directory, 'backup-draft'))));
  await Promise.all(copies.map((copy) => writeFile(copy, 'sealed')));
  const restart = async () => {
    await world.stopDataUser();
    await world.stopCsp();
    await world.startCsp();
    await world.startDataUser();
  };
  const beingMade = directories.map((directory) => {
    const lock = new DatabaseSync(join(directory, 'backup-draft', 'lock.sqlite'));
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  });
  await restart();
  expect(copies.filter((copy) => existsSync(copy))).toEqual(copies);
  for (const lock of beingMade) lock.close();
  await restart();
  expect(copies.filter((copy) => existsSync(copy))).toEqual([]);
  await world.close();
});

test('a data user whose database is PostgreSQL is not backed up from a file of SQLite', async () => {
  const directory = await keptDirectory('data-user', fresh('user'));
  vi.stubEnv('EIGENVEIL_USER_DATABASE_URL', 'postgres://somebody@localhost/eigenveil');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await fails(backUp('user', directory, fresh('backup')))).toMatchObject({
    code: 'ERR_CONFIGURATION',
    detail: expect.stringContaining('back a PostgreSQL database up with its own tools'),
  });
});
