/**
 * When a service is restored from an old backup, nothing that was promised since is broken.
 *
 * @claims S-85, S-156
 */
import { existsSync } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { inviteOwners, readAudit, verifyAudit } from '@eigenveil/csp';
import { digestBytes, type SignedTask, Thumbprint } from '@eigenveil/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backedUp, emptyOf, lose, restore, secretsOf, succeeds } from './support/backups.ts';
import { ByHand } from './support/by-hand.ts';
import { query } from './support/database.ts';
import { freshPaths } from './support/fresh-paths.ts';
import { runInProcess } from './support/in-process.ts';
import { keptDirectory, keptTasks } from './support/kept-databases.ts';
import { type Contribution, recordFor } from './support/requests.ts';
import { RogueDataUser } from './support/rogue.ts';
import { encryptAll, rogueTask } from './support/rogue-task.ts';
import { type Enrolled, World } from './support/world.ts';

const fresh = freshPaths();
let world: World;
let byHand: ByHand;
let owners: Enrolled[];
beforeAll(async () => {
  world = await World.start();
  byHand = await ByHand.start(world);
  owners = await byHand.owners(3);
});
afterAll(() => world.close());

describe('a CSP that is restored', () => {
  let rogue: RogueDataUser;
  beforeAll(async () => {
    rogue = await RogueDataUser.of(world);
  });

  /** A task that is ready to be unblinded. */
  async function ready() {
    const proposal = { ...byHand.proposal, minimumOwners: 2 };
    const { signed, id, blinded: first, records } = await rogueTask(rogue, proposal, owners);
    expect((await rogue.records(id, records)).status).toBe(200);
    return { signed, id, first, second: await encryptAll(signed, 2n), records };
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
    const backup = await backedUp('csp', world.cspConfig.dataDirectory, fresh('backup'));
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
    const backup = await backedUp('csp', dataDirectory, fresh('backup'));
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
  let done: SignedTask;
  let doneWith: Contribution;
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
    const backup = await backedUp('user', dataDirectory, fresh('backup'));
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
    await expect.poll(() => stateAtCsp(id)).toBe('ended');
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
    const directory = await keptDirectory('data-user', fresh('midst'));
    const backup = await backedUp('user', directory, fresh('backup'));
    const target = await emptyOf(directory, fresh('target'));
    await succeeds(restore('user', target, backup));
    const rows = query(target, 'SELECT task_id, state, failure FROM tasks');
    const codeOf = (id: string) => {
      const row = rows.find(({ task_id }) => task_id === id)!;
      return row.failure === null ? row.state : (JSON.parse(String(row.failure)) as { code: string }).code;
    };
    const { time: _, ...tasks } = await keptTasks();
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

test('a copy that a killed backup has left is gone when the service has started, unless a backup is being made', async () => {
  const directories = [world.cspConfig.dataDirectory, world.dataUserConfig.dataDirectory];
  const copies = directories.flatMap((directory) =>
    ['', '-wal', '-journal'].map((suffix) => join(directory, 'backup-draft', `database.sqlite${suffix}`)),
  );
  await Promise.all(
    directories.map((directory) => mkdir(join(directory, 'backup-draft'), { recursive: true })),
  );
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
});
