/**
 * Contributions that are longer than a request may be: handed in piece by piece, broken off at each, spoilt
 * at each, and multiplied so.
 *
 * @claims S-630, S-631, S-632
 */
import { readdir } from 'node:fs/promises';
import type { ClientRequest } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Aggregation, LocalWorkQueue, type OpenTask, openSqliteStore } from '@eigenveil/data-user';
import { decrypt, encodeCiphertexts, generateKeyPair, PaillierPool } from '@eigenveil/paillier';
import { databaseFile } from '@eigenveil/server';
import { layout } from '@eigenveil/statistics';
import { newTaskId, type Task, type TaskProposal } from '@eigenveil/task';
import { generator } from '@eigenveil/testbed/random';
import {
  Digest,
  digestBytes,
  OwnerId,
  type Piece,
  piecesOf,
  type SignedTask,
  SPOKEN_VERSION,
  VERSION_HEADER,
} from '@eigenveil/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { query } from './support/database.ts';
import {
  type Answer,
  type Contribution,
  contributionRequest,
  credentials,
  ownerOf,
  publicKeyOf,
  recordFor,
  sendAs,
  sendCutOff,
} from './support/requests.ts';
import { type LabelledRows, madeUpProposal, summarise } from './support/tasks.ts';
import { type Enrolled, World } from './support/world.ts';

const FEATURES = 650;
const MOST_BYTES = 2 ** 19;

let world: World;
let signed: SignedTask;
/** Of a contribution to the task: at least three, the last of them shorter. */
let pieces: readonly Piece[];
let ciphertextBytes: number;
const random = generator(23);
const rows: LabelledRows = {
  values: Array.from({ length: 60 }, () => Array.from({ length: FEATURES }, () => 2 * random() - 1)),
  classes: Array.from({ length: 60 }, () => []),
};
const proposal = (changes: Record<string, unknown> = {}): TaskProposal =>
  madeUpProposal('pca', FEATURES, [], {
    components: 4,
    sketch: { columns: 55 },
    outputs: ['mean', 'sampleCount'],
    fractionBits: 18,
    encryption: 'djn',
    ...changes,
  });

beforeAll(async () => {
  world = await World.start({ proxied: true });
  signed = await (await world.taskClient()).create(proposal());
  ({ ciphertextBytes } = publicKeyOf(signed));
  pieces = piecesOf(layout(signed.task).plaintexts.length, ciphertextBytes);
  expect(pieces.length).toBeGreaterThanOrEqual(3);
});
afterAll(() => world.close());

const contribute = ({ owner }: Enrolled, { task } = signed) =>
  owner.contribute(world.dataUserAddress, task.id, async (t, signs) => summarise(t, rows, signs));
const contributions = async ({ task } = signed) =>
  (await (await world.taskClient()).status(task.id)).contributions;
/** Requests that an owner has sent since, by what they are. */
const asked = () =>
  world.proxies.dataUser.seen.splice(0).map(({ name, body }) => {
    expect(body.length).toBeLessThanOrEqual(MOST_BYTES);
    return name.replace(/\/tasks\/[^/]+/, '').replace('/contribution', '');
  });

/** All requests of a contribution, in their order. */
const all = (first = 0) => [
  'GET ',
  'GET /pieces',
  ...pieces.slice(first).map(({ number }) => `PUT /pieces/${number}`),
  'PUT ',
];

/** What the data user has of an owner's contribution, in their order. */
const storedPieces = (ownerId: OwnerId) =>
  (
    query(
      world.dataUserConfig.dataDirectory,
      'SELECT bytes FROM upload_pieces JOIN uploads USING (upload_id) WHERE owner_id = ? ORDER BY number',
      ownerId,
    ) as { bytes: Uint8Array }[]
  ).map(({ bytes }) => bytes);

test('goes in pieces, and is broken off nowhere', { tags: ['long'] }, async () => {
  const one = await world.enrolledOwner();
  asked();
  const receipt = await contribute(one);
  expect(asked()).toEqual(all());
  expect(receipt.contributionDigest).toBe(digestBytes('contribution', ...storedPieces(receipt.ownerId)));
});

test('that is broken off at any request, before it and after it, and by the end of the data user, goes on where it was, with the same bytes, and gives one receipt', {
  tags: ['long'],
}, async () => {
  const one = await world.enrolledOwner();
  const before = await contributions();
  let record: string | undefined;
  const names = ['GET /pieces', ...pieces.map(({ number }) => `PUT /pieces/${number}`), 'PUT '];
  for (const name of names) {
    const step = new RegExp(`^${name.replace(' ', ' .*/contribution')}$`);
    for (const kind of ['lose request', 'lose answer'] as const) {
      asked();
      const fault = world.proxies.dataUser.inject(step, { kind });
      await expect(contribute(one)).rejects.toMatchObject({ code: 'ERR_PEER_UNREACHABLE' });
      expect(fault.hits).toBe(1);
      // What has come does not come again.
      expect(asked()).toEqual(name === 'GET /pieces' ? ['GET ', name] : ['GET ', 'GET /pieces', name]);
      const pending = (await one.home.pending(signed.task.id))!;
      record ??= pending.record;
      expect(pending.record).toBe(record);
      expect(pending.bytes).toBeInstanceOf(Blob);
    }
    if (name === 'PUT /pieces/0') {
      await world.stopDataUser();
      await world.startDataUser();
    }
  }
  expect(await contributions()).toBe(before + 1); // the last answer alone was lost
  asked();
  const receipt = await contribute(one);
  expect(asked()).toEqual(all(pieces.length));
  expect(await contributions()).toBe(before + 1);
  asked();
  const stored = storedPieces(receipt.ownerId);
  expect(stored.map(({ length }) => length)).toEqual(pieces.map((it) => (it.to - it.from) * ciphertextBytes));
  expect(receipt.contributionDigest).toBe(digestBytes('contribution', ...stored));
  expect(
    query(world.dataUserConfig.dataDirectory, 'SELECT max(length(bytes)) AS most FROM contribution_bodies'),
  ).toEqual([{ most: 0 }]);
  // Nothing of it is left with the owner but the receipt.
  expect(
    (await readdir(join(world.folder, `owner-${world.owners}`))).filter((it) =>
      it.startsWith('contribution-'),
    ),
  ).toEqual([]);
  expect(await contribute(one)).toEqual(receipt);
  expect(asked()).toEqual(['GET ']);
});

describe('by hand', () => {
  let one: Enrolled;
  let honest: Contribution;
  beforeAll(async () => {
    one = await world.enrolledOwner();
    // Nobody will open it: a few ciphertexts in turn are enough, with which all pieces differ.
    const key = publicKeyOf(signed);
    const few = await new PaillierPool({ threads: 0 }).encrypt(key, [1n, 2n, 3n, 4n, 5n, 6n, 7n], 'djn');
    const length = layout(signed.task).plaintexts.length;
    const bytes = encodeCiphertexts(
      key,
      Array.from({ length }, (_, i) => few[i % few.length]!),
    );
    honest = { bytes, record: await recordFor(signed, one.home, bytes) };
  });

  const bytesOf = ({ from, to }: Piece, { bytes } = honest) =>
    bytes.subarray(from * ciphertextBytes, to * ciphertextBytes);
  const message = (number: number, body: Uint8Array, record = honest.record) => ({
    ...contributionRequest(signed.task.id, { bytes: body, record }),
    path: `/tasks/${signed.task.id}/contribution/pieces/${number}`,
  });
  const put = async (number: number, body: Uint8Array, record?: string, who = one): Promise<Answer> =>
    sendAs(world.dataUserAddress, await ownerOf(who.home), message(number, body, record));
  const finish = async (record = honest.record) =>
    sendAs(
      world.dataUserAddress,
      await ownerOf(one.home),
      contributionRequest(signed.task.id, { bytes: new Uint8Array(), record }),
    );
  /** The service itself: the proxy in front of it waits for whole requests. */
  const direct = () => ({ url: `https://127.0.0.1:${world.dataUserConfig.port}`, ca: world.ca });
  /** A piece of which half comes, and no more. */
  const begin = async (who: Enrolled, record: string): Promise<ClientRequest> => {
    const body = bytesOf(pieces[0]!);
    const { method, path, headers } = message(0, body, record);
    const proof = await credentials(world.dataUserAddress, await ownerOf(who.home), { method, path });
    const { url, ca } = direct();
    const length = { 'content-type': 'application/octet-stream', 'content-length': `${body.length}` };
    const version = { [VERSION_HEADER]: `${SPOKEN_VERSION}` };
    const all = { ...headers, ...proof, ...length, ...version } as Record<string, string>;
    const outgoing = request(`${url}${path}`, { method, ca, agent: false, headers: all });
    outgoing.on('error', () => undefined);
    outgoing.write(body.subarray(0, body.length / 2));
    return outgoing;
  };
  const there = async () =>
    (
      await sendAs(world.dataUserAddress, await ownerOf(one.home), {
        method: 'GET',
        path: `/tasks/${signed.task.id}/contribution/pieces`,
      })
    ).json.pieces;

  test('a piece is refused that is longer, shorter, cut off, out of turn, unknown or no ciphertexts; nothing of it is kept', async () => {
    const [first, second] = pieces.map((piece) => bytesOf(piece));
    expect((await finish()).code).toBe('ERR_CONTRIBUTION_INCOMPLETE');
    expect((await put(1, second!)).code).toBe('ERR_CONTRIBUTION_INCOMPLETE');
    expect((await put(0, first!.subarray(1))).code).toBe('ERR_BODY_LENGTH');
    expect((await put(0, Buffer.concat([first!, Buffer.alloc(1)]))).code).toBe('ERR_BODY_TOO_LARGE');
    expect((await put(pieces.length, first!)).code).toBe('ERR_BODY_INVALID');
    const cut = message(0, first!.subarray(0, 5000));
    const proof = await credentials(world.dataUserAddress, await ownerOf(one.home), cut);
    const type = { 'content-type': 'application/octet-stream' };
    await sendCutOff(direct(), { ...cut, headers: { ...cut.headers, ...proof, ...type } }, first!.length);
    expect((await put(0, first!)).code).toBeUndefined();
    const spoilt = Uint8Array.from(second!).fill(0, ciphertextBytes, 2 * ciphertextBytes);
    const refused = await put(1, spoilt);
    expect([refused.code, refused.json.detail]).toEqual([
      'ERR_CIPHERTEXT_INVALID',
      `ciphertext ${pieces[1]!.from + 1} expected in (0, n^2)`,
    ]);
    expect(await there()).toBe(1);
    expect((await finish()).code).toBe('ERR_CONTRIBUTION_INCOMPLETE');
  });

  test('pieces are of who has signed their record, and of the record that they came with', async () => {
    const another = await world.enrolledOwner();
    const first = bytesOf(pieces[0]!);
    expect((await put(0, first, honest.record, another)).code).toBe('ERR_RECORD_INVALID');
    const elsewhere = await recordFor(signed, one.home, honest.bytes, { claims: { taskId: newTaskId() } });
    expect((await put(1, bytesOf(pieces[1]!), elsewhere)).code).toBe('ERR_TASK_MISMATCH');
    const others = await recordFor(signed, one.home, Buffer.from('other bytes'));
    expect((await put(1, bytesOf(pieces[1]!), others)).code).toBe('ERR_CONTRIBUTION_INCOMPLETE');
    expect(await there()).toBe(1);
  });

  test.each(['on the way', 'in the database'])(
    'valid ciphertexts that are others than the signed ones (%s) are found, and all is handed in anew',
    async (place) => {
      for (const piece of pieces) {
        const bytes = Uint8Array.from(bytesOf(piece));
        if (place === 'on the way' && piece.number === 1)
          bytes.copyWithin(0, ciphertextBytes, 2 * ciphertextBytes);
        expect((await put(piece.number, bytes)).code).toBeUndefined();
      }
      if (place === 'in the database') {
        const database = new DatabaseSync(databaseFile(world.dataUserConfig.dataDirectory));
        const text = `UPDATE upload_pieces SET bytes = (SELECT bytes FROM upload_pieces AS other
            WHERE other.upload_id = upload_pieces.upload_id AND number = 1)
          WHERE number = 0 AND upload_id = (SELECT max(upload_id) FROM uploads)`;
        expect(database.prepare(text).run().changes).toBe(1);
        database.close();
      }
      expect((await finish()).code).toBe('ERR_RECORD_INVALID');
      expect(await there()).toBe(0);
    },
  );

  test('what was handed in whole is taken once; other bytes afterwards are a conflict, and withdrawal destroys it', async () => {
    for (const piece of pieces) expect((await put(piece.number, bytesOf(piece))).code).toBeUndefined();
    const { json } = await finish();
    expect(json.receipt).toEqual(expect.any(String));
    expect((await finish()).json).toEqual(json);
    expect((await put(0, bytesOf(pieces[0]!))).json).toMatchObject({ pieces: pieces.length });
    expect(await there()).toBe(pieces.length);
    const others = await recordFor(signed, one.home, Buffer.from('other bytes'));
    expect((await put(0, bytesOf(pieces[0]!), others)).code).toBe('ERR_CONTRIBUTION_CONFLICT');
    expect((await finish(others)).code).toBe('ERR_CONTRIBUTION_CONFLICT');
    await one.owner.withdraw(world.dataUserAddress, signed.task.id, { csp: world.cspAddress });
    expect((await put(0, bytesOf(pieces[0]!))).code).toBe('ERR_CONTRIBUTION_WITHDRAWN');
    const { ownerId } = (await one.home.enrolment())!;
    expect(
      query(world.dataUserConfig.dataDirectory, 'SELECT 1 FROM uploads WHERE owner_id = ?', ownerId),
    ).toEqual([]);
  });

  test('nobody can keep others away with pieces that do not come', { tags: ['long'] }, async () => {
    const slow = await world.enrolledOwner();
    const record = await recordFor(signed, slow.home, honest.bytes);
    const begun = [await begin(slow, record), await begin(slow, record)];
    try {
      const code = async () => (await put(0, bytesOf(pieces[0]!).subarray(1), record, slow)).code;
      await expect.poll(code).toBe('ERR_BUSY');
      const quick = await world.enrolledOwner();
      const own = await recordFor(signed, quick.home, honest.bytes);
      expect((await put(0, bytesOf(pieces[0]!), own, quick)).code).toBeUndefined();
    } finally {
      for (const outgoing of begun) outgoing.destroy();
    }
    await expect.poll(async () => (await put(0, bytesOf(pieces[0]!), record, slow)).code).toBeUndefined();
  });
});

test('are multiplied piece by piece over several batches, each contribution once, whoever begins them again', async () => {
  const key = await generateKeyPair({ bits: 1024, scheme: 'djn', allowInsecureKey: true });
  const { publicKey } = key;
  const length = 4500;
  const all = piecesOf(length, publicKey.ciphertextBytes);
  expect(all).toHaveLength(3);
  const task = { ...proposal({ maximumOwners: 1000 }), id: newTaskId() } as Task;
  const plaintexts = Array.from({ length }, () => []);
  const open = { task, packing: { plaintexts }, publicKey } as unknown as OpenTask;
  const store = openSqliteStore(':memory:');
  const paillier = new PaillierPool({ threads: 0 });
  const ownerAt = (i: number) => OwnerId.parse(`${i}`.padStart(22, '0'));
  // Owner i holds i times the number of the piece, plus one.
  const collect = async (i: number) => {
    const digest = Digest.parse(`${i}`.padStart(43, '0'));
    for (const { number, from, to } of all) {
      const [ciphertext] = await paillier.encrypt(publicKey, [BigInt(i * (number + 1))], 'djn');
      const bytes = encodeCiphertexts(publicKey, new Array(to - from).fill(ciphertext));
      await store.addPiece(task.id, { ownerId: ownerAt(i), digest, number, bytes });
    }
    const { id } = (await store.upload(task.id, ownerAt(i)))!;
    const rest = { ownerId: ownerAt(i), digest, record: 'record', receipt: 'receipt' };
    await store.insertContributions(task.id, [{ ...rest, bytes: new Uint8Array(), uploadId: id }]);
  };
  await store.insertTask(task);
  await store.openTask(task.id, 'agreement');
  await collect(1);
  for (let i = 10; i < 300; i += 1) await store.withdraw(task.id, ownerAt(i)); // they take numbers of the first batch
  await collect(2);
  await collect(3);
  await store.closeTask(task.id);
  const fixed = { verifiedOwners: 3, contributionsRoot: Digest.parse('r'.repeat(43)), isFixed: true };
  await store.setFixation(task.id, null, fixed);
  const queue = new LocalWorkQueue({ batches: 2 });
  const done: number[] = [];
  const aggregation = new Aggregation({
    store,
    tasks: { agreed: async () => open },
    paillier,
    queue,
    onBatch: (number) => done.push(number),
  });
  await queue.start({
    unfinished: async () => [],
    step: async () => false,
    batch: (taskId, number) => aggregation.complete(taskId, number),
    waits: async () => undefined,
  });
  await Promise.all([aggregation.complete(task.id, 1), aggregation.complete(task.id, 1)]);
  const sum = await queue.take(task.id, (turn) => aggregation.aggregate(open, turn));
  expect(done).toEqual([1, 0]);
  expect(sum).toHaveLength(length);
  for (const { number, from, to } of all)
    expect([sum[from]!, sum[to - 1]!].map((it) => decrypt(key, it))).toEqual(
      [6, 6].map((it) => BigInt(it * (number + 1))),
    );
  await queue.close();
  await store.close();
});
