/**
 * Backups of services: whole, without secrets, and taken only where they belong, by `backup verify` as by
 * `restore`.
 *
 * @claims S-85
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile, openSigningKey } from '@eigenveil/server';
import { runUntilKilled } from '@eigenveil/testbed/processes/killed';
import { signStatement } from '@eigenveil/wire';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { backedUp, backUp, emptyOf, fails, restore, secretsOf, succeeds, verify } from './support/backups.ts';
import { query } from './support/database.ts';
import { freshPaths } from './support/fresh-paths.ts';
import { keptDirectory } from './support/kept-databases.ts';
import { straceProblem } from './support/system-calls.ts';

const cannotKill = straceProblem() !== undefined;
const fresh = freshPaths();

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const manifestOf = async (backup: string) =>
  JSON.parse(await readFile(join(backup, 'manifest.json'), 'utf8')) as Record<string, unknown>;
const taskIds = (directory: string) => query(directory, 'SELECT task_id FROM tasks ORDER BY task_id');

/** What happens to a file of a backup that somebody changes. */
const inFile = (name: string, change: (bytes: Buffer) => Uint8Array) => async (backup: string) => {
  const path = join(backup, name);
  await writeFile(path, change(await readFile(path)));
};
const flipped = (bytes: Buffer, at: number) => bytes.fill(bytes[at]! ^ 1, at, at + 1);

describe.each(['csp', 'user'] as const)('a backup of eigenveil-%s', (name) => {
  const [service, other] = name === 'csp' ? (['csp', 'user'] as const) : (['data-user', 'csp'] as const);
  let directory: string;
  let backup: string;
  beforeAll(async () => {
    directory = await keptDirectory(service, fresh(name));
    backup = await backedUp(name, directory, fresh('backup'));
  });
  const empty = () => emptyOf(directory, fresh('restored'));

  test('holds the database and a manifest, for its owner alone, and no secret', async () => {
    const original = new DatabaseSync(databaseFile(directory));
    const before = original.prepare('PRAGMA user_version').get();
    original.close();
    expect((await readdir(backup)).toSorted()).toEqual(['database.sqlite', 'manifest.json']);
    const { thumbprint } = await openSigningKey(directory);
    const bytes = await readFile(join(backup, 'database.sqlite'));
    expect(await manifestOf(backup)).toMatchObject({
      service,
      identity: thumbprint,
      schemaVersion: before?.user_version,
      files: { 'database.sqlite': { bytes: bytes.length, sha256: digestOf(bytes) } },
    });
    for (const file of await readdir(backup))
      expect((await stat(join(backup, file))).mode & 0o777).toBe(0o600);
    expect((await stat(backup)).mode & 0o777).toBe(0o700);
    const secrets = secretsOf(name, directory);
    expect(secrets.length).toBeGreaterThan(3);
    for (const secret of secrets) expect(bytes.includes(secret.subarray(0, 48))).toBe(false);
    const { d } = JSON.parse(await readFile(join(directory, 'signing-key.json'), 'utf8')) as { d: string };
    expect(bytes.includes(d)).toBe(false);
  });

  test('is good, and stays as it is', async () => {
    const contents = async () =>
      Promise.all(
        [directory, backup].map(async (folder) => {
          const entries = await readdir(folder, { recursive: true, withFileTypes: true });
          const files = entries.filter((it) => it.isFile()).map((it) => join(it.parentPath, it.name));
          return Promise.all(files.toSorted().map(async (file) => [file, digestOf(await readFile(file))]));
        }),
      );
    const before = await contents();
    expect(await succeeds(verify(name, directory, backup))).toEqual({
      ...(await manifestOf(backup)),
      sealedValues: 0,
    });
    expect(await contents()).toEqual(before);
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
    expect(taskIds(target)).toEqual(taskIds(directory));
    const states = new Set(query(target, 'SELECT state FROM tasks').map(({ state }) => state));
    expect(states).toEqual(new Set(name === 'csp' ? ['ended'] : ['done', 'cancelled', 'failed']));
    await backedUp(name, target, fresh('backup'));
  });

  test('is made in a folder of its own, of a service that is there', async () => {
    const taken = await fails(backUp(name, directory, directory));
    expect(taken).toMatchObject({
      code: 'ERR_BACKUP',
      detail: expect.stringContaining('is empty or not there'),
    });
    const nowhere = fresh('nowhere');
    expect(await fails(backUp(name, nowhere, fresh('none')))).toMatchObject({ code: 'ERR_DATABASE' });
    expect(existsSync(nowhere)).toBe(false);
  });

  test('is refused in a data directory that holds more than keys', async () => {
    const target = await empty();
    await writeFile(join(target, 'eigenveil.sqlite'), '');
    expect(await fails(restore(name, target, backup))).toMatchObject({
      code: 'ERR_BACKUP',
      detail: expect.stringMatching(/expected only the service's keys, got eigenveil\.sqlite/),
    });
    expect(await readFile(join(target, 'eigenveil.sqlite'), 'utf8')).toBe('');
  });

  test('is refused without the identity or under another', async () => {
    const target = fresh('none');
    await mkdir(target);
    for (const take of [restore, verify])
      expect(await fails(take(name, target, backup))).toMatchObject({ code: 'ERR_KEY_FILE' });
    expect(await readdir(target)).toEqual([]);
    await openSigningKey(target);
    for (const take of [restore, verify])
      expect(await fails(take(name, target, backup))).toMatchObject({
        code: 'ERR_BACKUP',
        detail: expect.stringContaining('expected a backup of the identity'),
      });
    expect(await readdir(target)).toEqual(['signing-key.json']);
  });

  test('of the other service is refused', async () => {
    for (const take of [restore, verify])
      expect(await fails(take(other, await empty(), backup))).toMatchObject({
        code: 'ERR_BACKUP',
        detail: expect.stringContaining(`got one of ${service}`),
      });
  });

  test.each<[string, string, string, (copy: string) => Promise<void>]>([
    ['without its manifest', 'ERR_BACKUP', 'manifest.json', (copy) => rm(join(copy, 'manifest.json'))],
    [
      'without its database',
      'ERR_BACKUP',
      'database.sqlite" cannot be',
      (copy) => rm(join(copy, 'database.sqlite')),
    ],
    [
      'with another byte in its database',
      'ERR_BACKUP',
      'the bytes that the manifest tells of',
      inFile('database.sqlite', (bytes) => flipped(bytes, bytes.length - 1)),
    ],
    [
      'with another time in its manifest',
      'ERR_BACKUP',
      'a manifest as the service has signed it',
      inFile('manifest.json', (bytes) => flipped(bytes, bytes.indexOf('"time": "20') + 9)),
    ],
    [
      'with the digest of another database in its manifest',
      'ERR_BACKUP',
      'a manifest as the service has signed it',
      inFile('manifest.json', (bytes) => {
        const files = { 'database.sqlite': { bytes: 1, sha256: 'a'.repeat(64) } };
        return Buffer.from(JSON.stringify({ ...(JSON.parse(bytes.toString()) as object), files }));
      }),
    ],
    [
      'with half a manifest',
      'ERR_BACKUP',
      'manifest.json',
      inFile('manifest.json', (bytes) => bytes.subarray(0, -40)),
    ],
    [
      'of a newer release',
      'ERR_SCHEMA_NEWER',
      '99',
      async (copy) => {
        const db = new DatabaseSync(join(copy, 'database.sqlite'));
        db.exec('PRAGMA user_version = 99');
        db.close();
        const { signature: _, ...contents } = await manifestOf(copy);
        const bytes = await readFile(join(copy, 'database.sqlite'));
        const file = { bytes: bytes.length, sha256: digestOf(bytes) };
        const signed = { ...contents, schemaVersion: 99, files: { 'database.sqlite': file } };
        const schema = z.custom<typeof signed>();
        const statement = { type: 'eigenveil-backup+jwt', schema, code: 'ERR_INTERNAL' } as const;
        const signature = await signStatement(statement, await openSigningKey(directory), signed);
        await writeFile(join(copy, 'manifest.json'), JSON.stringify({ ...signed, signature }));
      },
    ],
  ])('%s is refused', async (_, code, words, change) => {
    const copy = fresh('changed');
    await cp(backup, copy, { recursive: true });
    await change(copy);
    const target = await empty();
    const refusal = { code, detail: expect.stringContaining(words) };
    expect(await fails(restore(name, target, copy))).toMatchObject(refusal);
    expect(await fails(verify(name, directory, copy))).toMatchObject(refusal);
    expect(existsSync(databaseFile(target))).toBe(false);
  });

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
    const again = await backedUp(name, directory, fresh('backup'));
    expect(
      (await readdir(join(directory, 'backup-draft'))).filter((it) => it.startsWith('database')),
    ).toEqual([]);
    const target = await empty();
    await writeFile(join(target, 'restored.sqlite'), 'half a database');
    await writeFile(join(target, 'restored.sqlite-wal'), 'and its log');
    await succeeds(restore(name, target, again));
    expect((await readdir(target)).filter((file) => file.startsWith('restored'))).toEqual([]);
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
      await backedUp(name, directory, fresh('backup'));
      const left = await readdir(join(directory, 'backup-draft'));
      expect(left.filter((file) => file.startsWith('database'))).toEqual([]);
    },
  );
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
