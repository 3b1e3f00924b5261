/**
 * What the CSP's operator takes back by commands, beside the running service: owners, tokens, tasks, data
 * users.
 *
 * @claims S-535, S-537, S-538, S-540, S-541, S-543, S-544
 */
import { inviteOwners, readAudit, verifyAudit } from '@eigenveil/csp';
import type { TaskProposal } from '@eigenveil/task';
import {
  generatePrivateJwk,
  importSigningKey,
  REVOCATIONS,
  Thumbprint,
  verifyStatement,
} from '@eigenveil/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backUp, lose, restore, succeeds } from './support/backups.ts';
import { query } from './support/database.ts';
import { jsonOf, problemOf, runInProcess } from './support/in-process.ts';
import { ownerOf, sendAs } from './support/requests.ts';
import { RogueDataUser } from './support/rogue.ts';
import { encryptAll, rogueTask } from './support/rogue-task.ts';
import { dataFile, exampleOf } from './support/tasks.ts';
import { type Enrolled, World } from './support/world.ts';

let world: World;
let proposal: TaskProposal;
let rogue: RogueDataUser;
/** Another data user that the settings of the CSP name. */
let other: RogueDataUser;
beforeAll(async () => {
  const otherKey = await importSigningKey(await generatePrivateJwk());
  world = await World.start({
    csp: {
      dataUsers: [otherKey.thumbprint],
      quotas: { [otherKey.thumbprint]: { openTasks: 2, tasksPerDay: 3 } },
    },
  });
  proposal = { ...(await exampleOf(dataFile('iris'), 'pca')).proposal, minimumOwners: 2, maximumOwners: 5 };
  rogue = await RogueDataUser.of(world);
  other = await RogueDataUser.of(world, otherKey);
});
afterAll(() => world.close());

const command = (group: string, verb: string, ...more: string[]) => {
  const where = ['--data-directory', world.cspConfig.dataDirectory];
  // Behind it, since an id may begin with "-".
  const rest = verb === 'list' ? more : ['--', ...more];
  return runInProcess('csp', '--json', group, verb, ...where, ...rest);
};
const succeed = async (...args: Parameters<typeof command>) => jsonOf(await command(...args));
const idOf = async ({ home }: Enrolled) => (await home.enrolment())!.ownerId;
const enrolled = (n: number) => Promise.all(Array.from({ length: n }, () => world.enrolledOwner()));
const audited = () =>
  verifyAudit(readAudit(world.cspConfig.dataDirectory)).entries.map(({ operation }) => operation);
const stored = (id: string) =>
  query(
    world.cspConfig.dataDirectory,
    'SELECT state, sealed_secret_key, sealed_shares FROM tasks WHERE task_id = ?',
    id,
  )[0]!;

describe('an owner that is revoked', () => {
  let owners: Enrolled[];
  beforeAll(async () => {
    owners = await enrolled(4);
  });

  test('is on the signed list, is refused at once, and is in no task that is not fixed', async () => {
    const [open, fixed] = [
      await rogueTask(rogue, proposal, owners),
      await rogueTask(rogue, proposal, owners),
    ];
    for (const { id, records } of [open, fixed]) expect((await rogue.records(id, records)).status).toBe(200);
    expect((await rogue.fix(fixed.id, fixed.records)).json).toEqual({ verifiedOwners: 4 });
    const before = await rogue.revocations();
    const [first] = owners;
    const ownerId = await idOf(first!);

    const { number } = (await succeed('owners', 'revoke', ownerId)) as { number: number };
    expect(number).toBeGreaterThan(before.number);
    expect(await succeed('owners', 'revoke', ownerId)).toEqual({ number, revoked: [], tasks: [] });
    const list = await rogue.revocations();
    expect(list).toMatchObject({ number, owners: [...before.owners, ownerId].toSorted() });

    const withdrawal = { method: 'DELETE', path: `/tasks/${open.id}/record` };
    const withdrawn = await sendAs(world.cspAddress, await ownerOf(first!.home), withdrawal);
    expect(withdrawn).toMatchObject({ status: 409, code: 'ERR_OWNER_REVOKED' });
    const [token] = await inviteOwners(world.cspConfig.dataDirectory, 1, 60);
    const { cspThumbprint } = world.dataUserConfig;
    const again = first!.owner.enrol(world.cspAddress, token!, Thumbprint.parse(cspThumbprint));
    await expect(again).rejects.toMatchObject({ code: 'ERR_OWNER_REVOKED' });
    expect(await succeed('tokens', 'list')).toMatchObject({ tokens: [{ state: 'unused' }] }); // not used up
    await succeed('tokens', 'revoke', token!);

    // Whoever hands in the record again gets nothing of that request counted.
    expect((await rogue.records(open.id, open.records)).code).toBe('ERR_OWNER_REVOKED');
    const rest = open.records.slice(1);
    expect((await rogue.fix(open.id, open.records)).code).toBe('ERR_RECORDS_CHANGED');
    expect((await rogue.fix(open.id, rest)).json).toEqual({ verifiedOwners: 3 });
    // What was fixed before stays, and is unblinded.
    expect((await rogue.records(fixed.id, fixed.records)).json).toEqual({ verifiedOwners: 4 });
    expect((await rogue.unblind(fixed.id, fixed.blinded)).status).toBe(200);
    expect(audited()).toEqual(expect.arrayContaining(['records fixed', 'owner revoked', 'token revoked']));
  });

  test('is listed with its key and times, and only owners of this CSP can be revoked, all or none', async () => {
    const ownerId = await idOf(owners[1]!);
    const nobody = 'A'.repeat(22);
    const refused = problemOf(await command('owners', 'revoke', ownerId, nobody));
    expect(refused).toMatchObject({ exitCode: 2, code: 'ERR_CONFIGURATION' });
    expect(refused.detail).toContain(nobody);
    const { owners: listed } = (await succeed('owners', 'list')) as { owners: Record<string, unknown>[] };
    expect(listed.find((it) => it.ownerId === ownerId)).toMatchObject({
      revokedAt: null,
      enrolledAt: expect.stringMatching(/^20/),
      thumbprint: (await owners[1]!.home.signingKey()).thumbprint,
    });
    const { owners: revoked } = (await succeed('owners', 'list', '--revoked')) as { owners: unknown[] };
    expect(revoked).toHaveLength(1);
  });

  test('is on a list that nobody but a data user gets, signed by this CSP, as of the moment', async () => {
    const message = { method: 'GET', path: '/revocations' };
    const asOwner = await sendAs(world.cspAddress, await ownerOf(owners[1]!.home), message);
    expect(asOwner.status).toBe(401);
    const { json } = await sendAs(world.cspAddress, rogue, message);
    const { publicJwk } = await cspKey();
    const list = await verifyStatement(REVOCATIONS, String(json.list), publicJwk);
    expect(Math.abs(Date.parse(list.issuedAt) - Date.now())).toBeLessThan(60_000);
    expect(list.owners).toEqual(list.owners.toSorted());
  });
});

const cspKey = async () => {
  const { openSigningKey } = await import('@eigenveil/server');
  return openSigningKey(world.cspConfig.dataDirectory);
};

describe('a set of records', () => {
  test('is fixed once, to what counts here, by its data user, and to no fewer than the minimum', async () => {
    const owners = await enrolled(3);
    const { id, records, blinded, signed } = await rogueTask(rogue, proposal, owners);
    expect((await rogue.fix(id, records)).code).toBe('ERR_RECORDS_CHANGED'); // none is there
    await rogue.records(id, [records[0]!]);
    expect((await rogue.fix(id, [records[0]!])).code).toBe('ERR_MINIMUM_OWNERS');
    await rogue.records(id, records.slice(0, 2));
    expect((await other.fix(id, records.slice(0, 2))).code).toBe('ERR_TASK_UNKNOWN');
    for (const set of [records.slice(0, 1), records.slice(1), records])
      expect((await rogue.fix(id, set)).code).toBe('ERR_RECORDS_CHANGED');
    const together = await Promise.all([1, 2, 3].map(() => rogue.fix(id, records.slice(0, 2))));
    for (const answer of together) expect(answer.json).toEqual({ verifiedOwners: 2 });
    expect((await rogue.fix(id, records)).code).toBe('ERR_RECORDS_CHANGED');
    expect((await rogue.records(id, [records[2]!])).code).toBe('ERR_TASK_CLOSED');
    const withdrawal = { method: 'DELETE', path: `/tasks/${id}/record` };
    const withdrawn = await sendAs(world.cspAddress, await ownerOf(owners[0]!.home), withdrawal);
    expect(withdrawn.code).toBe('ERR_TASK_CLOSED');
    const entries = verifyAudit(readAudit(world.cspConfig.dataDirectory)).entries;
    expect(entries.filter((it) => it.taskId === id).map((it) => it.operation)).toEqual([
      'key made',
      'records fixed',
    ]);
    expect((await rogue.unblind(id, blinded)).status).toBe(200);
    expect((await rogue.fix(id, records.slice(0, 2))).status).toBe(200);
    expect((await rogue.unblind(id, await encryptAll(signed, 2n))).code).toBe('ERR_UNBLINDING_CONFLICT');
    await rogue.end(id);
    expect((await rogue.fix(id, records.slice(0, 2))).code).toBe('ERR_TASK_CLOSED');
  });
});

describe('a task that the operator ends', () => {
  test('loses its key, and its data user hears that it is closed', async () => {
    const { id, records, blinded } = await rogueTask(rogue, proposal, await enrolled(2));
    await rogue.records(id, records);
    const { tasks } = (await succeed('tasks', 'list')) as { tasks: Record<string, unknown>[] };
    expect(tasks.find(({ taskId }) => taskId === id)).toMatchObject({ state: 'agreed', records: 2 });
    expect(problemOf(await command('tasks', 'end', id, 'A'.repeat(22)))).toMatchObject({
      code: 'ERR_TASK_UNKNOWN',
    });
    expect(stored(id).state).toBe('agreed');
    expect(await succeed('tasks', 'end', id)).toEqual({ ended: [id] });
    expect(await succeed('tasks', 'end', id)).toEqual({ ended: [] });
    expect(stored(id)).toEqual({ state: 'ended', sealed_secret_key: null, sealed_shares: null });
    expect((await rogue.unblind(id, blinded)).code).toBe('ERR_TASK_CLOSED');
    expect((await rogue.records(id, records)).code).toBe('ERR_TASK_CLOSED');
    expect(audited().slice(-2)).toEqual(['ended by operator', 'key destroyed']);
  });

  test('has its open two-party connection broken off', async () => {
    const { id, records, blinded } = await rogueTask(
      rogue,
      { ...proposal, twoParty: 'garbled' },
      await enrolled(2),
    );
    await rogue.records(id, records);
    expect((await rogue.unblind(id, blinded)).status).toBe(200);
    const channel = await rogue.open(id);
    await succeed('tasks', 'end', id);
    const drained = async () => {
      for (;;) await channel.receive();
    };
    await expect(drained()).rejects.toMatchObject({ parameters: { reason: 'ERR_TASK_CLOSED' } });
    expect((await rogue.connect(id)).code).toBe('ERR_TASK_CLOSED');
  });
});

describe('a data user', () => {
  test('has as many tasks as its quota allows; one that ends makes room, but not within the day', async () => {
    const [first] = [await other.agree(proposal), await other.agree(proposal)];
    const refused = await other.propose(other.task(proposal));
    expect(refused).toMatchObject({ status: 429, code: 'ERR_QUOTA' });
    expect((await other.propose(first!.task)).status).toBe(200); // the same again is no other
    expect((await other.end(first!.task.id)).status).toBe(204);
    await other.agree(proposal);
    expect((await other.end((await rogue.agree(proposal)).task.id)).code).toBe('ERR_TASK_UNKNOWN');
    for (const { task_id } of query(
      world.cspConfig.dataDirectory,
      "SELECT task_id FROM tasks WHERE data_user = ? AND state <> 'ended'",
      other.key.thumbprint,
    ))
      await other.end(String(task_id));
    const today = await other.propose(other.task(proposal));
    expect(today.code).toBe('ERR_QUOTA');
    expect(Number(today.headers['retry-after'])).toBeGreaterThan(86_000);
  });

  test('that is revoked stays so, loses its tasks, and is refused whatever the settings say', async () => {
    await world.stopCsp();
    Object.assign(world.cspConfig, { quotas: {} });
    await world.startCsp();
    const { id, records } = await rogueTask(other, proposal, await enrolled(2));
    await other.records(id, records);
    const { thumbprint } = other.key;
    expect(await succeed('data-users', 'revoke', thumbprint)).toEqual({ isNew: true, ended: [id] });
    expect(await succeed('data-users', 'revoke', thumbprint)).toEqual({ isNew: false, ended: [] });
    expect(stored(id)).toMatchObject({ state: 'ended', sealed_secret_key: null });
    const refusals = async () =>
      Promise.all([
        other.records(id, records),
        other.fix(id, records),
        other.connect(id),
        other.end(id),
        other.propose(other.task(proposal)),
        sendAs(world.cspAddress, other, { method: 'GET', path: '/revocations' }),
      ]);
    for (const { code } of await refusals()) expect(code).toBe('ERR_AUTH_FORBIDDEN');
    await world.stopCsp();
    await world.startCsp(); // its settings name it
    for (const { code } of await refusals()) expect(code).toBe('ERR_AUTH_FORBIDDEN');
    const { dataUsers } = (await succeed('data-users', 'list', '--data-users', thumbprint)) as {
      dataUsers: Record<string, unknown>[];
    };
    expect(dataUsers.find((it) => it.thumbprint === thumbprint)).toMatchObject({
      isAdmitted: false,
      openTasks: 0,
      revokedAt: expect.stringMatching(/^20/),
    });
  });
});

test('a CSP that is restored has a list with a higher number, on which later revocations are missing', async () => {
  const [early, late] = await enrolled(2);
  await succeed('owners', 'revoke', await idOf(early!));
  const backup = `${world.folder}/backup`;
  await succeeds(backUp('csp', world.cspConfig.dataDirectory, backup));
  await succeed('owners', 'revoke', await idOf(late!));
  const before = await rogue.revocations();
  await world.stopCsp();
  await lose(world.cspConfig.dataDirectory);
  await succeeds(restore('csp', world.cspConfig.dataDirectory, backup));
  await world.startCsp();
  const after = await rogue.revocations();
  expect(after.number).toBeGreaterThan(before.number);
  expect(after.owners).toContain(await idOf(early!));
  expect(after.owners).not.toContain(await idOf(late!));
  // What the operator is told to do.
  await succeed('owners', 'revoke', await idOf(late!));
  expect((await rogue.revocations()).owners).toEqual(before.owners);
  audited();
});
