/** Backups of running services, and that nothing promised since is broken when an old one is restored. */
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { inviteOwners, readAudit, verifyAudit } from '@eigenveil/csp';
import { databaseFile, openSigningKey } from '@eigenveil/server';
import { layout } from '@eigenveil/statistics';
import { digestBytes, generatePrivateJwk, type SignedTask, signStatement, Thumbprint } from '@eigenveil/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ByHand, type Enrolled } from './support/by-hand.ts';
import { query } from './support/database.ts';
import { earlierDirectory, earlierTasks, latestOf } from './support/earlier.ts';
import { runInProcess } from './support/in-process.ts';
import { runUntilKilled } from './support/killed.ts';
import { type Contribution, encryptValues, recordFor } from './support/requests.ts';
import { RogueDataUser } from './support/rogue.ts';
import { straceProblem } from './support/system-calls.ts';
import { World } from './support/world.ts';

let folder: string;
let count = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-backup-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Name = 'csp' | 'user';
const fresh = (name: string) => join(folder, `${name}-${++count}`);
const back = (name: Name, dataDirectory: string, to: string) =>
  runInProcess(name, '--json', 'backup', '--data-directory', dataDirectory, '--to', to);
const restore = (name: Name, dataDirectory: string, from: string) =>
  runInProcess(name, '--json', 'restore', '--data-directory', dataDirectory, '--from', from);
const succeeds = async (finished: ReturnType<typeof back>) => {
  const { stdout, ...rest } = await finished;
  expect(rest).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as Record<string, unknown>;
};
const fails = async (finished: ReturnType<typeof back>) => {
  const { stdout, stderr, exitCode } = await finished;
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
  return JSON.parse(stderr) as { code: string; detail: string };
};

/** A backup of a running service in a folder of its own. */
async function backedUp(name: Name, dataDirectory: string): Promise<string> {
  const to = fresh('backup');
  await succeeds(back(name, dataDirectory, to));
  return to;
}

/** Loses everything of a service but its identity. */
async function lose(dataDirectory: string): Promise<void> {
  const key = await readFile(join(dataDirectory, 'signing-key.json'));
  await rm(dataDirectory, { recursive: true });
  await mkdir(dataDirectory, { mode: 0o700 });
  await writeFile(join(dataDirectory, 'signing-key.json'), key, { mode: 0o600 });
}

const SECRETS = {
  csp: 'SELECT sealed_secret_key AS a, sealed_shares AS b FROM tasks',
  user: 'SELECT sealed_blinding AS a, blinded AS b FROM tasks UNION SELECT bytes, NULL FROM contribution_bodies',
} as const;
const secretsOf = (name: Name, dataDirectory: string) =>
  query(dataDirectory, SECRETS[name]).flatMap(
    ({ a, b }) => [a, b].filter((it) => it !== null) as Uint8Array[],
  );

describe.each(['csp', 'user'] as const)('a backup of eigenveil-%s', (name) => {
  const service = name === 'csp' ? 'csp' : 'data-user';
  let directory: string;
  let backup: string;
  beforeAll(async () => {
    directory = await earlierDirectory(latestOf(service), fresh(name));
    backup = await backedUp(name, directory); // which brings the copy to the latest schema, not the original
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
      schemaVersion: expect.any(Number),
      files: { 'database.sqlite': { bytes: bytes.length, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } },
    });
    expect(Number(manifest.schemaVersion)).toBeGreaterThanOrEqual(Number(before?.user_version));
    for (const file of await readdir(backup))
      expect((await stat(join(backup, file))).mode & 0o777).toBe(0o600);
    expect((await stat(backup)).mode & 0o777).toBe(0o700);
    const all = await earlierDirectory(latestOf(service), fresh(name));
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
    const taken = await fails(back(name, directory, directory));
    expect(taken).toMatchObject({
      code: 'ERR_BACKUP',
      detail: expect.stringContaining('is empty or not there'),
    });
    expect(await fails(back(name, join(folder, 'nowhere'), fresh('none')))).toMatchObject({
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

  const cannotKill = straceProblem() !== undefined;
  test.skipIf(cannotKill).each([
    ['fsync', 1],
    ['fsync', 3],
    ['rename', 1],
  ] as const)('is restored again when that was killed at %s number %i', async (call, nth) => {
    const target = await empty();
    const command = ['restore', '--data-directory', target, '--from', backup];
    expect(await runUntilKilled(name, command, call, nth)).toBe(true);
    expect(existsSync(databaseFile(target))).toBe(false);
    await succeeds(restore(name, target, backup));
    expect((await readdir(target)).filter((file) => file.startsWith('restored'))).toEqual([]);
  });

  test.skipIf(cannotKill)('that was killed is no backup, and leaves no copy after the next', async () => {
    const to = fresh('killed');
    // The copy is made and not yet prepared.
    const command = ['backup', '--data-directory', directory, '--to', to];
    expect(await runUntilKilled(name, command, 'fsync', 2)).toBe(true);
    expect(await fails(restore(name, await empty(), to))).toMatchObject({ code: 'ERR_BACKUP' });
    await backedUp(name, directory);
    const left = await readdir(join(directory, 'backup-draft'));
    expect(left.filter((file) => file.startsWith('database'))).toEqual([]);
  });
});

describe('a CSP that is restored', () => {
  let world: World;
  let rogue: RogueDataUser;
  let owners: Enrolled[];
  let byHand: ByHand;
  beforeAll(async () => {
    world = await World.start();
    byHand = await ByHand.start(world);
    rogue = await RogueDataUser.of(world);
    owners = await byHand.owners(3);
  });
  afterAll(() => world.close());

  const encryptAll = (signed: SignedTask, value: bigint) =>
    encryptValues(
      signed,
      layout(signed.task).valueBits.map(() => value),
    );
  /** A task that is ready to be unblinded. */
  async function ready() {
    const signed = await rogue.agree({ ...byHand.proposal, minimumOwners: 2 });
    const [first, second] = [await encryptAll(signed, 1n), await encryptAll(signed, 2n)];
    const records = await Promise.all(owners.map(({ home }) => recordFor(signed, home, first)));
    expect((await rogue.records(signed.task.id, records)).status).toBe(200);
    return { signed, id: signed.task.id, first, second, records };
  }
  async function restored(from: string): Promise<void> {
    const { dataDirectory } = world.cspConfig;
    await world.stopCsp();
    await lose(dataDirectory);
    await succeeds(restore('csp', dataDirectory, from));
    await world.startCsp();
  }

  // What the next test is about: this is what must not happen.
  test('by hand, from a copy of its files, unblinds a task again with other ciphertexts', async () => {
    const { id, first, second } = await ready();
    const { dataDirectory } = world.cspConfig;
    await world.stopCsp();
    const copy = fresh('copy');
    await cp(dataDirectory, copy, { recursive: true });
    await world.startCsp();
    expect((await rogue.unblind(id, first)).status).toBe(200);
    expect((await rogue.unblind(id, second)).code).toBe('ERR_UNBLINDING_CONFLICT');
    await world.stopCsp();
    await rm(dataDirectory, { recursive: true });
    await cp(copy, dataDirectory, { recursive: true });
    await world.startCsp();
    expect((await rogue.unblind(id, second)).status).toBe(200);
  });

  test('unblinds no task of before again, nor answers, and says so in the audit log', async () => {
    const [task, bound] = [await ready(), await ready()];
    expect((await rogue.unblind(bound.id, bound.first)).status).toBe(200);
    const backup = await backedUp('csp', world.cspConfig.dataDirectory);
    const later = await ready();
    expect((await rogue.unblind(task.id, task.first)).status).toBe(200);
    const before = verifyAudit(readAudit(world.cspConfig.dataDirectory));
    const atBackup = before.entries.findIndex(({ taskId }) => taskId === later.id);
    await restored(backup);
    for (const { id, first, second, records } of [task, bound]) {
      expect((await rogue.unblind(id, second)).code).toBe('ERR_TASK_CLOSED');
      expect((await rogue.unblind(id, first)).code).toBe('ERR_TASK_CLOSED');
      expect((await rogue.records(id, records)).code).toBe('ERR_TASK_CLOSED');
      expect((await rogue.connect(id)).code).toBe('ERR_TASK_CLOSED');
    }
    expect((await rogue.propose(task.signed.task)).code).toBe('ERR_TASK_CLOSED');
    expect((await rogue.unblind(later.id, later.first)).code).toBe('ERR_TASK_UNKNOWN');
    // The log goes on from the backup; a hash that was noted before it is still there, one noted after it is missed.
    const { entries } = verifyAudit(
      readAudit(world.cspConfig.dataDirectory),
      before.entries[atBackup - 1]!.hash,
    );
    expect(entries.slice(0, atBackup)).toEqual(before.entries.slice(0, atBackup));
    expect(entries[atBackup]).toMatchObject({ operation: 'restored', taskId: null });
    expect(entries.slice(atBackup + 1)).toContainEqual(
      expect.objectContaining({ operation: 'key destroyed', taskId: task.id, requestDigest: null }),
    );
    expect(() => verifyAudit(readAudit(world.cspConfig.dataDirectory), before.lastHash)).toThrow(
      /noted hash/,
    );
    expect(secretsOf('csp', world.cspConfig.dataDirectory)).toEqual([]);
    const shown = await runInProcess(
      'csp',
      'audit',
      'show',
      '--data-directory',
      world.cspConfig.dataDirectory,
    );
    expect(shown.stdout).toMatch(/Z {2}- {2}restored {2}[\w-]{43} {2}/);
  });

  test('takes no enrolment token of before, but knows the owners that had enrolled', async () => {
    const { dataDirectory } = world.cspConfig;
    const [used, unused] = await inviteOwners(dataDirectory, 2, 3600);
    const cspThumbprint = Thumbprint.parse(world.dataUserConfig.cspThumbprint);
    const backup = await backedUp('csp', dataDirectory);
    const late = world.newOwner();
    await late.owner.enrol(world.cspAddress, used!, cspThumbprint);
    await restored(backup);
    for (const token of [used!, unused!])
      await expect(
        world.newOwner().owner.enrol(world.cspAddress, token, cspThumbprint),
      ).rejects.toMatchObject({
        code: 'ERR_ENROLMENT_TOKEN',
      });
    const signed = await byHand.create();
    for (const [part, owner] of owners.entries()) await byHand.contribute(owner, signed, part);
    await byHand.expectResult(signed, [0, 1, 2]);
    const unknown = await recordFor(signed, late.home, Buffer.from('x'));
    const task = await ready();
    expect((await rogue.records(task.id, [unknown])).code).toBe('ERR_RECORD_INVALID');
    // It enrols again, and is an owner like any other.
    const [again] = await inviteOwners(dataDirectory, 1, 3600);
    await late.owner.enrol(world.cspAddress, again!, cspThumbprint);
    const record = await recordFor(task.signed, late.home, task.first);
    expect((await rogue.records(task.id, [record])).status).toBe(200);
  });
});

describe('a data user that is restored', () => {
  let world: World;
  let byHand: ByHand;
  let owners: Enrolled[];
  let done: SignedTask;
  let doneWith: Contribution;
  beforeAll(async () => {
    world = await World.start();
    byHand = await ByHand.start(world);
    owners = await byHand.owners(3);
  });
  afterAll(() => world.close());
  const stateAtCsp = (id: string) =>
    query(world.cspConfig.dataDirectory, 'SELECT state FROM tasks WHERE task_id = ?', id)[0]?.state;

  test('has a task that is done before', async () => {
    done = await byHand.create({ releaseToOwners: true });
    doneWith = await byHand.contribute(owners[0]!, done, 0);
    await byHand.contribute(owners[1]!, done, 1);
    await byHand.expectResult(done, [0, 1]);
  });

  test('gives up what had not ended, at both servers, and keeps what had', async () => {
    const { dataDirectory } = world.dataUserConfig;
    const signed = await byHand.create();
    const early = await byHand.contribute(owners[0]!, signed, 0);
    const backup = await backedUp('user', dataDirectory);
    // Contributions go on while the service is backed up, and each has a receipt.
    const late = await byHand.contribute(owners[1]!, signed, 1);
    const unknown = await byHand.create();
    await world.stopDataUser();
    await lose(dataDirectory);
    await succeeds(restore('user', dataDirectory, backup));
    await world.startDataUser();

    const { id } = signed.task;
    expect(await byHand.status(id)).toMatchObject({
      state: 'failed',
      failure: { code: 'ERR_TASK_RESTORED', message: expect.stringContaining('restored from a backup') },
    });
    await expect.poll(() => stateAtCsp(id), { timeout: 20_000 }).toBe('ended');
    expect((await byHand.put(owners[1]!, id, late)).code).toBe('ERR_TASK_CLOSED');
    expect((await byHand.put(owners[0]!, id, early)).json.receipt).toEqual(expect.any(String));
    expect(secretsOf('user', dataDirectory)).toEqual([]);
    const client = await world.taskClient();
    await expect(client.closeTask(id)).rejects.toMatchObject({ code: 'ERR_TASK_CLOSED' });
    await expect(client.result(id)).rejects.toMatchObject({ code: 'ERR_TASK_RESTORED' });
    await expect(client.status(unknown.task.id)).rejects.toMatchObject({ code: 'ERR_TASK_UNKNOWN' });

    expect((await client.result(done.task.id)).taskId).toBe(done.task.id);
    expect((await byHand.put(owners[0]!, done.task.id, doneWith)).json.receipt).toEqual(expect.any(String));
    const other = await byHand.contribution(owners[0]!, done, 0);
    expect(digestBytes('contribution', other.bytes)).not.toBe(digestBytes('contribution', doneWith.bytes));
    expect((await byHand.put(owners[0]!, done.task.id, other)).code).toBe('ERR_CONTRIBUTION_CONFLICT');
    const next = await byHand.create();
    for (const [part, owner] of owners.entries()) await byHand.contribute(owner, next, part);
    await byHand.expectResult(next, [0, 1, 2]);
  });

  test('has given up in the backup already whatever the task was in the midst of', async () => {
    const directory = await earlierDirectory(latestOf('data-user'), fresh('midst'));
    const backup = await backedUp('user', directory);
    const target = fresh('target');
    await mkdir(target);
    await copyFile(join(directory, 'signing-key.json'), join(target, 'signing-key.json'));
    await succeeds(restore('user', target, backup));
    const rows = query(target, 'SELECT task_id, state, failure FROM tasks');
    const codeOf = (id: string) => {
      const row = rows.find(({ task_id }) => task_id === id)!;
      return row.failure === null ? row.state : (JSON.parse(String(row.failure)) as { code: string }).code;
    };
    const { time: _, ...tasks } = await earlierTasks(latestOf('data-user').release);
    const codes = Object.entries(tasks).map(([name, id]) => [name, codeOf(id)]);
    expect(Object.fromEntries(codes)).toEqual({
      done: 'done',
      cancelled: 'cancelled',
      open: 'ERR_TASK_RESTORED',
      agreed: 'ERR_TASK_RESTORED',
      blinded: 'ERR_TASK_RESTORED',
      unblinded: 'ERR_TASK_RESTORED',
    });
  });
});
