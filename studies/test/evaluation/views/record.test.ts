/** A whole task over real processes, recorded: every role's view is whole, and what is in it is the role's own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeCiphertexts, decrypt, SecretKey, unpackBlinded } from '@eigenveil/paillier';
import { layout } from '@eigenveil/statistics';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { releasedBy } from '../../../evaluation/released.ts';
import { bundledScene } from '../../../evaluation/scenes/bundled.ts';
import { readBundle, writeBundles } from '../../../evaluation/views/bundle.ts';
import { evaluateBundle } from '../../../evaluation/views/evaluate.ts';
import { type Recording, recordTask, viewsOf } from '../../../evaluation/views/record.ts';
import { forbiddenTo, searchedOf, searchIn } from '../../../evaluation/views/search.ts';
import { pooledOf, secretsOf } from '../../../evaluation/views/secrets.ts';
import { partOf, type View } from '../../../evaluation/views/view.ts';

describe('a recorded task', { tags: ['long'] }, () => {
  const OWNERS = 2;
  let folder: string;
  let recording: Recording;
  let paths: string[];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'eigenveil-test-'));
    const scene = await bundledScene('iris', 'record');
    const owners = scene.owners.slice(0, OWNERS);
    const proposal = {
      ...scene.proposal,
      ...({ twoParty: 'simulated', minimumOwners: OWNERS, maximumOwners: OWNERS, fractionBits: 20 } as const),
      ...{ keyBits: 1024, allowInsecureKey: true },
    };
    recording = await recordTask({ proposal, owners });
    const { vectors, eigenvalues } = releasedBy(proposal, owners);
    expect(recording.projection.vectors.flat()).toEqual(vectors.flat().map((it) => expect.closeTo(it, 6)));
    expect(recording.projection.eigenvalues).toEqual(eigenvalues.map((it) => expect.closeTo(it, 6)));
    paths = await writeBundles(viewsOf(recording), folder);
  }, 300_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const names = ({ received, taskId }: View) =>
    new Set(
      received.map(({ from, kind, name }) => `${kind} from ${from}: ${name.replace(taskId, '{task}')}`),
    );

  test('has what each role received, from whom, in order', () => {
    const { csp, dataUser, owners, network } = recording;
    // When the CSP's certificate is looked at depends on how long it takes to start.
    const asked = names(csp);
    asked.delete('request from data user: GET /healthz');
    expect(asked).toEqual(
      new Set([
        ...['owner 1', 'owner 2', 'data user'].map(
          (from) => `request from ${from}: GET /.well-known/jwks.json`,
        ),
        ...['owner 1', 'owner 2'].map((from) => `request from ${from}: POST /enrolments`),
        'request from data user: POST /tasks',
        ...['owner 1', 'owner 2'].map((from) => `request from ${from}: POST /owners/counter`),
        'request from data user: GET /revocations',
        'request from data user: POST /tasks/{task}/records',
        'request from data user: POST /tasks/{task}/records/fixation',
        'request from data user: POST /tasks/{task}/unblinding',
        'request from data user: GET /tasks/{task}/two-party',
        'frame from data user: GET /tasks/{task}/two-party',
        'request from data user: POST /tasks/{task}/countersignature',
        'request from data user: DELETE /tasks/{task}',
      ]),
    );
    expect([...names(dataUser)]).toEqual(
      expect.arrayContaining([
        'request from operator: POST /tasks',
        'request from owner 1: PUT /tasks/{task}/contribution',
        'request from owner 2: PUT /tasks/{task}/contribution',
        'answer from CSP: POST /tasks/{task}/unblinding',
        'frame from CSP: GET /tasks/{task}/two-party',
      ]),
    );
    for (const owner of owners) {
      const from = new Set(owner.received.map((message) => `${message.kind} from ${message.from}`));
      expect(from).toEqual(new Set(['answer from CSP', 'answer from data user']));
    }
    expect(network.received).toEqual([]);
    for (const { received } of viewsOf(recording)) {
      expect(received.map(({ at }) => at)).toEqual(received.map(({ at }) => at).toSorted((a, b) => a - b));
    }
  });

  test('has of the network sizes and times alone, between the same parties', () => {
    const { network, ciphertext } = recording;
    expect(network).toMatchObject({ random: [], keys: [], files: [], opened: [], inputs: [] });
    const ends = new Set(network.passages.map(({ from, to }) => [from, to].toSorted().join(' and ')));
    expect(ends).toEqual(
      new Set([
        ...['CSP and data user', 'CSP and owner 1', 'CSP and owner 2'],
        ...['data user and owner 1', 'data user and owner 2', 'data user and operator'],
      ]),
    );
    const passed = network.passages.reduce((sum, { size }) => sum + size, 0);
    expect(passed).toBe(ciphertext.reduce((sum, { length }) => sum + length, 0));
  });

  const tapeOf = ({ random }: View) => random.map(({ bytes }) => bytes.toString('hex'));

  test("has every secret of the roles' on their tapes: nothing was drawn elsewhere", () => {
    const { csp, dataUser, owners, task } = recording;
    for (const service of [csp, dataUser]) {
      for (const name of ['key-encryption-key', 'admin-token']) {
        const key = Buffer.from(partOf(service.keys, name)!.toString().trim(), 'base64url');
        expect(tapeOf(service)).toContain(key.toString('hex'));
      }
    }
    const secretKey = SecretKey.fromJSON(
      JSON.parse(partOf(csp.keys, 'Paillier secret key')!.toString()),
      task,
    );
    const primes = [secretKey.p, secretKey.q].map((prime) => prime.toString(16));
    expect(tapeOf(csp)).toEqual(expect.arrayContaining(primes));
    const blinding = dataUser.opened.find(({ name }) => name === 'blinding')!.values;
    const { valueBits, blindingBits } = layout(task);
    const drawn = blinding.map((value, i) => value - (1n << BigInt(valueBits[i]! - 1)));
    const tape = dataUser.random.map(({ bytes }) => BigInt(`0x${bytes.toString('hex') || '0'}`));
    drawn.forEach((value, i) => {
      expect(tape.map((taped) => BigInt.asUintN(blindingBits[i]!, taped))).toContain(value);
    });
    for (const owner of owners) {
      const { d } = JSON.parse(partOf(owner.keys, 'signing-key.json')!.toString()) as { d: string };
      const seed = Buffer.from(d, 'base64url').toString('hex');
      expect(tapeOf(owner).some((taped) => taped.endsWith(seed))).toBe(true);
    }
  });

  test('has what the keys open: contributions are to the key, slots are statistics and blinding', async () => {
    const { csp, dataUser, owners, task } = recording;
    const packing = layout(task);
    const [slots, blinding] = [
      csp.opened.find(({ name }) => name === 'blinded slots')!.values,
      dataUser.opened.find(({ name }) => name === 'blinding')!.values,
    ];
    expect(slots.map((slot, i) => slot - blinding[i]!)).toEqual(await pooledOf(owners));
    const secretKey = SecretKey.fromJSON(
      JSON.parse(partOf(csp.keys, 'Paillier secret key')!.toString()),
      task,
    );
    const contributions = dataUser.received.filter(({ name }) => name.startsWith('PUT '));
    expect(contributions).toHaveLength(OWNERS);
    for (const { bytes } of contributions) {
      const body = bytes.subarray(bytes.indexOf('\r\n\r\n') + 4);
      const count = packing.plaintexts.length;
      for (const ciphertext of decodeCiphertexts(secretKey.publicKey, body, count)) {
        expect(decrypt(secretKey, ciphertext)).toBeGreaterThan(0n);
      }
    }
    expect(
      unpackBlinded(packing, csp.opened.find(({ name }) => name === 'blinded plaintexts')!.values),
    ).toEqual(slots);
  });

  test('comes back from its bundles, each of which is evaluated alone', async () => {
    const views = await Promise.all(paths.map(readBundle));
    expect(views).toEqual(viewsOf(recording));
    for (const path of paths) {
      const { searches, party } = await evaluateBundle(path);
      expect(searches.flatMap(({ found }) => found)).toEqual([]);
      if (party !== 'network') expect(searches.length).toBeGreaterThan(0);
    }
  });
});

test('a run that does not blind is recorded and found out', { tags: ['long'] }, async () => {
  const scene = await bundledScene('iris', 'record');
  const proposal = {
    ...scene.proposal,
    ...({ twoParty: 'simulated', minimumOwners: 2, maximumOwners: 2, fractionBits: 20 } as const),
    ...{ keyBits: 1024, allowInsecureKey: true },
  };
  const plant = new URL('../../../evaluation/views/unblinded.ts', import.meta.url).href;
  const { csp, dataUser, owners } = await recordTask({ proposal, owners: scene.owners.slice(0, 2), plant });
  const secrets = forbiddenTo('CSP', await secretsOf([dataUser, ...owners]));
  const found = searchIn(searchedOf(csp), secrets).flatMap((search) => search.found);
  expect(found.length).toBeGreaterThan(10);
  expect(found.every((secret) => secret.endsWith('of all owners'))).toBe(true);
});
