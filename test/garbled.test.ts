/** Tasks with the two-party protocol `garbled`, through running services: the projection is the clear reference's, whatever happens on the way. */

import { readAudit, verifyAudit } from '@eigenveil/csp';
import { OwnerPolicy } from '@eigenveil/data-owner';
import { MessageStream } from '@eigenveil/two-party';
import type { TaskStatus } from '@eigenveil/wire';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { query } from './support/database.ts';
import { expectReference } from './support/expectations.ts';
import { partiesOf } from './support/recorded-world.ts';
import { finishTask, type Parties, runTask } from './support/run-task.ts';
import {
  dataFile,
  type Example,
  exampleOf,
  labelColumn,
  madeUpProposal,
  split,
  summarise,
} from './support/tasks.ts';
import { World } from './support/world.ts';

const OWNERS = 3;
/** The type of the messages in which the receiver of transfers sends its choices: see shared/two-party/src/oblivious-transfer/message-types.ts. */
const CORRECTIONS = 0x13;
const COMPUTATION = /^GET \/tasks\/[^/]+\/two-party$/;

let world: World;
let parties: Parties;
beforeAll(async () => {
  world = await World.start({ proxied: true, csp: { allowSimulated: false } });
  // What owners allow by default, but for the short keys of tests.
  parties = await partiesOf(world, OWNERS, { twoParty: OwnerPolicy.parse({}).twoParty });
});
afterEach(() => {
  world.proxies.csp.heal();
  world.proxies.csp.streams.length = 0;
  world.proxies.csp.seen.length = 0;
});
afterAll(() => world.close());

const iris = (changes: Record<string, unknown> = {}) =>
  exampleOf(dataFile('iris'), 'pca', { twoParty: 'garbled', components: 2, ...changes });

/** Two features, so that a computation takes next to no time. */
function small(): Example {
  const proposal = madeUpProposal('pca', 2, [], { twoParty: 'garbled', components: 1, allowFullRank: true });
  const values = Array.from({ length: 12 }, (_, i) => [
    Math.cos(i),
    0.5 * Math.sin(2 * i) + 0.2 * Math.cos(i),
  ]);
  return { proposal, rows: { values, classes: values.map(() => []) } };
}

async function expectRight({ proposal, rows }: Example) {
  const parts = split(rows, OWNERS);
  const { task, projection } = await runTask(parties, proposal, parts);
  expectReference(projection, task, parts);
  const { twoParty, converged, vectors } = projection;
  expect({ twoParty, converged }).toEqual({ twoParty: 'garbled', converged: vectors.map(() => true) });
  return task;
}

/** Labels, tables and hashes are 16 bytes each and random: none may come again. */
function expectNothingTwice(streams: readonly Buffer[]): void {
  const seen = new Set<string>();
  for (const whole of streams) {
    const stream = whole.subarray(whole.indexOf('\r\n\r\n') + 4); // without the answer to the opening request
    // Headers of messages come again, too, but are mostly zeros.
    const windows = new Set(
      Array.from({ length: Math.min(stream.length, 200_000) - 16 }, (_, i) =>
        stream.toString('latin1', i, i + 16),
      ),
    );
    const again = [...windows].filter((window) => seen.has(window) && window.split('\0').length < 6);
    expect(again.length).toBe(0);
    for (const window of windows) seen.add(window);
  }
}

describe.each([
  ['dca', { kind: 'dca', form: 'standard', ridge: 1, signalRidge: 0 }, ['long']],
  ['dca with a signal ridge', { kind: 'dca', form: 'standard', ridge: 1, signalRidge: -0.25 }, ['long']],
  ['dca of the book', { kind: 'dca', form: 'book', ridge: 1, signalRidge: 0.25 }, []],
  ['lda', { kind: 'lda', ridge: 1 }, []],
] as const)('%s', (_name, method, tags) => {
  test('of three classes', { tags: [...tags] }, async () => {
    const outputs = ['mean', 'trace', 'sampleCount'];
    await expectRight(
      await exampleOf(dataFile('iris'), method.kind, { twoParty: 'garbled', method, outputs, components: 2 }),
    );
  });
});

test('mdr', async () => {
  const file = await labelColumn(dataFile('iris'), world.folder, 'petal_width', 1);
  const outputs = ['mean', 'sampleCount'];
  await expectRight(
    await exampleOf(file, 'mdr', { twoParty: 'garbled', components: 2, outputs }, [
      'label',
      'petal_width_label',
    ]),
  );
});

test('pca, with everything that a task may declare, and tells how far it is', async () => {
  const example = await iris({ outputs: ['mean', 'trace', 'sampleCount', 'spectrum'] });
  const { client } = parties;
  const seen: unknown[] = [];
  const statusOf = client.status.bind(client);
  vi.spyOn(client, 'status').mockImplementation(async (id) => {
    const status = await statusOf(id);
    if (status.progress) seen.push(status.progress);
    return status;
  });
  const task = await expectRight(example);
  vi.restoreAllMocks();
  expect(seen).toContainEqual({
    unit: 'AND gates',
    done: expect.any(Number),
    seconds: expect.any(Number),
  });
  expect((await client.status(task.id)).progress).toBeUndefined();
});

describe('a connection that fails', () => {
  test('restarts the computation with fresh labels', async () => {
    const example = await iris();
    const fault = world.proxies.csp.inject(COMPUTATION, { kind: 'cut', atByte: 400_000 });
    await expectRight(example);
    expect(fault.hits).toBe(1);
    const { streams } = world.proxies.csp;
    expect(streams).toHaveLength(2);
    expectNothingTwice(streams);
  });

  test('and a CSP that is restarted meanwhile', async () => {
    const example = await iris();
    world.proxies.csp.inject(COMPUTATION, { kind: 'cut', atByte: 400_000 });
    const done = expectRight(example);
    await expect.poll(() => world.proxies.csp.streams.length).toBe(1);
    await world.stopCsp();
    await world.startCsp();
    await done;
  });
});

describe('an answer that is lost on the way', () => {
  const answersOf = ({ taskId }: TaskStatus) =>
    verifyAudit(readAudit(world.cspConfig.dataDirectory)).entries.filter(
      (entry) => entry.taskId === taskId && entry.operation === 'computation answered',
    ).length;
  /** Where, in a computation of this task, the decoding of its outputs, the last that the CSP sends, has begun but not ended. */
  let nearTheEnd: number;
  let example: Example;
  beforeAll(async () => {
    example = small();
    await finishTask(parties, example.proposal, split(example.rows, OWNERS));
    const [bytes] = world.proxies.csp.streamBytes;
    world.proxies.csp.streams.length = 0;
    nearTheEnd = bytes! - 100;
  });

  test('is given again, three times in all, however often the line broke before', async () => {
    const { csp } = world.proxies;
    csp.inject(COMPUTATION, { kind: 'cut', atByte: 40_000 }, 2);
    csp.inject(COMPUTATION, { kind: 'cut', atByte: nearTheEnd }, 2);
    const { status } = await finishTask(parties, example.proposal, split(example.rows, OWNERS));
    expect(status.state).toBe('done');
    expect(csp.streams).toHaveLength(5);
    expect(answersOf(status)).toBe(3);
  });

  test('three times is lost for good', async () => {
    world.proxies.csp.inject(COMPUTATION, { kind: 'cut', atByte: nearTheEnd }, 3);
    const { status } = await finishTask(parties, example.proposal, split(example.rows, OWNERS));
    expect(status).toMatchObject({ state: 'failed', failure: { code: 'ERR_TASK_ANSWERED' } });
    expect(answersOf(status)).toBe(3);
  });
});

test('a computation that is changed on the way fails, and the CSP is not told by another attempt', async () => {
  const { proposal, rows } = await iris();
  world.proxies.csp.inject(COMPUTATION, { kind: 'corrupt', atByte: 400_000 });
  const { status } = await finishTask(parties, proposal, split(rows, OWNERS));
  expect(status).toMatchObject({ state: 'failed', failure: { code: 'ERR_GARBLING_CHECK' } });
  expect(world.proxies.csp.streams).toHaveLength(1);
});

test('transfers that the data user spoils every time are refused by the CSP, without a reason, and fail after three attempts', async () => {
  const { proposal, rows } = small();
  const { ahead } = MessageStream.prototype;
  const spoiling = vi.spyOn(MessageStream.prototype, 'ahead').mockImplementation(function (
    this: MessageStream,
  ) {
    const write = ahead.call(this);
    return (type, payload) => {
      const spoilt = payload.map((byte, b) => byte ^ (b === 500 ? 1 : 0));
      return write(type, type === CORRECTIONS ? spoilt : payload);
    };
  });
  const { status } = await finishTask(parties, proposal, split(rows, OWNERS));
  spoiling.mockRestore();
  expect(status).toMatchObject({
    state: 'failed',
    failure: { code: 'ERR_CHANNEL_ABORTED', message: expect.stringContaining('ERR_COMPUTATION') },
  });
  expect(world.proxies.csp.streams).toHaveLength(3);
});

test('a task that is cancelled stops computing at both servers', async () => {
  const { client, dataUser, owners } = parties;
  const { proposal, rows } = await exampleOf(dataFile('ionosphere'), 'pca', {
    twoParty: 'garbled',
    components: 15,
  });
  const { task } = await client.create(proposal);
  for (const [i, part] of split(rows, OWNERS).entries())
    await owners[i]!.contribute(dataUser, task.id, async (t) => summarise(t, part));
  await client.closeTask(task.id);
  await expect.poll(async () => (await client.status(task.id)).progress).toBeDefined();
  await client.cancelTask(task.id);
  const atCsp = () =>
    query(
      world.cspConfig.dataDirectory,
      'SELECT state, sealed_shares FROM tasks WHERE task_id = ?',
      task.id,
    )[0];
  await expect.poll(atCsp).toEqual({ state: 'ended', sealed_shares: null });
  // The whole computation would have sent 4 GB.
  const { streams, streamBytes } = world.proxies.csp;
  expect(streamBytes[streams.length - 1]).toBeLessThan(1e9);
  expect((await client.status(task.id)).progress).toBeUndefined();
});

describe('is refused', () => {
  test('for more features than are supported', async () => {
    const proposal = madeUpProposal('pca', 101, [], { twoParty: 'garbled' });
    await expect(parties.client.create(proposal)).rejects.toMatchObject({ code: 'ERR_TASK_RANGE' });
    const allowed = madeUpProposal('pca', 100, [], { twoParty: 'garbled' });
    const { task } = await parties.client.create(allowed);
    await parties.client.cancelTask(task.id);
  });
});
