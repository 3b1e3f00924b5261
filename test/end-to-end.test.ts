/**
 * From end to end through a CSP, a data user and owners: on real data and on extremes the encrypted sums are exact,
 * and every method's projection is the clear reference's.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TaskProposal } from '@eigenveil/task';
import { errorCodeOf } from '@eigenveil/wire';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectDefinition, expectExactSums, expectReference } from './support/expectations.ts';
import { partiesOf, type RecordedWorld, startRecorded } from './support/recorded-world.ts';
import { finishTask, runTask } from './support/run-task.ts';
import {
  dataFile,
  type Example,
  exampleOf,
  type LabelledRows,
  labelColumn,
  madeUpProposal,
  reference,
  split,
} from './support/tasks.ts';

/** More than the data user holds contributions in memory at a time. */
const MANY_OWNERS = 40;
/** As many as any other task has. */
const OWNERS = 4;

let recorded: RecordedWorld;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-test-'));
  recorded = await startRecorded(OWNERS);
});
afterAll(async () => {
  await recorded.world.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a task and checks its sums, its projection against the clear reference and, if vectors are determined, by definition. */
async function expectRight({ proposal, rows }: Example, owners = 3, parties = recorded.parties) {
  const parts = split(rows, owners);
  const finished = await runTask(parties, proposal, parts);
  expectExactSums(finished, parts, recorded.pools);
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
  // One file with two classes and one with three say what the others repeat.
  const tagsOf = (...names: readonly string[]) => (names.includes(name) ? ['long'] : []);

  test('pca', { tags: ['long'] }, async () => {
    const projection = await expectRight(await exampleOf(file, 'pca', { components }));
    for (const output of OUTPUTS) expect(projection).not.toHaveProperty(output);
  });

  test('pca with every output declared', {
    tags: tagsOf('breast_cancer', 'ionosphere', 'iris'),
  }, async () => {
    const example = await exampleOf(file, 'pca', { components, outputs: OUTPUTS });
    const { sampleCount, trace, spectrum, mean } = await expectRight(example);
    expect(sampleCount).toBe(example.rows.values.length);
    expect(spectrum).toHaveLength(example.proposal.features.length);
    expect(trace).toBeCloseTo(spectrum!.reduce((sum, value) => sum + value));
    expect(mean!.every((value) => Math.abs(value) <= 1)).toBe(true);
  });

  // Where the signal has no ridge there are no more than K - 1 components, and the rest of the spectrum is one value.
  const FORMS = ['standard', 'book'].flatMap((form) =>
    [0, 0.25, -0.25].map((ridge) => [form, ridge] as const),
  );
  describe.each(FORMS)('dca, form %s, with a signal ridge of %d', (form, signalRidge) => {
    const isLeastUsual = form === 'book' && signalRidge < 0;
    const tags = isLeastUsual ? tagsOf('breast_cancer', 'ionosphere', 'pima') : ['long'];
    test('is as by definition', { tags }, async () => {
      const method = { kind: 'dca', form, ridge: 1, signalRidge };
      const example = await exampleOf(file, 'dca', { components, method });
      const classes = example.proposal.labellings[0]!.classes.length;
      const { vectors } = await expectRight(example);
      const capped =
        form === 'standard' && signalRidge === 0 ? Math.min(components, classes - 1) : components;
      expect(vectors).toHaveLength(capped);
    });
  });

  test('lda', { tags: ['long'] }, async () => {
    await expectRight(await exampleOf(file, 'lda', { components }));
  });

  test('mdr', { tags: tagsOf('breast_cancer', 'ionosphere', 'pima') }, async () => {
    const labelled = await labelColumn(file, folder, privacy, threshold);
    await expectRight(await exampleOf(labelled, 'mdr', { components }, ['label', `${privacy}_label`]));
  });
});

test('lda with numbers of rows by class and all eigenvalues of the total scatter', async () => {
  const outputs = ['spectrum', 'classCounts'];
  const { classCounts, spectrum } = await expectRight(await exampleOf(dataFile('iris'), 'lda', { outputs }));
  expect(classCounts).toEqual([[50, 50, 50]]);
  expect(spectrum).toHaveLength(4);
});

describe.each([
  { encryption: 'djn', method: 'dca' },
  { encryption: 'standard', method: 'pca' },
] as const)(
  'keys of the default length, $encryption encryption: $method',
  { tags: ['long'] },
  ({ encryption, method }) => {
    test('is as by definition', async () => {
      const safe = { keyBits: undefined, allowInsecureKey: undefined, encryption };
      const example = await exampleOf(dataFile('iris'), method, safe);
      expect(example.proposal).toMatchObject({ keyBits: 3072, allowInsecureKey: false });
      await expectRight(example);
    });
  },
);

test('many owners', { tags: ['long'] }, async () => {
  const bounds = { maximumOwners: MANY_OWNERS, minimumOwners: MANY_OWNERS, components: 1 };
  const values = Array.from({ length: 2 * MANY_OWNERS }, (_, row) => [Math.sin(row), Math.cos(3 * row)]);
  const rows = { values, classes: values.map((_, row) => [row % 3 === 0 ? 0 : 1]) };
  const parties = await partiesOf(recorded.world, MANY_OWNERS);
  await expectRight({ proposal: madeUpProposal('lda', 2, [2], bounds), rows }, MANY_OWNERS, parties);
});

/** The same number of rows for each owner; cells and classes by the number of the row, counted over all owners. */
function rowsOf(
  owners: number,
  rowsPerOwner: number,
  cells: (row: number) => number[],
  classes: (row: number) => number[] = () => [],
): LabelledRows[] {
  return Array.from({ length: owners }, (_, owner) => {
    const numbers = Array.from({ length: rowsPerOwner }, (_unused, i) => owner * rowsPerOwner + i);
    return { values: numbers.map(cells), classes: numbers.map(classes) };
  });
}

const D = 5;
const all = (cell: number) => () => new Array<number>(D).fill(cell);
const alternating = (row: number) => Array.from({ length: D }, (_, i) => (-1) ** (i + row));
const oneOf = (classes: number) => (row: number) => [row % classes];
/** Bounds that rows reach: every owner there may be, with every row it may have. Equal rows have no scatter, so it is known. */
const full = { maximumOwners: 3, maximumSamplesPerOwner: 7, allowFullRank: true };

const EDGES: readonly (readonly [string, TaskProposal, LabelledRows[]])[] = [
  ['every cell at its upper end', madeUpProposal('pca', D, [], full), rowsOf(3, 7, all(1))],
  ['every cell at its lower end', madeUpProposal('pca', D, [], full), rowsOf(3, 7, all(-1))],
  [
    'columns at opposite ends',
    madeUpProposal('pca', D, [], full),
    rowsOf(3, 7, (row) => alternating(2 * row)),
  ],
  ['cells far out of range', madeUpProposal('pca', D, [], full), rowsOf(3, 7, all(-1e9))],
  ['every cell in the middle', madeUpProposal('pca', D, [], full), rowsOf(3, 7, all(0))],
  [
    'the finest fractions, every cell at an end',
    madeUpProposal('lda', D, [2], { ...full, fractionBits: 20 }),
    rowsOf(3, 7, alternating, oneOf(2)),
  ],
  [
    'the coarsest fractions',
    madeUpProposal('lda', D, [2], { ...full, fractionBits: 1 }),
    rowsOf(3, 7, (row) => alternating(row).map((cell, i) => (cell * i) / D), oneOf(2)),
  ],
  [
    'bounds far above the rows',
    madeUpProposal('dca', D, [3], { maximumOwners: 10_000_000, maximumSamplesPerOwner: 900_000_000 }),
    rowsOf(2, 3, alternating, oneOf(3)),
  ],
  [
    'two owners at most, with one row each',
    madeUpProposal('lda', D, [2], { maximumOwners: 2, maximumSamplesPerOwner: 1 }),
    rowsOf(2, 1, alternating, oneOf(2)),
  ],
  [
    'a class that nobody has',
    madeUpProposal('dca', D, [4]),
    rowsOf(3, 4, alternating, (row) => [row % 2 === 0 ? 0 : 3]),
  ],
  [
    'a privacy class that everybody has',
    madeUpProposal('mdr', D, [3, 2]),
    rowsOf(3, 4, alternating, (row) => [row % 3, 1]),
  ],
  [
    'one feature',
    madeUpProposal('pca', 1, [], { components: 1, allowFullRank: true, outputs: OUTPUTS }),
    rowsOf(2, 5, (row) => [Math.sin(row)]),
  ],
  [
    'one feature, labelled',
    madeUpProposal('dca', 1, [2], { components: 1, allowFullRank: true }),
    rowsOf(2, 5, (row) => [Math.sin(row)], oneOf(2)),
  ],
  [
    'DJN encryption, every cell at its lower end',
    madeUpProposal('dca', D, [2], { ...full, encryption: 'djn' }),
    rowsOf(3, 7, all(-1), oneOf(2)),
  ],
];
const REPEATED = [
  // As the finest fractions, which are at both.
  'every cell at its upper end',
  'every cell at its lower end',
  'columns at opposite ends',
  'cells far out of range',
  'every cell in the middle',
  'the coarsest fractions',
  'one feature',
  'one feature, labelled',
  'DJN encryption, every cell at its lower end',
];
describe.each(EDGES)('%s', (name, proposal, parts) => {
  test('is as by definition', { tags: REPEATED.includes(name) ? ['long'] : [] }, async () => {
    const finished = await runTask(recorded.parties, proposal, parts);
    expectExactSums(finished, parts, recorded.pools);
    expectReference(finished.projection, finished.task, parts);
  });
});

/** Tasks of any method with rows that owners may have, most cells at an end of their range. */
const anyTask = fc
  .record({
    method: fc.constantFrom('pca', 'dca', 'lda', 'mdr'),
    features: fc.integer({ min: 1, max: 6 }),
    classes: fc.integer({ min: 2, max: 4 }),
    owners: fc.integer({ min: 2, max: 4 }),
    rowsPerOwner: fc.integer({ min: 1, max: 6 }),
    spare: fc.constantFrom(0, 1, 1000),
    fractionBits: fc.constantFrom(1, 14, 20),
    encryption: fc.constantFrom('standard', 'djn'),
  })
  .chain(({ method, features, classes, owners, rowsPerOwner, spare, fractionBits, encryption }) => {
    const classCounts = { pca: [], dca: [classes], lda: [classes], mdr: [classes, 2] }[method];
    const cell = fc.oneof(fc.constantFrom(-1, 1), fc.double({ min: -2, max: 2, noNaN: true }));
    const row = fc.record({
      values: fc.array(cell, { minLength: features, maxLength: features }),
      classes: fc.tuple(...classCounts.map((count) => fc.nat({ max: count - 1 }))),
    });
    const part = fc.array(row, { minLength: 1, maxLength: rowsPerOwner });
    return fc.record({
      proposal: fc.constant(
        madeUpProposal(method, features, classCounts, {
          components: Math.min(2, features),
          allowFullRank: true,
          maximumOwners: owners + spare,
          maximumSamplesPerOwner: rowsPerOwner + spare,
          fractionBits,
          encryption,
        }),
      ),
      parts: fc.array(part, { minLength: owners, maxLength: owners }).map((list) =>
        list.map(
          (rows): LabelledRows => ({
            values: rows.map(({ values }) => values),
            classes: rows.map((r) => r.classes),
          }),
        ),
      ),
    });
  });

const expectWhateverTheyHave = (numRuns: number) =>
  fc.assert(
    fc.asyncProperty(anyTask, async ({ proposal, parts }) => {
      const finished = await finishTask(recorded.parties, proposal, parts);
      expectExactSums(finished, parts, recorded.pools);
      const expected = outcomeOf(() => reference(proposal, parts));
      expect(finished.status.failure?.code).toBe(expected);
      if (expected !== undefined) return;
      const { owners, dataUser } = recorded.parties;
      const { projection } = await owners[0]!.result(dataUser, finished.task.id);
      expectReference(projection, finished.task, parts);
    }),
    { numRuns, endOnFailure: true },
  );

describe('whatever the owners have, the sums are exact and the outcome is that of the clear reference', () => {
  test('in a few tasks', { tags: ['long'] }, () => expectWhateverTheyHave(10));
  test('in many tasks', { tags: ['long'] }, () => expectWhateverTheyHave(40));
});

/** The code with which `work` fails, or undefined when it succeeds. */
function outcomeOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return errorCodeOf(error);
  }
}
