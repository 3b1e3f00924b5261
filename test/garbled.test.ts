/** Tasks with the two-party protocol `garbled`, through running services: the projection is the clear reference's, whatever happens on the way. */

import { readAudit, verifyAudit } from '@eigenveil/csp';
import { OwnerPolicy } from '@eigenveil/data-owner';
import type { ProjectionKind } from '@eigenveil/methods';

import { MessageStream } from '@eigenveil/two-party/insides';
import type { TaskStatus } from '@eigenveil/wire';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { query } from './support/database.ts';
import { expectReference } from './support/expectations.ts';
import { partiesOf } from './support/recorded-world.ts';
import { beginTask, finishTask, type Parties, runTask } from './support/run-task.ts';
import { dataFile, type Example, exampleOf, labelColumn, madeUpProposal, split } from './support/tasks.ts';
import { World } from './support/world.ts';

const OWNERS = 3;
/** The type of the messages in which the receiver of transfers sends its choices: see shared/two-party/src/oblivious-transfer/base.ts. */
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

const WAVES = Array.from({ length: 12 }, (_, i) => [Math.cos(i), 0.5 * Math.sin(2 * i) + 0.2 * Math.cos(i)]);

/** Of rows with two features or the first of them, so that a computation takes next to no time. */
function small(
  kind: ProjectionKind = 'pca',
  { features = 2, ...changes }: { readonly features?: number; readonly [name: string]: unknown } = {},
): Example {
  const counts = { pca: [], dca: [2], lda: [2], mdr: [2, 2] }[kind];
  const declared = { twoParty: 'garbled', components: 1, allowFullRank: true, ...changes };
  const classes = WAVES.map((_, i) => counts.map((_count, l) => (i >> l) % 2));
  return {
    proposal: madeUpProposal(kind, features, counts, declared),
    rows: { values: WAVES.map((row) => row.slice(0, features)), classes },
  };
}

/** One feature, where only the line matters. */
const tiny = () => small('pca', { features: 1 });

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
      Array.from({ length: Math.min(stream.length, 50_000) - 16 }, (_, i) =>
        stream.toString('latin1', i, i + 16),
      ),
    );
    const again = [...windows].filter((window) => seen.has(window) && window.split('\0').length < 6);
    expect(again.length).toBe(0);
    for (const window of windows) seen.add(window);
  }
}

const OUTPUTS = ['mean', 'trace', 'sampleCount'];

describe.each([
  ['dca', { kind: 'dca', form: 'standard', ridge: 1, signalRidge: 0 }],
  ['dca with a signal ridge', { kind: 'dca', form: 'standard', ridge: 1, signalRidge: -0.25 }],
  ['dca of the book', { kind: 'dca', form: 'book', ridge: 1, signalRidge: 0.25 }],
  ['lda', { kind: 'lda', ridge: 1 }],
] as const)('%s', (_name, method) => {
  test('of three classes', { tags: ['long'] }, async () => {
    const changes = { twoParty: 'garbled', method, outputs: OUTPUTS, components: 2 };
    await expectRight(await exampleOf(dataFile('iris'), method.kind, changes));
  });
});

test('mdr of iris', { tags: ['long'] }, async () => {
  const file = await labelColumn(dataFile('iris'), world.folder, 'petal_width', 1);
  const outputs = ['mean', 'sampleCount'];
  await expectRight(
    await exampleOf(file, 'mdr', { twoParty: 'garbled', components: 2, outputs }, [
      'label',
      'petal_width_label',
    ]),
  );
});

for (const [kind, outputs, tags] of [
  ['pca', [...OUTPUTS, 'spectrum'], []],
  ['mdr', ['mean', 'sampleCount', 'classCounts'], ['long']],
] as const)
  test(`${kind}, with everything that a task may declare`, { tags: [...tags] }, async () => {
    const task = await expectRight(small(kind, { outputs }));
    expect((await parties.client.status(task.id)).progress).toBeUndefined();
  });

test('a connection that fails restarts the computation with fresh labels, also at a CSP that is restarted meanwhile', async () => {
  const fault = world.proxies.csp.inject(COMPUTATION, { kind: 'cut', atByte: 60_000 });
  const second = world.proxies.csp.inject(COMPUTATION, { kind: 'hold' });
  const done = expectRight(tiny());
  await expect.poll(() => second.hits).toBe(1);
  await world.stopCsp();
  await world.startCsp();
  world.proxies.csp.heal();
  await done;
  expect(fault.hits).toBe(1);
  const streams = world.proxies.csp.streams.filter(({ length }) => length > 50_000);
  expect(streams).toHaveLength(2);
  expectNothingTwice(streams);
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
    example = tiny();
    await finishTask(parties, example.proposal, split(example.rows, OWNERS));
    const [bytes] = world.proxies.csp.streamBytes;
    world.proxies.csp.streams.length = 0;
    nearTheEnd = bytes! - 100;
  });

  test('is given again, three times in all', { tags: ['long'] }, async () => {
    const { csp } = world.proxies;
    csp.inject(COMPUTATION, { kind: 'cut', atByte: 40_000 }, 2);
    csp.inject(COMPUTATION, { kind: 'cut', atByte: nearTheEnd }, 2);
    const { status } = await finishTask(parties, example.proposal, split(example.rows, OWNERS));
    expect(status.state).toBe('done');
    expect(csp.streams).toHaveLength(5);
    expect(answersOf(status)).toBe(3);
  });

  test('three times, however often the line broke before, is lost for good', { tags: ['long'] }, async () => {
    world.proxies.csp.inject(COMPUTATION, { kind: 'cut', atByte: 40_000 });
    world.proxies.csp.inject(COMPUTATION, { kind: 'cut', atByte: nearTheEnd }, 3);
    const { status } = await finishTask(parties, example.proposal, split(example.rows, OWNERS));
    expect(status).toMatchObject({ state: 'failed', failure: { code: 'ERR_TASK_ANSWERED' } });
    expect(answersOf(status)).toBe(3);
  });
});

test('a computation that is changed on the way fails, and the CSP is not told by another attempt', async () => {
  const { proposal, rows } = tiny();
  world.proxies.csp.inject(COMPUTATION, { kind: 'corrupt', atByte: 400_000 });
  const { status } = await finishTask(parties, proposal, split(rows, OWNERS));
  expect(status).toMatchObject({ state: 'failed', failure: { code: 'ERR_GARBLING_CHECK' } });
  expect(world.proxies.csp.streams).toHaveLength(1);
});

test('transfers that the data user spoils every time are refused by the CSP, without a reason, and fail after three attempts', {
  tags: ['long'],
}, async () => {
  const { proposal, rows } = tiny();
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

test('a task tells how far it is, and stops computing at both servers when it is cancelled', {
  tags: ['long'],
}, async () => {
  const { client } = parties;
  const proposal = madeUpProposal('pca', 20, [], { twoParty: 'garbled', components: 5 });
  const values = Array.from({ length: 30 }, (_, i) =>
    Array.from({ length: 20 }, (_, j) => Math.cos(i * j + i)),
  );
  const rows = { values, classes: values.map(() => []) };
  const { task } = await beginTask(parties, proposal, split(rows, OWNERS));
  await expect
    .poll(async () => (await client.status(task.id)).progress)
    .toEqual({ unit: 'AND gates', done: expect.any(Number), seconds: expect.any(Number) });
  await client.cancelTask(task.id);
  const atCsp = () =>
    query(
      world.cspConfig.dataDirectory,
      'SELECT state, sealed_shares FROM tasks WHERE task_id = ?',
      task.id,
    )[0];
  await expect.poll(atCsp).toEqual({ state: 'ended', sealed_shares: null });
  // The whole computation would have sent 370 MB.
  const { streams, streamBytes } = world.proxies.csp;
  expect(streamBytes[streams.length - 1]).toBeLessThan(2e8);
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
