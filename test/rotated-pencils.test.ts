/**
 * DCA, LDA and MDR with the two-party protocol `rotated`, through running services: results, consent,
 * refusals, and an answer that is given once.
 *
 * @claims S-58, S-63, S-172
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OwnerPolicy } from '@eigenveil/data-owner';
import { METHODS, type MethodParameters, type ProjectionKind } from '@eigenveil/methods';

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
  type LabelledRows,
  labelColumn,
  madeUpProposal,
  split,
  splitByClass,
  summarise,
} from './support/tasks.ts';
import { World } from './support/world.ts';

const OWNERS = 3;
const COMPUTATION = /^GET \/tasks\/[^/]+\/two-party$/;
const POLICY = {
  twoParty: ['rotated'],
  allowSpectrum: true,
  allowFullRank: true,
  minimumClassRows: 1,
} satisfies Partial<OwnerPolicy>;

let world: World;
let parties: Parties;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-pencils-'));
  world = await World.start({ proxied: true, csp: { allowSimulated: false } });
  parties = await partiesOf(world, OWNERS, POLICY);
});
afterEach(() => {
  world.proxies.csp.heal();
  world.proxies.csp.streams.length = 0;
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

const dca = (ridge: number, signalRidge = 0): MethodParameters => ({
  kind: 'dca',
  form: 'standard',
  ridge,
  signalRidge,
});

/** For MDR a column is made the label of privacy, by a threshold. */
async function example(
  kind: ProjectionKind,
  name: string,
  column: string,
  threshold: number,
  changes: Record<string, unknown> = {},
): Promise<Example> {
  const declared = {
    twoParty: 'rotated',
    outputs: [...METHODS[kind].revealedByRotation],
    ...changes,
  };
  if (kind !== 'mdr') return exampleOf(dataFile(name), kind, declared);
  const labelled = await labelColumn(dataFile(name), folder, column, threshold);
  return exampleOf(labelled, kind, declared, ['label', `${column}_label`]);
}

/** Of so few features a data user that deviates could have all of the scatter matrix, but of one component without a ridge on the signal. */
const iris = (kind: ProjectionKind, changes: Record<string, unknown> = {}) =>
  example(kind, 'iris', 'sepal_width', 3, { allowFullRank: true, ...changes });

const auditOf = ({ taskId }: TaskStatus) =>
  query(
    world.cspConfig.dataDirectory,
    'SELECT operation FROM audit WHERE task_id = ? ORDER BY sequence',
    taskId,
  );

/** Each request about the task, however often it was tried. */
const askedOfCsp = ({ taskId }: TaskStatus) => {
  const names = world.proxies.csp.seen.map(({ name }) => name).filter((name) => name.includes(taskId));
  return [...new Set(names.map((name) => name.replace(taskId, 'TASK')))];
};

test.each([
  ['lda', 2],
  ['mdr', 1],
] as const)('%s of iris', { tags: ['long'] }, async (kind, components) => {
  const { proposal, rows } = await iris(kind, { components });
  const parts = split(rows, OWNERS);
  const { projection, task } = await runTask(parties, proposal, parts);
  expectReference(projection, task, parts);
  const counts = proposal.labellings.map(({ classes }, l) =>
    classes.map((_, k) => rows.classes.filter((of) => of[l] === k).length),
  );
  expect(projection).toMatchObject({ sampleCount: 150, classCounts: counts });
});

test.each([
  ['dca', 'ionosphere', { method: dca(0.01) }],
  ['dca', 'pima', { method: dca(1, 0.5), components: 3 }],
  ['mdr', 'pima', { components: 1 }],
] as const)('%s of %s', { tags: ['long'] }, async (kind, name, changes) => {
  const { proposal, rows } = await example(kind, name, 'age', 30, changes);
  const parts = split(rows, OWNERS);
  const { projection, task } = await runTask(parties, proposal, parts);
  expectReference(projection, task, parts);
});

test('dca of owners with one class each, with a ridge on the signal and the mean', async () => {
  const outputs = [...METHODS.dca.revealedByRotation, 'mean', 'trace'];
  const { proposal, rows } = await iris('dca', { outputs, method: dca(1, 0.5) });
  const parts = splitByClass(rows, OWNERS);
  const { projection, task } = await runTask(parties, proposal, parts);
  expectReference(projection, task, parts);
  expect(projection.classCounts).toEqual([[50, 50, 50]]); // each is an owner's
});

describe('what no result comes of is told to the data user, and looks to the CSP like a result', () => {
  const flat = ({ values, classes }: LabelledRows): LabelledRows => ({
    values: values.map(([a, b, c]) => [a!, b!, c!, 1]),
    classes,
  });
  const ofOneClass = ({ values }: LabelledRows): LabelledRows => ({ values, classes: values.map(() => [1]) });
  const ofTwoFeatures = ({ values, classes }: LabelledRows): LabelledRows =>
    flat({ values: values.map(([a, , c]) => [a!, 3, c!]), classes });

  async function seenByCsp(
    method: MethodParameters,
    change: (rows: LabelledRows) => LabelledRows = (rows) => rows,
    changes: Record<string, unknown> = {},
  ) {
    const { proposal, rows } = await iris('dca', { components: 1, method, ...changes });
    world.proxies.csp.streams.length = 0;
    world.proxies.csp.streamBytes.length = 0;
    const { status } = await finishTask(parties, proposal, split(change(rows), OWNERS));
    // The last of it.
    await vi.waitUntil(() => askedOfCsp(status).includes('DELETE /tasks/TASK'), { timeout: 50_000 });
    const [bytes, ...others] = world.proxies.csp.streamBytes;
    return { status, seen: { bytes, others, audit: auditOf(status), asked: askedOfCsp(status) } };
  }
  const refused: readonly [
    string,
    MethodParameters,
    (rows: LabelledRows) => LabelledRows,
    RegExp,
    readonly 'long'[],
  ][] = [
    ['ERR_SINGLE_CLASS', dca(1), ofOneClass, /two classes/, ['long']],
    ['ERR_ILL_CONDITIONED', dca(1e-10), flat, /least eigenvalue.*got \d\.\de-\d+ of it: a larger ridge/, []],
    ['ERR_FULL_RANK', dca(1), ofTwoFeatures, /rank/, ['long']],
  ];
  for (const [code, method, change, message, tags] of refused)
    test(code, { tags: [...tags] }, async () => {
      // Who consents to an exact result consents to a full rank, too.
      const guarded = { exact: false, allowFullRank: false };
      const changes = code === 'ERR_FULL_RANK' ? guarded : {};
      const result = await seenByCsp(dca(1), undefined, changes);
      const { status, seen } = await seenByCsp(method, change, changes);
      const failure = { code, message: expect.stringMatching(message) };
      expect(status).toMatchObject({ state: 'failed', failure });
      // Whoever fetches the result gets a problem with its code.
      await expect(parties.client.result(status.taskId)).rejects.toMatchObject(failure);
      expect(seen).toEqual(result.seen);
    });
});

describe('one answer', () => {
  test('a line that breaks in it is opened again, also to a CSP that is started again: the same answer', {
    tags: ['long'],
  }, async () => {
    const outputs = [...METHODS.dca.revealedByRotation];
    const proposal = madeUpProposal('dca', 3, [2], {
      ...{ twoParty: 'rotated', outputs, components: 1, allowFullRank: true },
    });
    const values = Array.from({ length: 24 }, (_, i) => [1, 2, 5].map((w) => Math.cos(w * i) / w));
    const parts = split({ values, classes: values.map((_, i) => [i % 2]) }, OWNERS);
    await runTask(parties, proposal, parts);
    const bytes = world.proxies.csp.streamBytes[0]!;
    // Within the rotated vectors: M and Y are given.
    world.proxies.csp.inject(COMPUTATION, { kind: 'cut', atByte: bytes - 100 });
    const second = world.proxies.csp.inject(COMPUTATION, { kind: 'hold' });
    const finished = runTask(parties, proposal, parts);
    await expect.poll(() => second.hits).toBe(1);
    await world.stopCsp();
    await world.startCsp();
    world.proxies.csp.heal();
    const resumed = await finished;
    expectReference(resumed.projection, resumed.task, parts);
    for (const [operation, times] of [
      ['computation answered', 1],
      ['computation resumed', 1],
    ])
      expect(auditOf(resumed.status).filter((entry) => entry.operation === operation)).toHaveLength(
        Number(times),
      );
  });
});

describe('consent', () => {
  test.each<[string, Partial<OwnerPolicy>, RegExp]>([
    ['numbers of rows by class', { minimumClassRows: undefined }, /classCounts.*"minimumClassRows"/],
    [
      'both spectra',
      { allowSpectrum: false },
      /total scatter and of the pencil, and which takes "allowSpectrum"/,
    ],
  ])('to %s is asked for before a row is read', async (_, policy, message) => {
    const { owner } = await world.enrolledOwner({ ...POLICY, ...policy });
    const { task } = await parties.client.create((await iris('dca')).proposal);
    const contribution = owner.contribute(parties.dataUser, task.id, () => Promise.reject(new Error('read')));
    await expect(contribution).rejects.toMatchObject({
      code: 'ERR_POLICY',
      message: expect.stringMatching(message),
    });
    await parties.client.cancelTask(task.id);
  });

  test('an owner with fewer rows of a class than it wants to be counted with sends nothing', async () => {
    const { proposal, rows } = await iris('dca');
    const { task } = await parties.client.create(proposal);
    const [part] = splitByClass(rows, OWNERS);
    const careful = await world.enrolledOwner({ ...POLICY, minimumClassRows: 51 });
    await expect(
      careful.owner.contribute(parties.dataUser, task.id, async (it) => summarise(it, part!)),
    ).rejects.toMatchObject({ code: 'ERR_POLICY', message: expect.stringContaining('"minimumClassRows"') });
    expect(await careful.home.pending(task.id)).toBeUndefined();
    expect((await parties.client.status(task.id)).contributions).toBe(0);
    const content = await world.enrolledOwner({ ...POLICY, minimumClassRows: 50 });
    await content.owner.contribute(parties.dataUser, task.id, async (it) => summarise(it, part!));
    expect((await parties.client.status(task.id)).contributions).toBe(1);
    await parties.client.cancelTask(task.id);
  });
});

describe('is refused when it is proposed', () => {
  const declared = { twoParty: 'rotated', outputs: [...METHODS.dca.revealedByRotation] };
  const guarded = { exact: false, allowFullRank: false };
  const proposal = (changes: Record<string, unknown>) =>
    madeUpProposal('dca', 6, [3], { ...declared, ...changes });
  test.each([
    [
      'without class counts',
      { outputs: ['sampleCount', 'spectrum'] },
      'ERR_PROGRAM_INVALID',
      'declare classCounts',
    ],
    [
      'with a negative signal ridge',
      { method: dca(1, -0.05) },
      'ERR_PROGRAM_INVALID',
      'garbled computes others',
    ],
    ['with one above the ridge', { method: dca(1, 1.5) }, 'ERR_PROGRAM_INVALID', 'from 0 to the ridge'],
    [
      'for d − 1 components',
      { ...guarded, method: dca(1, 0.5), components: 5 },
      'ERR_FULL_RANK',
      'components',
    ],
    [
      'for as many as would leave a data user that deviates no unknown',
      { ...guarded, method: dca(1, 0.5), components: 2 },
      'ERR_FULL_RANK',
      'at most 1 of these features and classes',
    ],
    ['with its spectrum by garbled', { twoParty: 'garbled' }, 'ERR_PROGRAM_INVALID', 'no spectrum for dca'],
  ])('%s', async (_, changes, code, message) => {
    await expect(parties.client.create(proposal(changes))).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });
});
