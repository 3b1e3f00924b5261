/** Databases of every earlier schema version: they are brought up to date whole, even by a process that is killed, and their tasks go on. */
import { chmod, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readAudit, verifyAudit } from '@eigenveil/csp';
import { databaseFile, loadOrCreateKeyRing, openSigningKey } from '@eigenveil/server';
import { runUntilKilled } from '@eigenveil/testbed/processes/killed';
import { digestBytes } from '@eigenveil/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ByHand } from './support/by-hand.ts';
import { query } from './support/database.ts';
import {
  EARLIER,
  type Earlier,
  earlierDirectory,
  earlierHome,
  earlierSql,
  earlierTasks,
  latestOf,
  type ServiceName,
} from './support/kept-databases.ts';
import { expectReference } from './support/expectations.ts';
import { runInProcess } from './support/in-process.ts';
import { straceProblem } from './support/system-calls.ts';
import { summarise } from './support/tasks.ts';
import { World } from './support/world.ts';

const cannotTrace = straceProblem();

let folder: string;
let count = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-upgrade-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
const fresh = () => join(folder, `${++count}`);

type Rows = Record<string, unknown>[];
const nameOf = (service: ServiceName) => (service === 'csp' ? 'csp' : 'user');
const versionOf = (directory: string) => Number(query(directory, 'PRAGMA user_version')[0]!.user_version);
/** Everything that makes a schema, however its text was spaced: tables, columns, constraints, indexes. */
const schemaOf = (directory: string) =>
  query(directory, 'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').map((row) => ({
    ...row,
    sql: row.sql === null ? null : String(row.sql).replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' '),
  }));
/** Opens the database as any command does, which brings it up to date. */
async function migrate(service: ServiceName, directory: string): Promise<Record<string, unknown>[]> {
  const listed = await runInProcess(nameOf(service), '--json', 'key', 'list', '--data-directory', directory);
  expect(listed).toMatchObject({ exitCode: 0, stderr: '' });
  return (JSON.parse(listed.stdout) as { keys: Record<string, unknown>[] }).keys;
}
const latest: Partial<Record<ServiceName, Promise<string>>> = {};
/** The directory of a service that was never of an earlier version. */
function freshDirectory(service: ServiceName): Promise<string> {
  latest[service] ??= makeDirectory(service);
  return latest[service];
}
async function makeDirectory(service: ServiceName): Promise<string> {
  const directory = fresh();
  await openSigningKey(directory);
  await loadOrCreateKeyRing(join(directory, 'key-encryption-key'));
  await writeFile(databaseFile(directory), '', { mode: 0o600 });
  await migrate(service, directory);
  return directory;
}

/** What was in the database, read through the schema of the fixture (`version`) or today's. */
function contentsOf(
  { service, version }: Earlier,
  directory: string,
  isUpgraded: boolean,
): Record<string, Rows> {
  const all = (sql: string) => query(directory, sql);
  if (service === 'csp') {
    const tables = {
      enrolment_tokens: '*',
      owners: 'owner_id, thumbprint',
      tasks: 'task_id, task, digest, agreement, state, sealed_secret_key, unblinding_digest, sealed_shares',
      records: '*',
      ...(version > 1 ? { audit: '*' } : {}),
    };
    const rows = Object.entries(tables).map(([table, columns]) => [
      table,
      all(`SELECT ${columns} FROM ${table} ORDER BY 1, 2`),
    ]);
    return Object.fromEntries(rows);
  }
  const common = {
    tasks: all(
      `SELECT task_id, task, state, agreement, sealed_blinding, blinded, projection, failure, timings, ended_at_csp
       FROM tasks ORDER BY 1`,
    ),
    contributions: all(
      'SELECT task_id, owner_id, digest, receipt, withdrawn FROM contributions ORDER BY task_id, owner_id',
    ),
  };
  const bodies =
    version > 1 || isUpgraded
      ? `SELECT task_id, owner_id, record, bytes FROM contribution_bodies JOIN contributions USING (task_id, sequence)`
      : 'SELECT task_id, owner_id, record, bytes FROM contributions WHERE bytes IS NOT NULL';
  const numbered =
    version > 1
      ? { sequences: all('SELECT task_id, owner_id, sequence, batch FROM contributions ORDER BY 1, 2') }
      : {};
  return { ...common, bodies: all(`${bodies} ORDER BY task_id, owner_id`), ...numbered };
}

test.each(['csp', 'data-user'] as const)(
  'there is a database of every earlier version of the %s',
  async (service) => {
    const latest = versionOf(await freshDirectory(service));
    const versions = new Set(EARLIER.filter((it) => it.service === service).map(({ version }) => version));
    for (let version = 1; version < latest; version++) expect(versions).toContain(version);
  },
);

describe.each(EARLIER)('a database of $service, version $version, of $release', (earlier) => {
  const { service, version } = earlier;

  test('has the schema of a fresh one once it is opened, and every row', async () => {
    const directory = await earlierDirectory(earlier, fresh());
    expect(versionOf(directory)).toBe(version);
    const before = contentsOf(earlier, directory, false);
    for (const rows of Object.values(before)) expect(rows.length).toBeGreaterThan(0);
    const keys = await migrate(service, directory);
    const latest = await freshDirectory(service);
    expect(versionOf(directory)).toBe(versionOf(latest));
    expect(schemaOf(directory)).toEqual(schemaOf(latest));
    expect(contentsOf(earlier, directory, true)).toEqual(before);
    expect(query(directory, 'PRAGMA foreign_key_check')).toEqual([]);
    expect(query(directory, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    // Its sealed values open under the key that was always theirs.
    expect(keys).toEqual([{ id: expect.any(String), use: 'seals', values: expect.any(Number) }]);
    const rotated = await runInProcess(
      nameOf(service),
      '--json',
      'key',
      'rotate',
      '--data-directory',
      directory,
    );
    expect(JSON.parse(rotated.stdout)).toMatchObject({ resealed: keys[0]!.values });
    expect(keys[0]!.values).toBeGreaterThan(0);
  });

  const isLatest = earlier === latestOf(service);
  const killedAt = isLatest ? [2, 14] : [2, 8, 14, 20];
  test.skipIf(cannotTrace !== undefined)(
    'is an earlier one or the latest, and whole, wherever the process was killed',
    { tags: ['long'] },
    async () => {
      const latest = versionOf(await freshDirectory(service));
      if (version === latest) return; // nothing to migrate
      const left = await Promise.all(
        killedAt.map(async (nth) => {
          const directory = await earlierDirectory(earlier, fresh());
          const before = contentsOf(earlier, directory, false);
          const command = ['key', 'list', '--data-directory', directory];
          await runUntilKilled(nameOf(service), command, 'pwrite64', nth); // or it has ended before
          const reached = versionOf(directory);
          expect(query(directory, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
          if (reached === version) {
            // As the release that made it knows it: that could be installed again.
            const original = new DatabaseSync(':memory:');
            original.exec(await earlierSql(earlier));
            const tables = original.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all();
            original.close();
            expect(query(directory, 'SELECT name, sql FROM sqlite_schema ORDER BY name')).toEqual(tables);
            expect(contentsOf(earlier, directory, false)).toEqual(before);
          }
          await migrate(service, directory);
          expect(versionOf(directory)).toBe(latest);
          expect(contentsOf(earlier, directory, true)).toEqual(before);
          return reached;
        }),
      );
      expect(left).toContain(version);
    },
  );
});

/** Today's services on directories of an earlier release, at the time when those were left. */
async function earlierWorld(csp: string, dataUser: string, time: string): Promise<World> {
  const now = () => new Date(time);
  return World.start({
    csp: { dataDirectory: csp, dataUsers: [(await openSigningKey(dataUser)).thumbprint] },
    cspOverrides: { now },
    dataUser: { dataDirectory: dataUser, cspThumbprint: (await openSigningKey(csp)).thumbprint },
    dataUserOverrides: { now },
  });
}

const pairs = EARLIER.filter(({ service }) => service === 'csp').flatMap((csp) =>
  EARLIER.filter(({ service, release }) => service === 'data-user' && release === csp.release).map(
    (dataUser) => ({ csp, dataUser }),
  ),
);

describe.each(pairs)(
  'services of $csp.release, CSP $csp.version and data user $dataUser.version,',
  ({ csp, dataUser }) => {
    const tags = csp === pairs.at(-1)?.csp ? [] : ['long'];
    test('go on with their tasks, each to the result that it must have', { tags }, async () => {
      const { time, ...tasks } = await earlierTasks(csp.release);
      const cspDirectory = await earlierDirectory(csp, fresh());
      const dataUserDirectory = await earlierDirectory(dataUser, fresh());
      const receipts = query(
        dataUserDirectory,
        'SELECT owner_id, digest, receipt FROM contributions ORDER BY receipt',
      );
      const world = await earlierWorld(cspDirectory, dataUserDirectory, time);
      try {
        const client = await world.taskClient();
        const byHand = await ByHand.start(world);
        const stateOf = async (name: Exclude<keyof typeof tasks, 'awaited'>) =>
          (await client.status(tasks[name])).state;
        expect(await stateOf('open')).toBe('open');
        expect(await client.status(tasks.open)).toMatchObject({ contributions: 3 });
        await expect(client.closeTask(tasks.agreed)).rejects.toMatchObject({ code: 'ERR_MINIMUM_OWNERS' });
        await client.closeTask(tasks.open);
        for (const name of ['done', 'open', 'blinded', 'unblinded'] as const) {
          await expect.poll(() => stateOf(name)).toBe('done');
          const row = query(dataUserDirectory, 'SELECT task FROM tasks WHERE task_id = ?', tasks[name])[0]!;
          const task = JSON.parse(String(row.task)) as Parameters<typeof expectReference>[1];
          expectReference(await client.result(tasks[name]), task, byHand.parts);
        }
        expect(await stateOf('cancelled')).toBe('cancelled');
        // What protects against replay has come along.
        expect(
          query(dataUserDirectory, 'SELECT owner_id, digest, receipt FROM contributions ORDER BY receipt'),
        ).toEqual(receipts);
        const ended = () =>
          query(cspDirectory, "SELECT count(*) AS n FROM tasks WHERE state = 'ended'")[0]!.n;
        await expect.poll(ended).toBe(tasks.awaited === undefined ? 5 : 6);
        verifyAudit(readAudit(cspDirectory));
      } finally {
        await world.close();
      }
    });
  },
);

const homes = pairs.filter(({ csp }) => Number(csp.release.split('-')[1]) >= 7);

for (const pair of homes)
  test(`an owner with a folder of ${pair.csp.release} sends the very bytes that lie there, once`, {
    tags: pair === homes.at(-1) ? [] : ['long'],
  }, async () => {
    const { time, ...tasks } = await earlierTasks(pair.csp.release);
    const cspDirectory = await earlierDirectory(pair.csp, fresh());
    const dataUserDirectory = await earlierDirectory(pair.dataUser, fresh());
    const world = await earlierWorld(cspDirectory, dataUserDirectory, time);
    try {
      const { parts } = await ByHand.start(world);
      const folder = join(world.folder, 'owner-of-before');
      await cp(earlierHome(pair.csp.release), folder, { recursive: true });
      await chmod(folder, 0o700);
      for (const name of await readdir(folder)) await chmod(join(folder, name), 0o600);
      // The CSP's address is this test's.
      const file = join(folder, 'enrolment.json');
      const enrolment = JSON.parse(await readFile(file, 'utf8')) as object;
      await writeFile(file, JSON.stringify({ ...enrolment, csp: world.cspAddress }));
      const { owner, home } = world.ownerAt(folder);
      const bytes = (await home.pending(tasks.awaited!))!.bytes as Uint8Array;
      const contribute = () =>
        owner.contribute(world.dataUserAddress, tasks.awaited!, async (task) => summarise(task, parts[0]!));
      const receipt = await contribute();
      expect(receipt.contributionDigest).toBe(digestBytes('contribution', bytes));
      expect(await contribute()).toEqual(receipt);
      expect(await (await world.taskClient()).status(tasks.awaited!)).toMatchObject({ contributions: 1 });
    } finally {
      await world.close();
    }
  });
