/** Contributions that the data user must not take, each followed by proof that the task has lost and gained nothing. */
import { encodeCiphertexts, PaillierPool, PublicKey } from '@eigenveil/paillier';
import { digestBytes, type SignedTask, type TaskProposal, TaskId } from '@eigenveil/wire';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { query } from './support/database.ts';
import { expectReference } from './support/expectations.ts';
import {
  type Answer,
  agreementOf,
  type Contribution,
  contributionOf,
  recordFor,
  send,
  sendAs,
  sendContribution,
} from './support/requests.ts';
import { dataFile, exampleOf, type LabelledRows, split, summarise } from './support/tasks.ts';
import { World } from './support/world.ts';

type Enrolled = Awaited<ReturnType<World['enrolledOwner']>>;

let clockOffset = 0;
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
const contribution = ({ home }: Enrolled, signed: SignedTask, part = 0): Promise<Contribution> =>
  contributionOf(signed, home, summarise(signed.task, parts[part]!));
const put = ({ home }: Enrolled, taskId: TaskId, sent: Partial<Contribution> & { bytes: Uint8Array }) =>
  sendContribution(world.dataUserAddress, home, taskId, sent);
const withdraw = async ({ home }: Enrolled, taskId: TaskId) =>
  sendAs(world.dataUserAddress, await home.signingKey(), {
    method: 'DELETE',
    path: `/tasks/${taskId}/contribution`,
    token: (await home.enrolment())!.ownerToken,
  });

/** Ends the task and compares its result with the clear reference over exactly these owners' rows. */
async function expectResult(taskId: TaskId, rows: readonly LabelledRows[]) {
  const client = await world.taskClient();
  await client.closeTask(taskId);
  await expect.poll(async () => (await client.status(taskId)).state).toBe('done');
  expectReference(await client.result(taskId), { ...proposal, ...(await taskOf(taskId)) }, rows);
}

async function taskOf(taskId: TaskId) {
  const [row] = query(world.dataUserConfig.dataDirectory, 'SELECT task FROM tasks WHERE task_id = ?', taskId);
  return JSON.parse(String(row!.task)) as SignedTask['task'];
}

describe('what is wrong with a contribution', () => {
  let signed: SignedTask;
  let owners: Enrolled[];
  let honest: Contribution;

  beforeAll(async () => {
    signed = await create();
    owners = await Promise.all(parts.map(() => world.enrolledOwner()));
    for (const [i, owner] of owners.slice(0, 2).entries()) {
      const { status } = await put(owner, signed.task.id, await contribution(owner, signed, i));
      expect(status).toBe(200);
    }
    honest = await contribution(owners[2]!, signed, 2);
  });
  // After every bad attempt: two contributions, as before.
  afterEach(async () => {
    expect(await statusOf(signed.task.id)).toMatchObject({ state: 'open', contributions: 2 });
  });
  afterAll(async () => {
    expect((await put(owners[2]!, signed.task.id, honest)).status).toBe(200);
    await expectResult(signed.task.id, parts);
  });

  const owner = () => owners[2]!;
  const attempt = (sent: Partial<Contribution>) => put(owner(), signed.task.id, { ...honest, ...sent });
  /** Other bytes under a record that is true of them. */
  const attemptBytes = async (bytes: Uint8Array) =>
    attempt({ bytes, record: await recordFor(signed, owner().home, bytes) });
  /** The honest ciphertexts with the first one replaced. */
  const attemptCiphertext = async (make: (key: PublicKey) => bigint) => {
    const { publicKey } = await agreementOf(signed, owner().home);
    const key = PublicKey.fromJSON(publicKey, signed.task);
    const bytes = Uint8Array.from(honest.bytes);
    const hex = make(key).toString(16).padStart(2 * key.ciphertextBytes, '0');
    bytes.set(Buffer.from(hex, 'hex'));
    return attemptBytes(bytes);
  };

  test.each<[string, (key: PublicKey) => bigint]>([
    ['zero', () => 0n],
    ['n², just out of range', ({ nSquared }) => nSquared],
    ['the largest number of its length', ({ ciphertextBytes }) => (1n << BigInt(8 * ciphertextBytes)) - 1n],
    ['n, which is not coprime to n', ({ n }) => n],
    ['a multiple of n', ({ n }) => 12345n * n],
    ['one, a plaintext without randomiser', () => 1n],
    ['1 + mn, a plaintext without randomiser', ({ n }) => 1n + 7n * n],
  ])('a ciphertext is %s', async (_, make) => {
    expect((await attemptCiphertext(make)).code).toBe('ERR_CIPHERTEXT_INVALID');
  });

  test.each<[string, (bytes: Uint8Array) => Uint8Array, string]>([
    ['empty', (bytes) => bytes.subarray(0, 0), 'ERR_BODY_LENGTH'],
    ['a byte short', (bytes) => bytes.subarray(1), 'ERR_BODY_LENGTH'],
    ['a ciphertext short', (bytes) => bytes.subarray(0, bytes.length / 2), 'ERR_BODY_LENGTH'],
    ['a byte too long', (bytes) => Buffer.concat([bytes, Buffer.alloc(1)]), 'ERR_BODY_TOO_LARGE'],
    ['a ciphertext too long', (bytes) => Buffer.concat([bytes, bytes.subarray(-256)]), 'ERR_BODY_TOO_LARGE'],
  ])('its body is %s', async (_, change, code) => {
    expect((await attemptBytes(change(honest.bytes))).code).toBe(code);
  });

  test('its body stops short of the length that it announced', async () => {
    const { bytes, record } = honest;
    const declared = { 'content-length': String(bytes.length) };
    const cut = sendContribution(
      world.dataUserAddress,
      owner().home,
      signed.task.id,
      { bytes: bytes.subarray(0, 100), record },
      { headers: declared, cut: true },
    );
    await expect(cut).rejects.toThrow();
  });

  test('its body is compressed, or JSON', async () => {
    const headers = [{ 'content-encoding': 'gzip' }, { 'content-type': 'application/json' }];
    for (const header of headers) {
      const { id } = signed.task;
      const answer = await sendContribution(world.dataUserAddress, owner().home, id, honest, { headers: header });
      expect(answer.code).toBe('ERR_CONTENT_TYPE');
    }
  });

  test('its body was changed after signing', async () => {
    const bytes = Uint8Array.from(honest.bytes);
    bytes[100]! ^= 1;
    expect((await attempt({ bytes })).code).toBe('ERR_RECORD_INVALID');
  });

  test('its record is missing, no JWS, or a JWS of another kind', async () => {
    const { id } = signed.task;
    expect((await put(owner(), id, { bytes: honest.bytes })).code).toBe('ERR_RECORD_INVALID');
    expect((await attempt({ record: 'unsigned' })).code).toBe('ERR_RECORD_INVALID');
    const unsigned = honest.record.replace(/[^.]*$/, '');
    expect((await attempt({ record: unsigned })).code).toBe('ERR_RECORD_INVALID');
    const { ownerToken } = (await owner().home.enrolment())!;
    expect((await attempt({ record: ownerToken })).code).toBe('ERR_RECORD_INVALID');
    expect((await attempt({ record: signed.agreement })).code).toBe('ERR_RECORD_INVALID');
  });

  test('its record is signed by another owner, about itself or about this one', async () => {
    const [other] = owners as [Enrolled, ...Enrolled[]];
    const theirs = await recordFor(signed, other.home, honest.bytes);
    expect((await attempt({ record: theirs })).code).toBe('ERR_RECORD_INVALID');
    const { ownerId } = (await owner().home.enrolment())!;
    const forged = await recordFor(signed, other.home, honest.bytes, { ownerId });
    expect((await attempt({ record: forged })).code).toBe('ERR_RECORD_INVALID');
  });

  test('its record names another owner', async () => {
    const { ownerId } = (await owners[0]!.home.enrolment())!;
    const record = await recordFor(signed, owner().home, honest.bytes, { ownerId });
    expect((await attempt({ record })).code).toBe('ERR_RECORD_INVALID');
  });

  test('it is for another task, for other parameters or under another key', async () => {
    const other = await create();
    const theirs = await contribution(owner(), other, 2);
    expect((await attempt(theirs)).code).toBe('ERR_TASK_MISMATCH');
    const digest = digestBytes('something else');
    for (const claims of [{ taskId: other.task.id }, { taskDigest: digest }, { publicKeyDigest: digest }]) {
      const record = await recordFor(signed, owner().home, honest.bytes, claims);
      expect((await attempt({ record })).code).toBe('ERR_TASK_MISMATCH');
    }
    expect((await statusOf(other.task.id)).contributions).toBe(0);
  });

  test('there is no such task', async () => {
    const unknown = TaskId.parse('A'.repeat(22));
    expect((await put(owner(), unknown, honest)).code).toBe('ERR_TASK_UNKNOWN');
    expect((await put(owner(), 'nonsense' as TaskId, honest)).code).toBe('ERR_BODY_INVALID');
  });

  test.fails('its record does not name its key, so that the CSP would refuse the whole task for it', async () => {
    const record = await recordFor(signed, owner().home, honest.bytes, {}, { header: { jwk: undefined } });
    expect((await attempt({ record })).code).toBe('ERR_RECORD_INVALID');
  });
});
