/** Databases in the midst of tasks: a first start makes their schema whole, and services that start on them go on with every task. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readAudit, verifyAudit } from '@eigenveil/csp';
import { databaseFile, loadOrCreateKeyRing, openSigningKey } from '@eigenveil/server';
import { runUntilKilled } from '@eigenveil/testbed/processes/killed';
import { describe, expect, test } from 'vitest';
import { ByHand } from './support/by-hand.ts';
import { query } from './support/database.ts';
import { expectReference } from './support/expectations.ts';
import { freshPaths } from './support/fresh-paths.ts';
import { runInProcess } from './support/in-process.ts';
import { keptDirectory, keptTasks, type ServiceName } from './support/kept-databases.ts';
import { straceProblem } from './support/system-calls.ts';
import { World } from './support/world.ts';

const cannotTrace = straceProblem();

const fresh = freshPaths();

const nameOf = (service: ServiceName) => (service === 'csp' ? 'csp' : 'user');
const versionOf = (directory: string) => Number(query(directory, 'PRAGMA user_version')[0]!.user_version);
/** Everything that makes a schema, whatever its comments and spaces: tables, columns, constraints, indexes. */
const schemaOf = (directory: string) =>
  query(directory, 'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').map((row) => ({
    ...row,
    sql: row.sql === null ? null : String(row.sql).replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' '),
  }));

/** A service's keys and an empty database. */
async function emptyDirectory(): Promise<string> {
  const directory = fresh('empty');
  await openSigningKey(directory);
  await loadOrCreateKeyRing(join(directory, 'key-encryption-key'));
  await writeFile(databaseFile(directory), '', { mode: 0o600 });
  return directory;
}

/** Opens the database as any command does. */
const openCommand = (directory: string) => ['key', 'list', '--data-directory', directory];
async function open(service: ServiceName, directory: string): Promise<void> {
  const listed = await runInProcess(nameOf(service), '--json', ...openCommand(directory));
  expect(listed).toMatchObject({ exitCode: 0, stderr: '' });
}

describe.each(['csp', 'data-user'] as const)('the database of the %s', (service) => {
  test('that is kept has the schema of a new one: make it anew when that changes (CONTRIBUTING.md)', async () => {
    const [kept, made] = [await keptDirectory(service, fresh(service)), await emptyDirectory()];
    await open(service, made);
    expect(versionOf(kept)).toBe(versionOf(made));
    expect(schemaOf(kept)).toEqual(schemaOf(made));
    await open(service, kept);
    expect(query(kept, 'PRAGMA foreign_key_check')).toEqual([]);
  });

  test.skipIf(cannotTrace !== undefined)(
    'is empty or whole wherever the process was killed that made it',
    { tags: ['long'] },
    async () => {
      const made = await emptyDirectory();
      await open(service, made);
      const left = await Promise.all(
        [2, 8, 14, 20].map(async (nth) => {
          const directory = await emptyDirectory();
          await runUntilKilled(nameOf(service), openCommand(directory), 'pwrite64', nth); // or it has ended before
          expect(query(directory, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
          const version = versionOf(directory);
          expect(schemaOf(directory)).toEqual(version === 0 ? [] : schemaOf(made));
          await open(service, directory);
          expect(schemaOf(directory)).toEqual(schemaOf(made));
          return version;
        }),
      );
      expect(left).toContain(0);
    },
  );
});

test('services go on with the tasks of their databases, each to the result that it must have', async () => {
  const { time, ...tasks } = await keptTasks();
  const now = () => new Date(time);
  const csp = await keptDirectory('csp', fresh('csp'));
  const dataUser = await keptDirectory('data-user', fresh('data-user'));
  const receipts = () =>
    query(dataUser, 'SELECT owner_id, digest, receipt FROM contributions ORDER BY receipt');
  const before = receipts();
  const world = await World.start({
    csp: { dataDirectory: csp, dataUsers: [(await openSigningKey(dataUser)).thumbprint] },
    cspOverrides: { now },
    dataUser: { dataDirectory: dataUser, cspThumbprint: (await openSigningKey(csp)).thumbprint },
    dataUserOverrides: { now },
  });
  try {
    const client = await world.taskClient();
    const { parts } = await ByHand.start(world);
    const stateOf = async (name: keyof typeof tasks) => (await client.status(tasks[name])).state;
    expect(await client.status(tasks.open)).toMatchObject({ state: 'open', contributions: 3 });
    await expect(client.closeTask(tasks.agreed)).rejects.toMatchObject({ code: 'ERR_MINIMUM_OWNERS' });
    await client.closeTask(tasks.open);
    for (const name of ['done', 'open', 'blinded', 'unblinded'] as const) {
      await expect.poll(() => stateOf(name)).toBe('done');
      const row = query(dataUser, 'SELECT task FROM tasks WHERE task_id = ?', tasks[name])[0]!;
      const task = JSON.parse(String(row.task)) as Parameters<typeof expectReference>[1];
      expectReference(await client.result(tasks[name]), task, parts);
    }
    expect(await stateOf('cancelled')).toBe('cancelled');
    // What protects against replay is still there.
    expect(before.length).toBeGreaterThan(0);
    expect(receipts()).toEqual(before);
    const ended = () => query(csp, "SELECT count(*) AS n FROM tasks WHERE state = 'ended'")[0]!.n;
    await expect.poll(ended).toBe(5);
    verifyAudit(readAudit(csp));
  } finally {
    await world.close();
  }
});
