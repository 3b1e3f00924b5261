/**
 * Contributions that the data user must not take, each followed by proof that the task has lost and gained
 * nothing.
 *
 * @claims S-140
 */
import type { PublicKey } from '@eigenveil/paillier';
import { TaskId } from '@eigenveil/task';
import { digestBytes, type SignedTask } from '@eigenveil/wire';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ByHand } from './support/by-hand.ts';
import {
  type Contribution,
  contributionRequest,
  credentials,
  ownerOf,
  publicKeyOf,
  recordFor,
  sendCutOff,
} from './support/requests.ts';
import { type Enrolled, World } from './support/world.ts';

let world: World;
let byHand: ByHand;
beforeAll(async () => {
  world = await World.start();
  byHand = await ByHand.start(world);
});
afterAll(() => world.close());

describe('a contribution is refused', () => {
  let signed: SignedTask;
  let owners: Enrolled[];
  let owner: Enrolled;
  let honest: Contribution;
  let expected: object = { state: 'open', contributions: 2 };

  beforeAll(async () => {
    signed = await byHand.create();
    owners = await byHand.owners(3);
    owner = owners[2]!;
    for (const part of [0, 1]) {
      const answer = await byHand.put(
        owners[part]!,
        signed.task.id,
        await byHand.contribution(owners[part]!, signed, part),
      );
      expect(answer.status).toBe(200);
    }
    honest = await byHand.contribution(owner, signed, 2);
  });
  afterEach(async () => {
    expect(await byHand.status(signed.task.id)).toMatchObject(expected);
  });

  const attempt = async (sent: Partial<Contribution>, headers: Record<string, string> = {}) =>
    (await byHand.put(owner, signed.task.id, { ...honest, ...sent }, headers)).code;
  /** Other bytes, under a record that is true of them. */
  const attemptBytes = async (bytes: Uint8Array) =>
    attempt({ bytes, record: await recordFor(signed, owner.home, bytes) });

  test.each<[string, (key: PublicKey) => bigint]>([
    ['zero', () => 0n],
    ['n², just out of range', ({ nSquared }) => nSquared],
    ['the largest number of its length', ({ ciphertextBytes }) => (1n << BigInt(8 * ciphertextBytes)) - 1n],
    ['n, which is not coprime to n', ({ n }) => n],
    ['a multiple of n', ({ n }) => 12_345n * n],
    ['one, a plaintext without randomiser', () => 1n],
    ['1 + 7n, a plaintext without randomiser', ({ n }) => 1n + 7n * n],
    ['-1 - 7n, a plaintext with the randomiser -1', ({ n, nSquared }) => nSquared - 1n - 7n * n],
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

  /** A record with these changes about the honest bytes. */
  const changed = (changes: Parameters<typeof recordFor>[3]) => () =>
    recordFor(signed, owner.home, honest.bytes, changes);
  const unsigned = async (changes: object) => {
    const [head, payload] = honest.record.split('.');
    const header = { ...(JSON.parse(Buffer.from(head!, 'base64url').toString()) as object), ...changes };
    return `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${payload}.`;
  };
  const otherOwner = async () => ({ ownerId: (await owners[0]!.home.enrolment())!.ownerId });
  const other = digestBytes('something else');

  test.each<[string, () => Promise<string | undefined>, string?]>([
    ['no record', async () => undefined],
    ['none that can be read', async () => 'x'],
    ['one without its signature', () => unsigned({})],
    ['one that says it is not signed', () => unsigned({ alg: 'none' })],
    ['the token of the owner', async () => (await owner.home.enrolment())!.ownerToken],
    ['the agreement of the CSP', async () => signed.agreement],
    ['one that says it is a receipt', changed({ header: { typ: 'eigenveil-receipt+jws' } })],
    [
      'one of another owner',
      async () => changed({ claims: await otherOwner(), signer: await owners[0]!.home.signingKey() })(),
    ],
    [
      'one that another owner has signed',
      async () => changed({ signer: await owners[0]!.home.signingKey() })(),
    ],
    ['one in the name of another owner', async () => changed({ claims: await otherOwner() })()],
    ['one of other parameters', changed({ claims: { taskDigest: other } }), 'ERR_TASK_MISMATCH'],
    ['one under another key', changed({ claims: { publicKeyDigest: other } }), 'ERR_TASK_MISMATCH'],
  ])('with %s', async (_, make, code = 'ERR_RECORD_INVALID') => {
    const record = await make();
    const sent = { bytes: honest.bytes, ...(record !== undefined && { record }) };
    expect((await byHand.put(owner, signed.task.id, sent)).code).toBe(code);
  });

  test('for another task', async () => {
    const elsewhere = await byHand.create();
    const { task } = elsewhere;
    const contribution = await byHand.contribution(owner, elsewhere, 2);
    const record = await changed({ claims: { taskId: task.id } })();
    for (const sent of [contribution, { record }]) expect(await attempt(sent)).toBe('ERR_TASK_MISMATCH');
    expect((await byHand.status(task.id)).contributions).toBe(0);
  });

  test('to a task that does not exist', async () => {
    const unknown = TaskId.parse('A'.repeat(22));
    expect((await byHand.put(owner, unknown, honest)).code).toBe('ERR_TASK_UNKNOWN');
    expect((await byHand.put(owner, 'short' as TaskId, honest)).code).toBe('ERR_BODY_INVALID');
  });

  test('and the honest one is taken after all of that, and the task finishes', async () => {
    expect((await byHand.put(owner, signed.task.id, honest)).status).toBe(200);
    await byHand.expectResult(signed, [0, 1, 2]);
    expected = { state: 'done', contributions: 3 };
  });
});

/** The CSP verifies every record again. One that it does not take would hold up the whole task after it was closed. */
test('a record that the CSP does not take is refused while its owner can mend it', async () => {
  const signed = await byHand.create();
  const owners = await byHand.owners(3);
  for (const part of [0, 1]) await byHand.contribute(owners[part]!, signed, part);
  const { bytes } = await byHand.contribution(owners[2]!, signed, 2);
  for (const [what, header] of [
    ['it does not name its key', { jwk: undefined }],
    ['it names another key', { jwk: { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) } }],
    ['it is longer than the CSP reads', { kid: 'x'.repeat(2000) }],
  ] as const) {
    const record = await recordFor(signed, owners[2]!.home, bytes, { header });
    const { code } = await byHand.put(owners[2]!, signed.task.id, { bytes, record });
    expect({ what, code }).toEqual({ what, code: 'ERR_RECORD_INVALID' });
  }
  await byHand.expectResult(signed, [0, 1]);
});
