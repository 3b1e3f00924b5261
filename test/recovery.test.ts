/** A CSP or data user that is down, slow, restarted or cut off between any two steps: the task still ends as it should. */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { inviteOwners } from '@eigenveil/csp';
import { databaseFile, Sealer } from '@eigenveil/server';
import { newTaskId, type TaskId } from '@eigenveil/task';
import { Children } from '@eigenveil/testbed/processes/programs';
import type { Fault } from '@eigenveil/testbed/proxies/proxy';
import { type SignedTask, Thumbprint } from '@eigenveil/wire';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ByHand } from './support/by-hand.ts';
import { query } from './support/database.ts';
import { WatchedPool } from './support/pool.ts';
import { summarise } from './support/tasks.ts';
import { type Enrolled, World } from './support/world.ts';

const LOSE_REQUEST: Fault = { kind: 'lose request' };
const LOSE_ANSWER: Fault = { kind: 'lose answer' };
const ALWAYS = Number.POSITIVE_INFINITY;

const MESSAGES: readonly [name: string, pattern: RegExp, fault: Fault][] = [
  ['the agreement', /^POST \/tasks$/, LOSE_ANSWER],
  ['the records', /^POST .*\/records$/, LOSE_REQUEST],
  ['the answer to the records', /^POST .*\/records$/, LOSE_ANSWER],
  ['the unblinding request', /^POST .*\/unblinding$/, LOSE_REQUEST],
  ['the answer to the unblinding', /^POST .*\/unblinding$/, LOSE_ANSWER],
  ['the request for the two-party connection', /two-party$/, LOSE_REQUEST],
  ['the two-party connection, half way', /two-party$/, LOSE_ANSWER],
  ['the end', /^DELETE /, LOSE_REQUEST],
  ['the answer to the end', /^DELETE /, LOSE_ANSWER],
];

const cspPool = new WatchedPool();
const dataUserPool = new WatchedPool();
let world: World;
let byHand: ByHand;
let owners: Enrolled[];
let signed: SignedTask;
let id: TaskId;

beforeAll(async () => {
  world = await World.start({
    proxied: true,
    cspOverrides: { paillier: cspPool },
    dataUser: { cspPatienceSeconds: 1 },
    dataUserOverrides: { paillier: dataUserPool },
  });
  byHand = await ByHand.start(world);
  owners = await byHand.owners(3);
});
beforeEach(() => {
  cspPool.begun.decrypt = 0;
  dataUserPool.begun.aggregate = 0;
  world.proxies.csp.seen.length = 0;
  world.proxies.dataUser.seen.length = 0;
});
afterEach(() => {
  world.proxies.csp.heal();
  world.proxies.dataUser.heal();
  cspPool.failing.clear();
  dataUserPool.failing.clear();
});
afterAll(() => world.close());

async function create(): Promise<void> {
  signed = await byHand.create();
  id = signed.task.id;
}
async function createAndContribute(): Promise<void> {
  await create();
  for (const [part, owner] of owners.entries()) await byHand.contribute(owner, signed, part);
}
const close = async () => (await world.taskClient()).closeTask(id);
const untilState = (state: string) => expect.poll(async () => (await byHand.status(id)).state).toBe(state);
const expectResult = () => byHand.expectResult(signed, [0, 1, 2]);
const atCsp = () => query(world.cspConfig.dataDirectory, 'SELECT * FROM tasks WHERE task_id = ?', id)[0]!;
const untilEndedAtCsp = () => expect.poll(() => atCsp().state).toBe('ended');
const restartCsp = async () => {
  await world.stopCsp();
  await world.startCsp();
};
const restartDataUser = async () => {
  await world.stopDataUser();
  await world.startDataUser();
};

/** Fingerprints of what is drawn at random once per task. */
function drawn() {
  const sql = 'SELECT state, blinded, sealed_blinding FROM tasks WHERE task_id = ?';
  const [row] = query(world.dataUserConfig.dataDirectory, sql, id);
  const fingerprint = (bytes: unknown) =>
    bytes === null
      ? null
      : createHash('sha256')
          .update(bytes as Uint8Array)
          .digest('hex');
  return {
    state: row!.state,
    blinded: fingerprint(row!.blinded),
    sealedBlinding: fingerprint(row!.sealed_blinding),
  };
}

describe('a message between the servers is lost', () => {
  test('each of them in the course of one task', async () => {
    const injections = MESSAGES.map(([, pattern, fault]) => world.proxies.csp.inject(pattern, fault));
    await createAndContribute();
    await expectResult();
    await untilEndedAtCsp();
    expect(injections.map(({ hits }) => hits)).toEqual(MESSAGES.map(() => 1));
    expect(cspPool.begun.decrypt).toBe(1);
    const requests = world.proxies.csp.bodies(/unblinding$/);
    expect(new Set(requests.map((body) => body.toString('base64'))).size).toBe(1);
  });

  const goesOn = async (_: string, pattern: RegExp, fault: Fault) => {
    const injection = world.proxies.csp.inject(pattern, fault);
    await createAndContribute();
    await expectResult();
    await untilEndedAtCsp();
    expect(injection.hits).toBe(1);
    expect(cspPool.begun.decrypt).toBe(1);
    const requests = world.proxies.csp.bodies(/unblinding$/);
    expect(new Set(requests.map((body) => body.toString('base64'))).size).toBe(1);
  };

  test.each<[string, RegExp, Fault]>([
    ...MESSAGES,
    ['the proposal', /^POST \/tasks$/, LOSE_REQUEST],
    ['nothing, but the unblinding takes long', /unblinding$/, { kind: 'delay', milliseconds: 700 }],
  ])('%s, and no other', { tags: ['long'] }, goesOn);
});

describe('both services are restarted between any two steps', () => {
  const restart = async (state: string) => {
    await untilState(state);
    const before = drawn();
    await restartDataUser();
    await restartCsp();
    expect(drawn()).toEqual({ ...before, state });
    return before;
  };

  test('of owners, each of whom is counted once', { tags: ['long'] }, async () => {
    await create();
    await restart('open');
    for (const [part, owner] of owners.entries()) {
      await byHand.contribute(owner, signed, part);
      await restart('open');
      expect((await byHand.status(id)).contributions).toBe(part + 1);
    }
    await expectResult();
  });

  test('of the servers, and nothing is drawn, decrypted or counted twice', async () => {
    await createAndContribute();
    await restart('open');
    dataUserPool.failing.add('aggregate');
    world.proxies.csp.inject(/records$/, LOSE_REQUEST, ALWAYS);
    await close();
    const closed = await restart('closed');
    expect(closed).toEqual({ state: 'closed', blinded: null, sealedBlinding: null });

    world.proxies.csp.heal();
    world.proxies.csp.inject(/fixation$/, LOSE_ANSWER, ALWAYS);
    await expect.poll(() => world.proxies.csp.bodies(/fixation$/).length).toBeGreaterThan(0);
    expect(await restart('closed')).toEqual(closed);
    const sent = world.proxies.csp.bodies(/records$/).length;
    world.proxies.csp.heal();
    await expect.poll(() => dataUserPool.begun.aggregate).toBeGreaterThan(0);
    expect(await restart('closed')).toEqual(closed);
    // Whether an answer came or not, the CSP was always asked for the same set.
    expect(new Set(world.proxies.csp.bodies(/fixation$/).map(String)).size).toBe(1);

    world.proxies.csp.inject(/unblinding$/, LOSE_REQUEST, ALWAYS);
    dataUserPool.failing.clear();
    const blinded = await restart('blinded');
    await expect.poll(() => world.proxies.csp.bodies(/unblinding$/).length).toBeGreaterThan(0);
    expect(await restart('blinded')).toEqual(blinded);
    await expect.poll(() => world.proxies.csp.bodies(/unblinding$/).length).toBeGreaterThan(2);
    expect(world.proxies.csp.bodies(/records$/)).toHaveLength(sent); // the CSP has them

    world.proxies.csp.heal();
    world.proxies.csp.inject(/unblinding$/, LOSE_ANSWER, 2);
    world.proxies.csp.inject(/two-party$/, LOSE_ANSWER, ALWAYS);
    expect(await restart('unblinded')).toEqual({ ...blinded, state: 'unblinded' });
    const requests = world.proxies.csp.bodies(/unblinding$/);
    expect(requests.length).toBeGreaterThan(2);
    expect(new Set(requests.map((body) => body.toString('base64'))).size).toBe(1);

    world.proxies.csp.heal();
    world.proxies.csp.inject(/^DELETE /, LOSE_REQUEST, ALWAYS);
    await restart('done');
    expect(atCsp().state).toBe('unblinded');
    world.proxies.csp.heal();
    await untilEndedAtCsp();
    await expectResult();
    expect(cspPool.begun.decrypt).toBe(1);
  });
});

describe('the CSP is down', () => {
  test('while owners contribute and the task is closed: it goes on when the CSP is back', {
    tags: ['long'],
  }, async () => {
    await create();
    await world.stopCsp();
    await restartDataUser();
    for (const [part, owner] of owners.entries()) await byHand.contribute(owner, signed, part);
    await close();
    // Whom the CSP may have revoked is not known, so nothing is drawn yet.
    await expect.poll(async () => (await byHand.status(id)).waiting?.code).toBe('ERR_PEER_UNREACHABLE');
    const before = drawn();
    expect(before).toEqual({ state: 'closed', blinded: null, sealedBlinding: null });
    await restartDataUser();
    expect(drawn()).toEqual(before);
    await world.startCsp();
    await expectResult();
    await untilEndedAtCsp();
  });

  test('and the task is cancelled: the key is destroyed when the CSP is back', {
    tags: ['long'],
  }, async () => {
    await createAndContribute();
    await world.stopCsp();
    expect((await (await world.taskClient()).cancelTask(id)).state).toBe('cancelled');
    await restartDataUser();
    await world.startCsp();
    await untilEndedAtCsp();
    expect(atCsp().sealed_secret_key).toBeNull();
  });

  test('when a task is proposed: it is opened when the CSP is back', async () => {
    await world.stopCsp();
    id = newTaskId();
    try {
      await expect(byHand.create({}, id)).rejects.toMatchObject({ code: 'ERR_PEER_UNREACHABLE' });
      expect((await byHand.status(id)).state).toBe('proposed');
    } finally {
      await world.startCsp();
    }
    await untilState('open');
  });

  test('in the middle of decrypting: it decrypts when it is back', { tags: ['long'] }, async () => {
    cspPool.failing.add('decrypt');
    await createAndContribute();
    await close();
    await expect.poll(() => cspPool.begun.decrypt).toBeGreaterThan(0);
    await restartCsp();
    expect(atCsp()).toMatchObject({ state: 'agreed', sealed_shares: null });
    cspPool.failing.clear();
    await expectResult();
  });
});

describe('the identity of the CSP', () => {
  test('is fetched again when the data user has kept it damaged', async () => {
    await create();
    const file = join(world.dataUserConfig.dataDirectory, 'csp-identity.json');
    const intact = await readFile(file);
    try {
      await writeFile(file, intact.subarray(0, 10));
      await restartDataUser();
      await byHand.contribute(owners[0]!, signed, 0);
    } finally {
      await writeFile(file, intact);
      await restartDataUser();
    }
  });
});

describe('a service is killed, and another process takes over its files', () => {
  const children = new Children();
  afterEach(() => children.stop());
  const startChild = async (name: 'csp' | 'user') => {
    const config = join(world.folder, `${name}.json`);
    await writeFile(config, JSON.stringify(name === 'csp' ? world.cspConfig : world.dataUserConfig));
    return children.serve(name, ['--config', config]);
  };

  test('a data user right after a receipt: the contribution is in the result', {
    tags: ['long'],
  }, async () => {
    await world.stopDataUser();
    const child = await startChild('user');
    await createAndContribute();
    expect(await child.end('SIGKILL')).toBeNull();
    await world.startDataUser();
    expect(await byHand.status(id)).toMatchObject({ state: 'open', contributions: 3 });
    await expectResult();
  });

  test('a data user that has blinded: its successor asks for the same unblinding', {
    tags: ['long'],
  }, async () => {
    world.proxies.csp.inject(/unblinding$/, LOSE_ANSWER, ALWAYS);
    await world.stopDataUser();
    const child = await startChild('user');
    await createAndContribute();
    await close();
    await expect.poll(() => cspPool.begun.decrypt).toBe(1);
    expect(await child.end('SIGKILL')).toBeNull();
    const before = drawn();
    expect(before.state).toBe('blinded');
    world.proxies.csp.heal();
    world.proxies.csp.inject(/two-party$/, LOSE_REQUEST, ALWAYS);
    await world.startDataUser();
    await untilState('unblinded');
    expect(drawn()).toEqual({ ...before, state: 'unblinded' });
    world.proxies.csp.heal();
    await expectResult();
    expect(cspPool.begun.decrypt).toBe(1);
  });

  test('a CSP that has unblinded: its successor has the shares, and decrypts nothing', {
    tags: ['long'],
  }, async () => {
    world.proxies.csp.inject(/unblinding$/, LOSE_ANSWER, ALWAYS);
    await world.stopCsp();
    const child = await startChild('csp');
    await createAndContribute();
    await close();
    await expect.poll(() => atCsp().state).toBe('unblinded');
    expect(await child.end('SIGKILL')).toBeNull();
    world.proxies.csp.heal();
    await world.startCsp();
    await expectResult();
    expect(cspPool.begun.decrypt).toBe(0);
  });
});

describe('a key-encryption key that a process lacks', () => {
  test('is waited for, however often its task is tried without it', { tags: ['long'] }, async () => {
    await createAndContribute();
    world.proxies.csp.inject(/two-party$/, LOSE_REQUEST, ALWAYS);
    await close();
    await untilState('unblinded');
    await restartDataUser(); // so that it tries at once again, and not after pauses that have become long
    const { dataDirectory } = world.dataUserConfig;
    const sql = 'SELECT sealed_blinding FROM tasks WHERE task_id = ?';
    const sealed = query(dataDirectory, sql, id)[0]!.sealed_blinding as Uint8Array;
    const put = (value: Uint8Array) => {
      const db = new DatabaseSync(databaseFile(dataDirectory));
      db.prepare('UPDATE tasks SET sealed_blinding = ? WHERE task_id = ?').run(value, id);
      db.close();
    };
    // As another process has sealed it, with a key that has not come to this one yet.
    put(sealed.map((byte, i) => (i === 1 ? byte ^ 1 : byte)));
    const opening = vi.spyOn(Sealer.prototype, 'open');
    const attempts = () => opening.mock.calls.filter(([place]) => place.startsWith('data-user/')).length;
    await expect.poll(attempts).toBeGreaterThan(4);
    opening.mockRestore();
    expect(await byHand.status(id)).toMatchObject({
      state: 'unblinded',
      waiting: { code: 'ERR_INTERNAL' },
    });
    put(sealed);
    world.proxies.csp.heal();
    await expectResult();
  });
});

describe('an owner whose answer is lost', () => {
  test('sends the same bytes again and gets the same receipt, even when the data user was restarted', async () => {
    await create();
    const { owner, home } = await world.enrolledOwner();
    const summary = vi.fn(async (task: SignedTask['task']) => summarise(task, byHand.parts[0]!));
    const contribute = () => owner.contribute(world.dataUserAddress, id, summary);
    const lost = expect.objectContaining({ code: 'ERR_PEER_UNREACHABLE' });
    world.proxies.dataUser.inject(/^PUT /, LOSE_REQUEST);
    await expect(contribute()).rejects.toEqual(lost);
    expect((await byHand.status(id)).contributions).toBe(0);
    world.proxies.dataUser.inject(/^PUT /, LOSE_ANSWER);
    await expect(contribute()).rejects.toEqual(lost);
    expect((await byHand.status(id)).contributions).toBe(1);
    const sql = 'SELECT receipt FROM contributions WHERE task_id = ?';
    const [stored] = query(world.dataUserConfig.dataDirectory, sql, id);
    await restartDataUser();
    await contribute();
    expect(await home.receipt(id)).toBe(stored!.receipt);
    const bodies = world.proxies.dataUser.bodies(/^PUT /);
    expect(bodies).toHaveLength(3);
    expect(new Set(bodies.map((body) => body.toString('base64'))).size).toBe(1);
    // Once it has its receipt, it neither sums nor sends anything.
    await contribute();
    expect(summary).toHaveBeenCalledTimes(3);
    expect(world.proxies.dataUser.bodies(/^PUT /)).toHaveLength(3);
    for (const part of [1, 2]) await byHand.contribute(owners[part]!, signed, part);
    await expectResult();
  });

  test('at enrolment enrols again with the same token and is the same owner', async () => {
    const { owner } = world.newOwner();
    const [token] = await inviteOwners(world.cspConfig.dataDirectory, 1, 3600);
    const enrol = () =>
      owner.enrol(world.cspAddress, token!, Thumbprint.parse(world.dataUserConfig.cspThumbprint));
    const ids = () =>
      query(world.cspConfig.dataDirectory, 'SELECT owner_id FROM owners').map((row) => row.owner_id);
    const before = ids();
    world.proxies.csp.inject(/enrolments$/, LOSE_ANSWER);
    await expect(enrol()).rejects.toMatchObject({ code: 'ERR_PEER_UNREACHABLE' });
    const fresh = ids().filter((ownerId) => !before.includes(ownerId));
    await restartCsp();
    expect([(await enrol()).ownerId]).toEqual(fresh);
    expect(ids()).toHaveLength(before.length + 1);
  });
});
