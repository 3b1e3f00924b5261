/**
 * PCA with the two-party protocol `rotated`, through running services: exact results, and an answer that is
 * given once.
 *
 * @claims S-58, S-186, S-187
 */
import { OwnerPolicy } from '@eigenveil/data-owner';
import { SqlDataUserStore } from '@eigenveil/data-user';
import { CodedError } from '@eigenveil/platform';
import { Projector } from '@eigenveil/projection';
import { readFrames } from '@eigenveil/testbed/proxies/http-messages';
import { TWO_PARTY_CODES, TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
import type { TaskStatus } from '@eigenveil/wire';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { isStillInFiles, query } from './support/database.ts';
import { expectReference } from './support/expectations.ts';
import { partiesOf } from './support/recorded-world.ts';
import { finishTask, type Parties, runTask } from './support/run-task.ts';
import { dataFile, type Example, exampleOf, madeUpProposal, reference, split } from './support/tasks.ts';
import { World } from './support/world.ts';

const OWNERS = 3;
const COMPUTATION = /^GET \/tasks\/[^/]+\/two-party$/;
const OUTPUTS = ['sampleCount', 'spectrum'];

let world: World;
let parties: Parties;
beforeAll(async () => {
  world = await World.start({ proxied: true, csp: { allowSimulated: false } });
  const policy = {
    twoParty: ['rotated'],
    allowSpectrum: true,
    allowVariances: true,
    minimumClassRows: 1,
  } satisfies Partial<OwnerPolicy>;
  parties = await partiesOf(world, OWNERS, policy);
});
afterEach(() => {
  world.proxies.csp.heal();
  world.proxies.csp.streams.length = 0;
});
afterAll(() => world.close());

const rotated = (file: string, changes: Record<string, unknown> = {}) =>
  exampleOf(dataFile(file), 'pca', { twoParty: 'rotated', outputs: OUTPUTS, components: 2, ...changes });

async function expectRight({ proposal, rows }: Example) {
  const parts = split(rows, OWNERS);
  const finished = await runTask(parties, proposal, parts);
  expectReference(finished.projection, finished.task, parts);
  return finished;
}

/** Of three features, the fewest that it computes. */
function small(): Example {
  const proposal = madeUpProposal('pca', 3, [], { twoParty: 'rotated', outputs: OUTPUTS, components: 1 });
  const values = Array.from({ length: 12 }, (_, i) => [1, 2, 5].map((w) => Math.cos(w * i) / w));
  return { proposal, rows: { values, classes: values.map(() => []) } };
}

const finish = ({ proposal, rows }: Example) => finishTask(parties, proposal, split(rows, OWNERS));
const sharesAtCsp = ({ taskId }: TaskStatus) =>
  query(world.cspConfig.dataDirectory, 'SELECT sealed_shares FROM tasks WHERE task_id = ?', taskId)[0]!;

for (const [name, changes] of [
  ['pima', {}],
  ['ionosphere', { components: 15 }],
] as const)
  test(`pca of ${name}, ${JSON.stringify(changes)}`, { tags: ['long'] }, async () => {
    await expectRight(await rotated(name, changes));
  });

test('pca of a correlation matrix, whose vectors an owner applies to its rows', {
  tags: ['long'],
}, async () => {
  const { proposal, rows } = await rotated('pima', {
    method: { kind: 'pca', scale: 'correlation' },
    outputs: [...OUTPUTS, 'mean', 'trace', 'variances'],
    components: 3,
  });
  const parts = split(rows, OWNERS);
  const { task } = await runTask(parties, proposal, parts);
  const { projection } = await parties.owners[0]!.result(parties.dataUser, task.id);
  const { decomposition } = reference(task, parts);
  const [ours, theirs] = [projection, { ...projection, ...decomposition }].map(
    (own) => new Projector(task, own),
  );
  for (const row of rows.values.slice(0, 50))
    for (const [c, coordinate] of ours!.transform([row])[0]!.entries())
      expect(Math.abs(coordinate - theirs!.transform([row])[0]![c]!)).toBeLessThan(1e-6);
  expect(projection.trace).toBe(8);
});

test('pca with everything that a task may declare', async () => {
  await expectRight(await rotated('iris', { outputs: [...OUTPUTS, 'mean', 'trace'] }));
});

describe('a connection that fails', () => {
  test('before the answer begins is opened again', { tags: ['long'] }, async () => {
    world.proxies.csp.inject(COMPUTATION, { kind: 'cut', atByte: 3000 });
    await expectRight(small());
    expect(world.proxies.csp.streams).toHaveLength(2);
  });

  /** How many bytes the CSP sends in an answer: the same in all, since it depends on sizes alone. */
  let bytes: number;
  beforeAll(async () => {
    await expectRight(small());
    bytes = world.proxies.csp.streamBytes[0]!;
    world.proxies.csp.streams.length = 0;
  });

  /** The second line is held back until somebody heals the proxy; the first is gone within the last bytes, the rotated vectors, and so the answer has begun. */
  async function broken() {
    world.proxies.csp.inject(COMPUTATION, { kind: 'cut', atByte: bytes - 100 });
    const second = world.proxies.csp.inject(COMPUTATION, { kind: 'hold' });
    const finished = expectRight(small());
    finished.catch(() => undefined); // whoever waits for it sees the error
    await expect.poll(() => second.hits).toBe(1);
    const [kept] = query(
      world.cspConfig.dataDirectory,
      'SELECT task_id, sealed_seed, runs FROM answers WHERE runs > 0',
    );
    expect(kept).toMatchObject({ runs: 1 });
    return { finished, seed: kept!.sealed_seed as Uint8Array, taskId: kept!.task_id as string };
  }

  /** What the CSP has sent over each connection, without the frames, as far as it was passed on. */
  const sentByCsp = () =>
    world.proxies.csp.streams.map((stream) =>
      Buffer.concat(readFrames(stream, stream.indexOf('\r\n\r\n') + 4).map(({ payload }) => payload)),
    );
  const auditOf = (taskId: string) =>
    query(
      world.cspConfig.dataDirectory,
      "SELECT operation FROM audit WHERE task_id = ? AND operation NOT IN ('computation started', 'key made') ORDER BY sequence",
      taskId,
    ).map(({ operation }) => operation);

  test('in the midst of the answer is opened again, also to a CSP that is started again between, and the answer is the same', async () => {
    const { finished, taskId } = await broken();
    await world.stopCsp();
    await world.startCsp();
    world.proxies.csp.heal();
    await finished;
    const [first, second, ...others] = sentByCsp();
    expect(others).toEqual([]);
    expect(first!.length).toBeGreaterThan(40_000);
    expect(second!.subarray(0, first!.length).equals(first!)).toBe(true);
    expect(auditOf(taskId)).toEqual([
      'records fixed',
      'unblinded',
      'key destroyed',
      'computation answered',
      'computation resumed',
    ]);
  });

  test('keeps what the answer is drawn from until the task ends, and not a byte of it in any file afterwards', {
    tags: ['long'],
  }, async () => {
    const { finished, seed, taskId } = await broken();
    const { cspConfig, dataUserConfig } = world;
    const at = (directory: string, what: string) =>
      query(directory, `SELECT * FROM ${what} WHERE task_id = ?`, taskId);
    const own = at(dataUserConfig.dataDirectory, 'answers')[0]!.sealed_seed as Uint8Array;
    expect(isStillInFiles(cspConfig.dataDirectory, seed)).toBe(true);
    expect(isStillInFiles(dataUserConfig.dataDirectory, own)).toBe(true);
    for (const { dataDirectory } of [cspConfig, dataUserConfig])
      expect(at(dataDirectory, 'answer_tags').length).toBeGreaterThan(3);
    world.proxies.csp.heal();
    await finished;
    await expect.poll(() => at(cspConfig.dataDirectory, 'tasks')[0]).toMatchObject({ state: 'ended' });
    for (const { dataDirectory } of [cspConfig, dataUserConfig])
      for (const table of ['answers', 'answer_tags']) expect(at(dataDirectory, table)).toEqual([]);
    expect(isStillInFiles(cspConfig.dataDirectory, seed)).toBe(false);
    expect(isStillInFiles(dataUserConfig.dataDirectory, own)).toBe(false);
  });

  test('over and over is given up after sixteen runs, and the task has failed', {
    tags: ['long'],
  }, async () => {
    world.proxies.csp.inject(COMPUTATION, { kind: 'cut', atByte: bytes - 100 }, Number.POSITIVE_INFINITY);
    const { status } = await finish(small());
    expect(status).toMatchObject({ state: 'failed', failure: { code: 'ERR_TASK_ANSWERED' } });
    expect(sharesAtCsp(status)).toEqual({ sealed_shares: null });
    expect(auditOf(status.taskId).filter((operation) => operation === 'computation resumed')).toHaveLength(
      15,
    );
  });
});

test('faults before an answer end the task after three lines, of which each counts once, also when the database fails for a moment', {
  tags: ['long'],
}, async () => {
  const { addFault } = SqlDataUserStore.prototype;
  const lines: number[] = [];
  let failures = 0;
  const failing = vi.spyOn(SqlDataUserStore.prototype, 'addFault').mockImplementation(async function (
    this: SqlDataUserStore,
    taskId,
  ) {
    if (failures++ === 0) throw new Error('disk I/O error');
    lines.push(world.proxies.csp.streams.length);
    return addFault.call(this, taskId);
  });
  const fault = new CodedError(
    TWO_PARTY_CODES.ERR_OT_CHECK,
    'the transfers of a block contradict each other',
  );
  const spoilt = vi
    .spyOn(TWO_PARTY_PROTOCOLS.rotated, 'runDataUser')
    .mockImplementation(async (channel, _computation, { beforeAbort }) => {
      await beforeAbort?.(fault);
      await channel.abort('ERR_COMPUTATION');
      throw fault;
    });
  const { status } = await finish(small());
  failing.mockRestore();
  spoilt.mockRestore();
  expect(status).toMatchObject({ state: 'failed', failure: { code: 'ERR_OT_CHECK' } });
  expect(lines).toEqual([1, 2, 3]);
  const audited = query(
    world.cspConfig.dataDirectory,
    "SELECT operation FROM audit WHERE task_id = ? AND operation = 'computation answered'",
    status.taskId,
  );
  expect(audited).toEqual([]);
});

test('an answer that has come is not lost when the database fails for a moment', {
  tags: ['long'],
}, async () => {
  const { advance } = SqlDataUserStore.prototype;
  let failures = 0;
  const failing = vi.spyOn(SqlDataUserStore.prototype, 'advance').mockImplementation(async function (
    this: SqlDataUserStore,
    ...[taskId, from, result]: Parameters<typeof advance>
  ) {
    if (result.to === 'decomposed' && failures++ === 0) throw new Error('disk I/O error');
    return advance.call(this, taskId, from, result);
  });
  await expectRight(small());
  failing.mockRestore();
  expect(failures).toBe(2);
  expect(world.proxies.csp.streams).toHaveLength(1);
});

describe('is refused', () => {
  const declared = { twoParty: 'rotated', outputs: OUTPUTS };
  const guarded = { exact: false, allowFullRank: false };
  test.each([
    ['without the spectrum', madeUpProposal('pca', 6, [], { twoParty: 'rotated' }), 'ERR_PROGRAM_INVALID'],
    [
      'for d − 1 components',
      madeUpProposal('pca', 6, [], { ...declared, ...guarded, components: 5 }),
      'ERR_FULL_RANK',
    ],
    [
      'for numbers that do not fit its ring',
      madeUpProposal('pca', 6, [], { ...declared, fractionBits: 20, maximumSamplesPerOwner: 1_000_000_000 }),
      'ERR_TASK_RANGE',
    ],
  ])('%s', async (_name, proposal, code) => {
    await expect(parties.client.create(proposal)).rejects.toMatchObject({ code });
  });

  test('by owners who have not allowed it', async () => {
    const { owner } = await world.enrolledOwner({ twoParty: OwnerPolicy.parse({}).twoParty });
    const { task } = await parties.client.create(small().proposal);
    const contribution = owner.contribute(parties.dataUser, task.id, () => Promise.reject(new Error('read')));
    await expect(contribution).rejects.toMatchObject({ code: 'ERR_POLICY' });
    await parties.client.cancelTask(task.id);
  });
});
