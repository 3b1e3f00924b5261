/** Contributions that the data user must not take, each followed by proof that the task has lost and gained nothing. */
import type { PublicKey } from '@eigenveil/paillier';
import { digestBytes, type OwnerRecord, type SignedTask, TaskId, type TaskProposal } from '@eigenveil/wire';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { query } from './support/database.ts';
import { expectReference } from './support/expectations.ts';
import {
  type Contribution,
  contributionOf,
  contributionRequest,
  credentials,
  ownerOf,
  publicKeyOf,
  recordFor,
  sendAs,
  sendCutOff,
} from './support/requests.ts';
import { dataFile, exampleOf, type LabelledRows, split, summarise } from './support/tasks.ts';
import { World } from './support/world.ts';

type Enrolled = Awaited<ReturnType<World['enrolledOwner']>>;

const HOUR = 3_600_000;
const clockOffset = 0;
let world: World;
let proposal: TaskProposal;
let parts: LabelledRows[];

beforeAll(async () => {
  const dataUserOverrides = { now: () => new Date(Date.now() + clockOffset) };
  world = await World.start({ dataUserOverrides });
  const example = await exampleOf(dataFile('iris'), 'pca');
  proposal = example.proposal;
  parts = split(example.rows, 3);
});
afterAll(() => world.close());

const create = async (changes: Partial<TaskProposal> = {}) =>
  (await world.taskClient()).create({ ...proposal, ...changes });
const statusOf = async (taskId: TaskId) => (await world.taskClient()).status(taskId);
/** The honest contribution of an owner that has the given part of the rows. */
const contribution = ({ home }: Enrolled, signed: SignedTask, part: number) =>
  contributionOf(signed, home, summarise(signed.task, parts[part]!));
const put = async (
  { home }: Enrolled,
  taskId: TaskId,
  sent: Partial<Contribution>,
  headers: Record<string, string> = {},
) => {
  const message = contributionRequest(taskId, sent);
  return sendAs(world.dataUserAddress, await ownerOf(home), {
    ...message,
    headers: { ...message.headers, ...headers },
  });
};
const withdraw = async ({ home }: Enrolled, taskId: TaskId) => {
  const path = `/tasks/${taskId}/contribution`;
  return sendAs(world.dataUserAddress, await ownerOf(home), { method: 'DELETE', path });
};

/** Ends the task and compares its result with the clear reference over exactly these rows. */
async function expectResult({ task }: SignedTask, rows: readonly LabelledRows[]): Promise<void> {
  const client = await world.taskClient();
  await client.closeTask(task.id);
  await expect.poll(async () => (await client.status(task.id)).state).toBe('done');
  expectReference(await client.result(task.id), task, rows);
}

describe('a contribution is refused', () => {
  let signed: SignedTask;
  let owners: Enrolled[];
  let owner: Enrolled;
  let honest: Contribution;
  let expected: object = { state: 'open', contributions: 2 };

  beforeAll(async () => {
    signed = await create();
    owners = await Promise.all(parts.map(() => world.enrolledOwner()));
    owner = owners[2]!;
    for (const part of [0, 1]) {
      const answer = await put(
        owners[part]!,
        signed.task.id,
        await contribution(owners[part]!, signed, part),
      );
      expect(answer.status).toBe(200);
    }
    honest = await contribution(owner, signed, 2);
  });
  afterEach(async () => {
    expect(await statusOf(signed.task.id)).toMatchObject(expected);
  });

  const attempt = async (sent: Partial<Contribution>, headers: Record<string, string> = {}) =>
    (await put(owner, signed.task.id, { ...honest, ...sent }, headers)).code;
  /** Other bytes, under a record that is true of them. */
  const attemptBytes = async (bytes: Uint8Array) =>
    attempt({ bytes, record: await recordFor(signed, owner.home, bytes) });
  const attemptClaims = async (claims: Partial<OwnerRecord>) =>
    attempt({ record: await recordFor(signed, owner.home, honest.bytes, { claims }) });

  test.each<[string, (key: PublicKey) => bigint]>([
    ['zero', () => 0n],
    ['n², just out of range', ({ nSquared }) => nSquared],
    ['the largest number of its length', ({ ciphertextBytes }) => (1n << BigInt(8 * ciphertextBytes)) - 1n],
    ['n, which is not coprime to n', ({ n }) => n],
    ['a multiple of n', ({ n }) => 12_345n * n],
    ['one, a plaintext without randomiser', () => 1n],
    ['1 + 7n, a plaintext without randomiser', ({ n }) => 1n + 7n * n],
  ])('with a ciphertext that is %s', async (_, make) => {
    const key = publicKeyOf(signed);
    const length = key.ciphertextBytes;
    const ciphertext = Buffer.from(
      make(key)
        .toString(16)
        .padStart(2 * length, '0'),
      'hex',
    );
    for (const offset of [0, honest.bytes.length - length]) {
      const bytes = Uint8Array.from(honest.bytes);
      bytes.set(ciphertext, offset);
      expect(await attemptBytes(bytes)).toBe('ERR_CIPHERTEXT_INVALID');
    }
  });

  test.each<[string, (bytes: Uint8Array) => Uint8Array, string]>([
    ['empty', (bytes) => bytes.subarray(0, 0), 'ERR_BODY_LENGTH'],
    ['a byte short', (bytes) => bytes.subarray(1), 'ERR_BODY_LENGTH'],
    ['a ciphertext short', (bytes) => bytes.subarray(256), 'ERR_BODY_LENGTH'],
    ['a byte too long', (bytes) => Buffer.concat([bytes, Buffer.alloc(1)]), 'ERR_BODY_TOO_LARGE'],
    ['a ciphertext too long', (bytes) => Buffer.concat([bytes, bytes.subarray(256)]), 'ERR_BODY_TOO_LARGE'],
    ['of many megabytes', () => Buffer.alloc(8_000_000, 1), 'ERR_BODY_TOO_LARGE'],
  ])('with a body that is %s', async (_, change, code) => {
    expect(await attemptBytes(change(honest.bytes))).toBe(code);
  });

  test('when it breaks off before the length that it has announced', async () => {
    const whole = contributionRequest(signed.task.id, honest);
    const message = { ...whole, body: honest.bytes.subarray(0, 300) };
    const proof = await credentials(world.dataUserAddress, await ownerOf(owner.home), message);
    const headers = { ...message.headers, ...proof, 'content-type': 'application/octet-stream' };
    await sendCutOff(world.dataUserAddress, { ...message, headers }, honest.bytes.length);
  });

  test('in another form than bytes', async () => {
    expect(await attempt({}, { 'content-encoding': 'gzip' })).toBe('ERR_CONTENT_TYPE');
    expect(await attempt({}, { 'content-type': 'application/json' })).toBe('ERR_CONTENT_TYPE');
  });

  test('when its body was changed after signing', async () => {
    const bytes = Uint8Array.from(honest.bytes);
    bytes[100]! ^= 1;
    expect(await attempt({ bytes })).toBe('ERR_RECORD_INVALID');
  });

  test('without a record, with an unsigned one and with another kind of statement', async () => {
    const { ownerToken } = (await owner.home.enrolment())!;
    expect((await put(owner, signed.task.id, { bytes: honest.bytes })).code).toBe('ERR_RECORD_INVALID');
    const [header, payload] = honest.record.split('.');
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'eigenveil-record+jws' })).toString(
      'base64url',
    );
    const others = ['x', `${header}.${payload}.`, `${none}.${payload}.`, ownerToken, signed.agreement];
    for (const record of others) expect(await attempt({ record })).toBe('ERR_RECORD_INVALID');
    const header2 = { typ: 'eigenveil-receipt+jws' };
    const record = await recordFor(signed, owner.home, honest.bytes, { header: header2 });
    expect(await attempt({ record })).toBe('ERR_RECORD_INVALID');
  });

  test('signed by another owner, in its own name or in that of the sender', async () => {
    const signer = await owners[0]!.home.signingKey();
    const { ownerId } = (await owners[0]!.home.enrolment())!;
    for (const claims of [{ ownerId }, {}]) {
      const record = await recordFor(signed, owner.home, honest.bytes, { claims, signer });
      expect(await attempt({ record })).toBe('ERR_RECORD_INVALID');
    }
    expect(await attemptClaims({ ownerId })).toBe('ERR_RECORD_INVALID');
  });

  test('for another task, for other parameters and under another key', async () => {
    const other = await create();
    expect(await attempt(await contribution(owner, other, 2))).toBe('ERR_TASK_MISMATCH');
    const digest = digestBytes('something else');
    expect(await attemptClaims({ taskId: other.task.id })).toBe('ERR_TASK_MISMATCH');
    expect(await attemptClaims({ taskDigest: digest })).toBe('ERR_TASK_MISMATCH');
    expect(await attemptClaims({ publicKeyDigest: digest })).toBe('ERR_TASK_MISMATCH');
    expect((await statusOf(other.task.id)).contributions).toBe(0);
  });

  test('to a task that does not exist', async () => {
    const unknown = TaskId.parse('A'.repeat(22));
    expect((await put(owner, unknown, honest)).code).toBe('ERR_TASK_UNKNOWN');
    expect((await put(owner, 'short' as TaskId, honest)).code).toBe('ERR_BODY_INVALID');
  });

  test('and the honest one is taken after all of that, and the task finishes', async () => {
    expect((await put(owner, signed.task.id, honest)).status).toBe(200);
    await expectResult(signed, parts);
    expected = { state: 'done', contributions: 3 };
  });
});

describe('a contribution after its time is refused', () => {
  let signed: SignedTask;
  let owners: Enrolled[];
  let late: Enrolled;
  beforeAll(async () => {
    late = await world.enrolledOwner();
    owners = await Promise.all([world.enrolledOwner(), world.enrolledOwner()]);
  });
  beforeEach(async () => {
    signed = await create({ maximumOwners: 2 });
    for (const [part, owner] of owners.entries()) {
      const answer = await put(owner, signed.task.id, await contribution(owner, signed, part));
      expect(answer.status).toBe(200);
    }
  });
  const putLate = async () => (await put(late, signed.task.id, await contribution(late, signed, 2))).code;

  test('when the task is full, until somebody withdraws', async () => {
    expect(await putLate()).toBe('ERR_TASK_FULL');
    expect((await withdraw(owners[0]!, signed.task.id)).status).toBe(204);
    expect(await putLate()).toBeUndefined();
    await expectResult(signed, [parts[1]!, parts[2]!]);
  });

  test('when the task is closed', async () => {
    await expectResult(signed, [parts[0]!, parts[1]!]);
    expect(await putLate()).toBe('ERR_TASK_CLOSED');
    expect((await withdraw(owners[0]!, signed.task.id)).code).toBe('ERR_TASK_CLOSED');
    expect((await withdraw(late, signed.task.id)).code).toBe('ERR_CONTRIBUTION_UNKNOWN');
  });

  test('when the task is cancelled, and there is no result', async () => {
    const client = await world.taskClient();
    const { id } = signed.task;
    expect((await client.cancelTask(id)).state).toBe('cancelled');
    expect(await putLate()).toBe('ERR_TASK_CANCELLED');
    expect((await withdraw(owners[0]!, id)).code).toBe('ERR_TASK_CANCELLED');
    const cancelled = expect.objectContaining({ code: 'ERR_TASK_CANCELLED' });
    await expect(client.closeTask(id)).rejects.toEqual(cancelled);
    await expect(client.result(id)).rejects.toEqual(cancelled);
    await expect(owners[0]!.owner.projection(world.dataUserAddress, id)).rejects.toEqual(cancelled);
    expect((await client.cancelTask(id)).state).toBe('cancelled');
  });

  test('when the deadline has passed, after which the task can still be closed', async () => {
    const open = await create();
    for (const [part, owner] of owners.entries()) {
      await put(owner, open.task.id, await contribution(owner, open, part));
    }
    const tooLate = await contribution(late, open, 2);
    clockOffset = 2 * HOUR;
    try {
      expect((await put(late, open.task.id, tooLate)).code).toBe('ERR_TASK_DEADLINE');
      await expectResult(open, [parts[0]!, parts[1]!]);
    } finally {
      clockOffset = 0;
    }
  });
});

describe('a contribution that comes again', () => {
  let signed: SignedTask;
  let owners: Enrolled[];
  beforeEach(async () => {
    signed = await create();
    owners = await Promise.all([world.enrolledOwner(), world.enrolledOwner()]);
  });

  test('with the same bytes gets the same receipt, byte for byte, before and after the end', async () => {
    const [first, second] = owners as [Enrolled, Enrolled];
    const { id } = signed.task;
    const sent = await contribution(first, signed, 0);
    const { text, status } = await put(first, id, sent);
    expect(status).toBe(200);
    expect((await put(first, id, sent)).text).toBe(text);
    await put(second, id, await contribution(second, signed, 1));
    await expectResult(signed, [parts[0]!, parts[1]!]);
    expect((await put(first, id, sent)).text).toBe(text);
    expect((await statusOf(id)).contributions).toBe(2);
  });

  test('at the same time is stored once, under one receipt', async () => {
    const [first, second] = owners as [Enrolled, Enrolled];
    const { id } = signed.task;
    const sent = await contribution(first, signed, 0);
    const answers = await Promise.all(Array.from({ length: 8 }, () => put(first, id, sent)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]!.status).toBe(200);
    await put(second, id, await contribution(second, signed, 1));
    await expectResult(signed, [parts[0]!, parts[1]!]);
  });

  test('with other bytes is a conflict, also at the same time: one of them counts', async () => {
    const [first, second] = owners as [Enrolled, Enrolled];
    const { id } = signed.task;
    const versions = await Promise.all([0, 2].map((part) => contribution(first, signed, part)));
    const answers = await Promise.all(versions.map((version) => put(first, id, version)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const counted = answers.findIndex(({ status }) => status === 200);
    expect((await put(first, id, versions[1 - counted]!)).code).toBe('ERR_CONTRIBUTION_CONFLICT');
    await put(second, id, await contribution(second, signed, 1));
    await expectResult(signed, [parts[counted === 0 ? 0 : 2]!, parts[1]!]);
  });

  test('after a withdrawal cannot come back, with the same bytes or others', async () => {
    const [first] = owners as [Enrolled];
    const { id } = signed.task;
    expect((await withdraw(first, id)).code).toBe('ERR_CONTRIBUTION_UNKNOWN');
    const sent = await contribution(first, signed, 0);
    await put(first, id, sent);
    expect((await withdraw(first, id)).status).toBe(204);
    expect((await withdraw(first, id)).status).toBe(204); // its first answer may have been lost
    expect((await put(first, id, sent)).code).toBe('ERR_CONTRIBUTION_WITHDRAWN');
    expect((await put(first, id, await contribution(first, signed, 0))).code).toBe(
      'ERR_CONTRIBUTION_WITHDRAWN',
    );
    const sql = 'SELECT bytes, withdrawn FROM contributions WHERE task_id = ?';
    expect(query(world.dataUserConfig.dataDirectory, sql, id)).toEqual([{ bytes: null, withdrawn: 1 }]);
    expect((await statusOf(id)).contributions).toBe(0);
  });

  test('while it is withdrawn and the task is closed counts in all or in none of the places', async () => {
    const [first, second] = owners as [Enrolled, Enrolled];
    const third = await world.enrolledOwner();
    const { id } = signed.task;
    const sent = await contribution(first, signed, 0);
    await put(first, id, sent);
    await put(second, id, await contribution(second, signed, 1));
    await put(third, id, await contribution(third, signed, 2));
    const client = await world.taskClient();
    const [withdrawn, again] = await Promise.all([
      withdraw(first, id),
      put(first, id, sent),
      client.closeTask(id),
    ]);
    const counts = withdrawn.status !== 204;
    expect(withdrawn.code).toBe(counts ? 'ERR_TASK_CLOSED' : undefined);
    expect([undefined, 'ERR_CONTRIBUTION_WITHDRAWN']).toContain(again.code);
    expect((await put(first, id, sent)).code).toBe(counts ? undefined : 'ERR_CONTRIBUTION_WITHDRAWN');
    await expectResult(signed, counts ? parts : [parts[1]!, parts[2]!]);
  });
});

describe('fewer owners than the minimum', () => {
  test('leave the task open: it can be closed once there are enough', async () => {
    const signed = await create({ minimumOwners: 3 });
    const { id } = signed.task;
    const client = await world.taskClient();
    const owners = await Promise.all(parts.map(() => world.enrolledOwner()));
    const tooFew = expect.objectContaining({ code: 'ERR_MINIMUM_OWNERS' });
    for (const [part, owner] of owners.entries()) {
      await expect(client.closeTask(id)).rejects.toEqual(tooFew);
      expect(await statusOf(id)).toMatchObject({ state: 'open', contributions: part });
      await put(owner, id, await contribution(owner, signed, part));
    }
    expect((await withdraw(owners[0]!, id)).status).toBe(204);
    await expect(client.closeTask(id)).rejects.toEqual(tooFew);
    const fourth = await world.enrolledOwner();
    await put(fourth, id, await contribution(fourth, signed, 0));
    await expectResult(signed, parts);
  });
});
