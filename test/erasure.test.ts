/**
 * What a task leaves behind when it is over: digests and receipts, and of everything else not a byte in any
 * file.
 *
 * @claims S-77
 */
import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '@eigenveil/server';
import type { TaskId } from '@eigenveil/task';
import type { SignedTask } from '@eigenveil/wire';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ByHand } from './support/by-hand.ts';
import { isStillInFiles, query } from './support/database.ts';
import type { Contribution } from './support/requests.ts';
import { RogueDataUser } from './support/rogue.ts';
import { type Enrolled, World } from './support/world.ts';

let world: World;
let byHand: ByHand;
let owners: Enrolled[];
let signed: SignedTask;
let id: TaskId;
let sent: Contribution[];

beforeAll(async () => {
  world = await World.start({ proxied: true, dataUser: { cspPatienceSeconds: 0 } });
  byHand = await ByHand.start(world);
  owners = await byHand.owners(3);
});
beforeEach(async () => {
  signed = await byHand.create();
  id = signed.task.id;
  sent = [];
  for (const [part, owner] of owners.entries()) sent.push(await byHand.contribute(owner, signed, part));
});
afterAll(() => world.close());

type Secrets = Record<string, Uint8Array>;

const column = (dataDirectory: string, name: string): Uint8Array =>
  query(dataDirectory, `SELECT ${name} FROM tasks WHERE task_id = ?`, id)[0]![name] as Uint8Array;
/** Which of the secrets can be found in the files of a service. */
const found = ({ dataDirectory }: { dataDirectory: string }, secrets: Secrets) =>
  Object.keys(secrets).filter((name) => isStillInFiles(dataDirectory, secrets[name]!));
/** Ciphertexts and records; of a record its signature, since the rest of it stands in the receipt, too. */
const contributionsOf = () =>
  Object.fromEntries(
    sent.flatMap(({ bytes, record }, i) => [
      [`contribution ${i}`, bytes],
      [`record ${i}`, Buffer.from(record.split('.')[2]!)],
    ]),
  ) as Secrets;

/** Lets the task run until the two-party connection, and collects what must not outlive it. */
async function runUntilUnblinded(): Promise<{ atCsp: Secrets; atDataUser: Secrets }> {
  const { cspConfig: csp, dataUserConfig: dataUser } = world;
  const secretKey = { 'secret key': column(csp.dataDirectory, 'sealed_secret_key') };
  expect(found(csp, secretKey)).toEqual(Object.keys(secretKey));
  world.proxies.csp.inject(/two-party$/, { kind: 'lose request' }, Number.POSITIVE_INFINITY);
  const client = await world.taskClient();
  await client.closeTask(id);
  await expect.poll(async () => (await client.status(id)).state).toBe('unblinded');
  const shares = { shares: column(csp.dataDirectory, 'sealed_shares') };
  const atDataUser = {
    ...contributionsOf(),
    'blinding values': column(dataUser.dataDirectory, 'sealed_blinding'),
    'blinded ciphertexts': column(dataUser.dataDirectory, 'blinded'),
    'partial product': query(
      dataUser.dataDirectory,
      'SELECT bytes FROM partial_products WHERE task_id = ?',
      id,
    )[0]!.bytes as Uint8Array,
  };
  // The key has done its work; everything else is still needed, which also shows that the search finds what is there.
  expect(found(csp, secretKey)).toEqual([]);
  expect(found(csp, shares)).toEqual(Object.keys(shares));
  expect(found(dataUser, atDataUser)).toEqual(Object.keys(atDataUser));
  return { atCsp: { ...secretKey, ...shares }, atDataUser };
}

async function expectErased({ atCsp, atDataUser }: { atCsp: Secrets; atDataUser: Secrets }): Promise<void> {
  const state = () =>
    query(world.cspConfig.dataDirectory, 'SELECT state FROM tasks WHERE task_id = ?', id)[0];
  await expect.poll(state).toEqual({ state: 'ended' });
  expect(found(world.dataUserConfig, atDataUser)).toEqual([]);
  expect(found(world.cspConfig, atCsp)).toEqual([]);
  const records = 'SELECT owner_id FROM records WHERE task_id = ?';
  expect(query(world.cspConfig.dataDirectory, records, id)).toEqual([]);
  for (const table of ['contribution_bodies', 'partial_products']) {
    const rows = query(world.dataUserConfig.dataDirectory, `SELECT * FROM ${table} WHERE task_id = ?`, id);
    expect(rows).toEqual([]);
  }
}

/** The CSP remembers the task without its records: neither the proposal nor a record begins it again. */
async function expectOverAtCsp(): Promise<void> {
  const dataUser = await RogueDataUser.of(world);
  expect((await dataUser.propose(signed.task)).code).toBe('ERR_TASK_CLOSED');
  const other = { ...signed.task, maximumOwners: signed.task.maximumOwners - 1 };
  expect((await dataUser.propose(other)).code).toBe('ERR_TASK_CONFLICT');
  const records = sent.map(({ record }) => record);
  expect((await dataUser.records(id, records)).code).toBe('ERR_TASK_CLOSED');
  expect(query(world.cspConfig.dataDirectory, 'SELECT owner_id FROM records WHERE task_id = ?', id)).toEqual(
    [],
  );
}

/** Digests and receipts protect against replay after the data is gone, and after a restart. */
async function expectReplayRefused(): Promise<void> {
  await world.stopDataUser();
  await world.startDataUser();
  const sql = 'SELECT receipt FROM contributions WHERE task_id = ?';
  const rows = query(world.dataUserConfig.dataDirectory, sql, id);
  expect(rows).toHaveLength(3);
  const again = await byHand.put(owners[0]!, id, sent[0]!);
  expect(rows.map(({ receipt }) => receipt)).toContain(again.json.receipt);
  const other = await byHand.contribution(owners[0]!, signed, 0);
  expect((await byHand.put(owners[0]!, id, other)).code).toBe('ERR_CONTRIBUTION_CONFLICT');
}

describe('nothing secret is left in the files', () => {
  test('of a task that is done', async () => {
    const secrets = await runUntilUnblinded();
    world.proxies.csp.heal();
    await byHand.expectResult(signed, [0, 1, 2]);
    await expectErased(secrets);
    await expectReplayRefused();
    await expectOverAtCsp();
  });

  test('of a task that is cancelled at the last moment', { tags: ['long'] }, async () => {
    const secrets = await runUntilUnblinded();
    await (await world.taskClient()).cancelTask(id);
    world.proxies.csp.heal();
    await expectErased(secrets);
    await expectReplayRefused();
    await expectOverAtCsp();
  });

  test('of a task that is cancelled while it is open', { tags: ['long'] }, async () => {
    const atCsp = { 'secret key': column(world.cspConfig.dataDirectory, 'sealed_secret_key') };
    const atDataUser = contributionsOf();
    expect(found(world.dataUserConfig, atDataUser)).toHaveLength(6);
    await (await world.taskClient()).cancelTask(id);
    await expectErased({ atCsp, atDataUser });
    await expectReplayRefused();
    await expectOverAtCsp();
  });

  test('of a contribution that is withdrawn', async () => {
    const secrets = contributionsOf();
    const mine = { contribution: secrets['contribution 0']!, record: secrets['record 0']! };
    expect(found(world.dataUserConfig, mine)).toHaveLength(2);
    expect((await byHand.withdraw(owners[0]!, id)).status).toBe(204);
    expect(found(world.dataUserConfig, mine)).toEqual([]);
    await byHand.expectResult(signed, [1, 2]);
  });

  // A backup, say, which reads for a while: the log cannot be emptied as long as it does.
  test('once nobody else reads the database any more', async () => {
    const reader = new DatabaseSync(databaseFile(world.dataUserConfig.dataDirectory), { readOnly: true });
    reader.exec('BEGIN; SELECT count(*) FROM tasks;');
    await (await world.taskClient()).cancelTask(id);
    reader.close();
    await expect.poll(() => found(world.dataUserConfig, contributionsOf())).toEqual([]);
  });
});
