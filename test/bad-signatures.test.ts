/**
 * What a lying service serves: tasks, keys, receipts, projections and identities that the right party has
 * not signed.
 *
 * @claims S-74
 */
import { inviteOwners } from '@eigenveil/csp';
import { encodeBigint, generateKeyPair } from '@eigenveil/paillier';
import { openSigningKey } from '@eigenveil/server';
import { Task, type TaskProposal } from '@eigenveil/task';
import {
  AGREEMENT,
  digestTask,
  generatePrivateJwk,
  importSigningKey,
  PROJECTION,
  type Projection,
  RECEIPT,
  type SignedTask,
  signStatement,
  Thumbprint,
} from '@eigenveil/wire';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { query } from './support/database.ts';
import { agreementOf, payloadOf } from './support/requests.ts';
import { dataFile, exampleOf, type LabelledRows, split, summarise } from './support/tasks.ts';
import { type Enrolled, World } from './support/world.ts';

let world: World;
let proposal: TaskProposal;
let parts: LabelledRows[];
let signed: SignedTask;
/** An owner that contributes nothing. */
let bystander: Enrolled;

beforeAll(async () => {
  world = await World.start({ proxied: true });
  const example = await exampleOf(dataFile('iris'), 'pca');
  proposal = example.proposal;
  parts = split(example.rows, 2);
  signed = await anotherTask();
  bystander = await world.enrolledOwner();
});
afterEach(() => {
  world.proxies.dataUser.heal();
  world.proxies.csp.heal();
});
afterAll(() => world.close());

const withCode = (code: string) => expect.objectContaining({ code });
const anotherTask = async () => (await world.taskClient()).create(proposal);
const stranger = async () => importSigningKey(await generatePrivateJwk());

/** The owner refuses what it gets in place of the task, and reads no row. */
async function expectUnread(json: SignedTask, code: string): Promise<void> {
  const { owner, home } = bystander;
  const { id } = signed.task;
  const injection = world.proxies.dataUser.inject(new RegExp(`^GET /tasks/${id}$`), { kind: 'answer', json });
  const summary = vi.fn();
  await expect(owner.contribute(world.dataUserAddress, id, summary)).rejects.toEqual(withCode(code));
  expect(injection.hits).toBe(1);
  expect(summary).not.toHaveBeenCalled();
  expect(await home.pending(id)).toBeUndefined();
}

describe('an owner that gets a task which its CSP has not signed like this reads no row', () => {
  const forgeries: [string, (genuine: SignedTask) => Promise<SignedTask>][] = [
    [
      'an agreement that somebody else has signed',
      async ({ task, agreement }) => ({
        task,
        agreement: await signStatement(AGREEMENT, await stranger(), agreementOf({ task, agreement })),
      }),
    ],
    [
      'a key swapped after signing',
      async ({ task, agreement }) => {
        const [header, , signature] = agreement.split('.');
        const { publicKey } = agreementOf(await anotherTask());
        const payload = JSON.stringify({ ...agreementOf({ task, agreement }), publicKey });
        return { task, agreement: `${header}.${Buffer.from(payload).toString('base64url')}.${signature}` };
      },
    ],
    [
      "another task's agreement, so another key",
      async ({ task }) => ({ task, agreement: (await anotherTask()).agreement }),
    ],
    ['other parameters', async ({ task, agreement }) => ({ task: { ...task, components: 3 }, agreement })],
    [
      'another data user',
      async ({ task, agreement }) => ({
        task: { ...task, dataUser: (await stranger()).thumbprint },
        agreement,
      }),
    ],
    ['a genuine task, but not the one it asked for', anotherTask],
  ];

  test.each(forgeries)('%s', async (_, forge) => {
    await expectUnread(await forge(signed), 'ERR_AGREEMENT_INVALID');
  });
});

/** From a CSP that signs anything. */
const badKeys: [string, string, () => Promise<{ n: string }>][] = [
  ['an even modulus', 'ERR_KEY_INVALID', async () => ({ n: encodeBigint(1n << 2047n) })],
  [
    'a modulus that begins with a zero byte',
    'ERR_KEY_INVALID',
    async () => ({ n: `AAAA${'x'.repeat(340)}` }),
  ],
  [
    'a key of another length than the task has',
    'ERR_AGREEMENT_INVALID',
    async () =>
      (await generateKeyPair({ bits: 1536, scheme: 'standard', allowInsecureKey: true })).publicKey.toJSON(),
  ],
];

describe.each(badKeys)('%s that the CSP has signed', (_, code, makeKey) => {
  test('is named to the operator, and the task never opens', async () => {
    const key = await openSigningKey(world.cspConfig.dataDirectory);
    const injection = world.proxies.csp.inject(/^POST \/tasks$/, {
      kind: 'answer with',
      json: async (body) => {
        const { task } = z.object({ task: Task }).parse(JSON.parse(body.toString()));
        const claims = {
          ...agreementOf(signed),
          taskId: task.id,
          taskDigest: digestTask(task),
          publicKey: await makeKey(),
        };
        return { agreement: await signStatement(AGREEMENT, key, claims) };
      },
    });
    await expect(anotherTask()).rejects.toEqual(withCode(code));
    expect(injection.hits).toBe(1);
    const sql = 'SELECT state, failure FROM tasks ORDER BY rowid DESC LIMIT 1';
    expect(query(world.dataUserConfig.dataDirectory, sql)).toEqual([
      { state: 'failed', failure: expect.stringContaining(code) },
    ]);
  });

  test('is named to an owner, which reads no row', async () => {
    const key = await openSigningKey(world.cspConfig.dataDirectory);
    const claims = { ...agreementOf(signed), publicKey: await makeKey() };
    await expectUnread({ ...signed, agreement: await signStatement(AGREEMENT, key, claims) }, code);
  });
});

describe('a data user', () => {
  test('does not open a task under the agreement of another one', async () => {
    const json = { agreement: (await anotherTask()).agreement };
    const injection = world.proxies.csp.inject(/^POST \/tasks$/, { kind: 'answer', json });
    await expect(anotherTask()).rejects.toEqual(withCode('ERR_AGREEMENT_INVALID'));
    expect(injection.hits).toBe(1);
    const sql = 'SELECT state FROM tasks ORDER BY rowid DESC LIMIT 1';
    expect(query(world.dataUserConfig.dataDirectory, sql)).toEqual([{ state: 'failed' }]);
  });

  test('proposes nothing to a CSP of another identity, and remembers no key of it', async () => {
    const fresh = await World.start({ proxied: true });
    try {
      const keys = [(await stranger()).publicJwk];
      const injection = fresh.proxies.csp.inject(/jwks/, { kind: 'answer', json: { keys } });
      const client = await fresh.taskClient();
      await expect(client.create(proposal)).rejects.toEqual(withCode('ERR_CSP_IDENTITY'));
      expect(injection.hits).toBe(1);
      expect(fresh.proxies.csp.bodies(/^POST/)).toEqual([]);
      expect((await client.create(proposal)).task.id).toHaveLength(22);
    } finally {
      await fresh.close();
    }
  });
});

describe('an owner', () => {
  test('is told that the address of the data user is that of the CSP', async () => {
    const { owner } = await world.enrolledOwner();
    await expect(owner.contribute(world.cspAddress, signed.task.id, vi.fn())).rejects.toMatchObject({
      code: 'ERR_ROUTE_UNKNOWN',
      message: expect.stringMatching(/^this is an Eigenveil CSP, /),
    });
  });

  test('does not enrol at a CSP of another identity, and keeps its token', async () => {
    const { owner, home } = world.newOwner();
    const [token] = await inviteOwners(world.cspConfig.dataDirectory, 1, 3600);
    const { thumbprint } = await stranger();
    const attempt = owner.enrol(world.cspAddress, token!, thumbprint);
    await expect(attempt).rejects.toEqual(withCode('ERR_CSP_IDENTITY'));
    const pinned = world.dataUserConfig.cspThumbprint;
    await expect(owner.enrol(world.dataUserAddress, token!, pinned)).rejects.toMatchObject({
      code: 'ERR_CSP_IDENTITY',
      message: expect.stringMatching(/: that address is an Eigenveil data user's$/),
    });
    expect(await home.enrolment()).toBeUndefined();
    expect(world.proxies.csp.bodies(/^POST \/enrolments$/).some((body) => body.includes(token!))).toBe(false);
    const right = Thumbprint.parse(world.dataUserConfig.cspThumbprint);
    expect((await owner.enrol(world.cspAddress, token!, right)).ownerId).toHaveLength(22);
  });

  test('does not take a receipt from somebody else than the data user that the CSP named, and sends again', async () => {
    const { owner, home } = await world.enrolledOwner();
    const { id } = signed.task;
    const contribute = () =>
      owner.contribute(world.dataUserAddress, id, async (task) => summarise(task, parts[0]!));
    const put = new RegExp(`^PUT /tasks/${id}/`);
    world.proxies.dataUser.inject(put, { kind: 'lose answer' });
    await expect(contribute()).rejects.toEqual(withCode('ERR_PEER_UNREACHABLE'));
    const sql = 'SELECT receipt FROM contributions WHERE task_id = ?';
    const [row] = query(world.dataUserConfig.dataDirectory, sql, id);
    const claims = RECEIPT.schema.parse(payloadOf(String(row!.receipt)));
    const receipt = await signStatement(RECEIPT, await stranger(), claims);
    world.proxies.dataUser.inject(put, { kind: 'answer', json: { receipt } });
    await expect(contribute()).rejects.toEqual(withCode('ERR_RECEIPT_INVALID'));
    // Its own key signs it, but the task has no title.
    const own = await openSigningKey(world.dataUserConfig.dataDirectory);
    const titled = await signStatement(RECEIPT, own, { ...claims, title: 'Heart study' });
    world.proxies.dataUser.inject(put, { kind: 'answer', json: { receipt: titled } });
    await expect(contribute()).rejects.toEqual(withCode('ERR_RECEIPT_INVALID'));
    expect(await home.receipt(id)).toBeUndefined();
    expect(await contribute()).toEqual(claims);
  });

  test('does not take the receipt of another contribution', async () => {
    const [first, second] = [await world.enrolledOwner(), await world.enrolledOwner()];
    const { id } = signed.task;
    const summary = async (task: SignedTask['task']) => summarise(task, parts[0]!);
    await first.owner.contribute(world.dataUserAddress, id, summary);
    const json = { receipt: await first.home.receipt(id) };
    world.proxies.dataUser.inject(/^PUT /, { kind: 'answer', json });
    const attempt = second.owner.contribute(world.dataUserAddress, id, summary);
    await expect(attempt).rejects.toEqual(withCode('ERR_RECEIPT_INVALID'));
  });

  test('does not take a projection that the data user has signed for another task, or that it has not signed', async () => {
    const client = await world.taskClient();
    const { task } = await anotherTask();
    const owners = [await world.enrolledOwner(), await world.enrolledOwner()];
    for (const [i, { owner }] of owners.entries())
      await owner.contribute(world.dataUserAddress, task.id, async (t) => summarise(t, parts[i]!));
    await client.closeTask(task.id);
    await expect.poll(async () => (await client.status(task.id)).state).toBe('done');
    const sql = 'SELECT projection FROM tasks WHERE task_id = ?';
    const [row] = query(world.dataUserConfig.dataDirectory, sql, task.id);
    const genuine = payloadOf(String(row!.projection)) as Projection;
    const key = await openSigningKey(world.dataUserConfig.dataDirectory);
    const signedWith = (changes: Partial<Projection>) =>
      signStatement(PROJECTION, key, { ...genuine, ...changes });
    const ofOther = await signedWith({ taskId: signed.task.id });
    const [header, payload, signature] = ofOther.split('.');
    const changed = Buffer.from(JSON.stringify(genuine));
    const fetch = () => owners[0]!.owner.result(world.dataUserAddress, task.id);
    const { provenance } = (await fetch()).evidence;
    for (const projection of [
      ofOther,
      `${header}.${changed.toString('base64url')}.${signature}`,
      `${header}.${payload}.AAAA`,
      // Its own key signs it, but owners agreed to other columns, and to fewer components.
      await signedWith({
        features: task.features.map((it) => ({ ...it, name: `${it.name}_of_others` })),
      }),
      await signedWith({ vectors: [[1, 0, 0, 0]], eigenvalues: [1] }),
    ]) {
      const injection = world.proxies.dataUser.inject(/projection$/, {
        kind: 'answer',
        json: { projection, provenance },
      });
      await expect(fetch()).rejects.toEqual(withCode('ERR_PROJECTION_INVALID'));
      expect(injection.hits).toBe(1);
    }
    expect((await fetch()).task.id).toBe(task.id);
  });
});
