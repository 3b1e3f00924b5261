/**
 * The way of the data through a CSP, a data user and owners: on real data and on extremes the encrypted sums are exact,
 * and every method's projection is the clear reference's.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TaskProposal } from '@eigenveil/wire';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectDefinition, expectExactSums, expectReference } from './support/expectations.ts';
import { RecordingPool } from './support/recording-pool.ts';
import { finishTask, type Parties, runTask } from './support/run-task.ts';
import {
  dataFile,
  type Example,
  exampleOf,
  type LabelledRows,
  labelColumn,
  reference,
  split,
} from './support/tasks.ts';
import { World } from './support/world.ts';

const pools = { csp: new RecordingPool(), dataUser: new RecordingPool() };
let world: World;
let parties: Parties;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-test-'));
  world = await World.start({
    cspOverrides: { paillier: pools.csp },
    dataUserOverrides: { paillier: pools.dataUser },
  });
  const owners = await Promise.all(Array.from({ length: 4 }, () => world.enrolledOwner()));
  parties = {
    client: await world.taskClient(),
    dataUser: world.dataUserAddress,
    owners: owners.map(({ owner }) => owner),
  };
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a task and checks its sums, its projection against the clear reference and, if vectors are determined, by definition. */
async function expectRight({ proposal, rows }: Example, owners = 3) {
  const parts = split(rows, owners);
  const finished = await runTask(parties, proposal, parts);
  expectExactSums(finished, parts, pools);
  expectReference(finished.projection, finished.task, parts);
  expectDefinition(finished.projection, finished.task, parts);
  return finished.projection;
}

const OUTPUTS = ['mean', 'trace', 'sampleCount', 'spectrum'] as const;

describe.each([
  ['pima', { components: 3, privacy: 'age', threshold: 30 }],
  ['breast_cancer', { components: 3, privacy: 'Cl.thickness', threshold: 5 }],
  ['ionosphere', { components: 15, privacy: 'V3', threshold: 0.5 }],
  ['iris', { components: 2, privacy: 'petal_width', threshold: 1 }],
] as const)('%s', (name, { components, privacy, threshold }) => {
  const file = dataFile(name);

  test('pca', async () => {
    const projection = await expectRight(await exampleOf(file, 'pca', { components }));
    for (const output of OUTPUTS) expect(projection).not.toHaveProperty(output);
  });

  test('pca with every output declared', async () => {
    const example = await exampleOf(file, 'pca', { components, outputs: OUTPUTS });
    const { sampleCount, trace, spectrum, mean } = await expectRight(example);
    expect(sampleCount).toBe(example.rows.values.length);
    expect(spectrum).toHaveLength(example.proposal.features.length);
    expect(trace).toBeCloseTo(spectrum!.reduce((sum, value) => sum + value));
    expect(mean!.every((value) => Math.abs(value) <= 1)).toBe(true);
  });

  // Where the signal has no ridge there are no more than K - 1 components, and the rest of the spectrum is one value.
  test.each([
    ['standard', 0],
    ['standard', 0.25],
    ['standard', -0.25],
    ['book', 0],
    ['book', 0.25],
    ['book', -0.25],
  ] as const)('dca, form %s, with a signal ridge of %d', async (form, signalRidge) => {
    const method = { kind: 'dca', form, ridge: 1, signalRidge };
    const example = await exampleOf(file, 'dca', { components, method });
    const classes = example.proposal.labellings[0]!.classes.length;
    const { vectors } = await expectRight(example);
    const capped = form === 'standard' && signalRidge === 0 ? Math.min(components, classes - 1) : components;
    expect(vectors).toHaveLength(capped);
  });

  test('lda', async () => {
    await expectRight(await exampleOf(file, 'lda', { components }));
  });

  test('mdr', async () => {
    const labelled = await labelColumn(file, folder, privacy, threshold);
    await expectRight(await exampleOf(labelled, 'mdr', { components }, ['label', `${privacy}_label`]));
  });
});
