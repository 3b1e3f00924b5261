/** What a person is told who drafts a task: of the proposal, of its sample and of its costs. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { METHODS } from '@eigenveil/made-up/tasks';
import type { ProjectionKind } from '@eigenveil/methods';
import { readFileBytes, readRowBatches } from '@eigenveil/statistics';
import { TaskProposal } from '@eigenveil/task';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { costOf } from '../../../src/advice/describe/cost.ts';
import { describeSample } from '../../../src/advice/describe/sample.ts';
import { describeTask } from '../../../src/advice/describe/task.ts';

const LABELS = { pca: [], dca: ['l'], lda: ['l'], mdr: ['l', 'm'] } as const;

const proposal = (kind: ProjectionKind, features: string[], changes: Record<string, unknown> = {}) =>
  TaskProposal.parse({
    method: METHODS[kind],
    features: features.map((name) => ({ name, min: -1, max: 1, grain: 'cell', twoValued: false })),
    labellings: LABELS[kind].map((column) => ({ column, classes: ['0', '1', '2'] })),
    components: 2,
    minimumOwners: 2,
    maximumOwners: 10,
    maximumSamplesPerOwner: 1000,
    twoParty: 'simulated',
    deadline: '2030-01-01T00:00:00.000Z',
    ...changes,
  });
const ABC = ['a', 'b', 'c'];

/** The sentences about the floor, which stand with every task: `draft/grains.test.ts` tests them. */
const besidesFloor = (lines: readonly string[]) =>
  lines.filter((line) => !/^(a floor|no floor|grains|the floor)/.test(line)).join('\n');

describe('of a task is said', () => {
  test.each<[string, TaskProposal, RegExp | '']>([
    ['nothing, where nothing is to be said', proposal('dca', ABC), ''],
    [
      'how many components come',
      proposal('lda', ABC, { components: 3 }),
      /^3 classes have at most 2 components: 2 will come, not 3$/,
    ],
    [
      "what the book's form gives beyond K − 1",
      proposal('dca', ABC, { components: 3, method: { ...METHODS.dca, form: 'book' } }),
      /^only the first 2 of 3 components distinguish 3 classes; the others have one eigenvalue, and arbitrary vectors$/,
    ],
    [
      'what a signal ridge gives beyond K − 1',
      proposal('dca', ABC, { components: 3, method: { ...METHODS.dca, signalRidge: 0.5 } }),
      /^3 classes differ in at most 2 directions: .* order what is left of the scatter, and with a signal ridge may come before those$/,
    ],
    [
      'which features are constant',
      proposal('pca', ABC, { features: [...proposal('pca', ABC).features, { name: 'd', min: 1, max: 1 }] }),
      /^"d": min = max, so that nothing of it counts; /,
    ],
    [
      'what garbled costs',
      proposal('pca', ABC, { twoParty: 'garbled', components: 1 }),
      /^estimate: garbled takes about [\d.]+ seconds, [\d.]+ MB between the servers and \d+ MB of memory in each, on a machine/,
    ],
  ])('%s', async (_, task, expected) => {
    expect(besidesFloor((await describeTask(task)).map(String))).toMatch(expected === '' ? /^$/ : expected);
  });
});

// Measured: README, docs/benchmarks/report.md, docs/rotated-measured.md, docs/rotated-costs.md.
const f = (d: number) => Array.from({ length: d }, (_, i) => `f${i}`);
test.each<[string, TaskProposal, { seconds: number; bytes: number; memory: number }]>([
  [
    'garbled, 24 features',
    proposal('pca', f(24), { components: 15, twoParty: 'garbled' }),
    { seconds: 8.64, bytes: 2.18e9, memory: 300e6 },
  ],
  [
    'rotated, 34 features',
    proposal('pca', f(34), { components: 15, twoParty: 'rotated' }),
    { seconds: 2.3, bytes: 20.6e6, memory: 303e6 },
  ],
  [
    'rotated, 100 features',
    proposal('pca', f(100), { components: 15, twoParty: 'rotated' }),
    { seconds: 5.5, bytes: 40.6e6, memory: 349e6 },
  ],
  [
    'rotated, DCA of 50 features',
    proposal('dca', f(50), { twoParty: 'rotated' }),
    { seconds: 2.2, bytes: 37e6, memory: 285e6 },
  ],
  [
    'rotated, DCA of 71 features and 56 classes',
    proposal('dca', f(71), {
      components: 55,
      twoParty: 'rotated',
      labellings: [{ column: 'user', classes: f(56) }],
    }),
    { seconds: 4.4, bytes: 73.5e6, memory: 305e6 },
  ],
  [
    'rotated, correlation of 34 features',
    proposal('pca', f(34), {
      components: 15,
      twoParty: 'rotated',
      method: { kind: 'pca', scale: 'correlation' },
    }),
    { seconds: 2, bytes: 190e6, memory: 297e6 },
  ],
])(
  'costs are within a factor of two of what was measured: %s',
  { tags: ['long'] },
  async (_, task, measured) => {
    const cost = (await costOf(task))!;
    for (const kind of ['seconds', 'bytes', 'memory'] as const) {
      expect(cost[kind] / measured[kind]).toBeGreaterThan(1 / 2);
      expect(cost[kind] / measured[kind]).toBeLessThan(2);
    }
  },
);

describe('of a sample is said', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'eigenveil-sample-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function said(task: TaskProposal, rows: readonly (readonly number[])[]) {
    const header = [...task.features.map(({ name }) => name), ...task.labellings.map(({ column }) => column)];
    const file = join(folder, 'sample.csv');
    await writeFile(file, `other,${header}\n${rows.map((row) => `x,${row}\n`).join('')}`);
    return besidesFloor(
      await describeSample((columns, options) => readRowBatches(readFileBytes(file), columns, options), task),
    );
  }
  /** Rows of three features that follow no line, with two labels. */
  const rows = (count: number, labels: number) =>
    Array.from({ length: count }, (_, i) => [
      ...[Math.sin(i), Math.sin(2.3 * i), Math.sin(5.1 * i + 1)].map((x) => Number(x.toFixed(3))),
      ...[i % 3, (i >> 1) % 3].slice(0, labels),
    ]);

  test('nothing, where nothing is to be said', async () => {
    expect(await said(proposal('pca', ABC), rows(30, 0))).toBe('');
    expect(await said(proposal('dca', ABC), rows(30, 1))).toBe('');
  });

  test('how many rows a PCA needs', async () => {
    expect(await said(proposal('pca', ABC), rows(3, 0))).toBe(
      'all owners together need at least 4 rows, and the sample has 3: with fewer the task ends with ERR_FULL_RANK',
    );
  });

  test('how many rows it takes to stand out of the floor', async () => {
    const coarse = proposal('pca', ABC).features.map((feature) => ({ ...feature, grain: 1 }));
    const message = await said(proposal('pca', ABC, { features: coarse, releases: 100 }), rows(30, 0));
    const [, needed] =
      /^in the sample only 0 of 3 eigenvalues .* floor, .* ERR_FULL_RANK; it takes about ([\d,]+) rows$/.exec(
        message,
      )!;
    const many = rows(Number(needed!.replaceAll(',', '')) + 60, 0);
    expect(await said(proposal('pca', ABC, { features: coarse, releases: 100 }), many)).toBe('');
  });

  test('how many rows a discriminant method needs by rotated, which reveals the spectrum', async () => {
    const outputs = ['sampleCount', 'spectrum', 'classCounts'];
    const task = (twoParty: string) => proposal('lda', ABC, { components: 1, twoParty, outputs });
    expect(await said(task('rotated'), rows(3, 1))).toMatch(/^all owners together need at least 4 rows, /);
    expect(await said(task('rotated'), rows(30, 1))).toBe('');
    expect(await said(task('simulated'), rows(3, 1))).toBe('');
  });

  test('that predictors vary in too few directions for their components', async () => {
    const task = (components: number) =>
      proposal('pca', ABC, { method: { kind: 'pcr', ridge: 0 }, components });
    const dependent = rows(30, 0).map(([a, , c]) => [a!, a! / 2, c!]);
    expect(await said(task(2), dependent)).toMatch(
      /^of rows like the sample's the task would end with ERR_FULL_RANK: .* of rank 2 at least, /,
    );
    expect(await said(task(2), rows(30, 0))).toMatch(/^in the sample its own regression explains \d+ % of /);
  });

  test('that features follow from others, and what to do', async () => {
    const dependent = rows(30, 0).map(([a, b]) => [a!, b!, Number(((a! + b!) / 2).toFixed(4))]);
    const expected =
      /^in the sample only 2 of 3 features vary on their own, .* ERR_FULL_RANK; take "components": 1 or fewer, leave features out, or consent with "allowFullRank"$/;
    expect(await said(proposal('pca', ABC), dependent)).toMatch(expected);
    expect(await said(proposal('pca', ABC, { components: 1 }), dependent)).toBe('');
    expect(await said(proposal('pca', ABC, { allowFullRank: true }), dependent)).toBe('');
  });

  test.each([
    ['dca', { ...METHODS.dca, ridge: 0 }],
    ['dca', { ...METHODS.dca, form: 'book', ridge: 0 }],
    ['lda', { ...METHODS.lda, ridge: 0 }],
  ] as const)(
    'that the noise matrix is singular without a ridge, and which would do: %s',
    async (kind, method) => {
      const constant = rows(30, 1).map((row) => row.with(1, 0.5));
      const message = await said(proposal(kind, ABC, { method }), constant);
      expect(message).toMatch(/singular with ρ = 0, .* ERR_NOT_POSITIVE_DEFINITE: "ridge": [\d.]+ would do$/);
      const ridge = Number(/"ridge": ([\d.]+)/.exec(message)![1]);
      expect(await said(proposal(kind, ABC, { method: { ...method, ridge } }), constant)).toBe('');
    },
  );

  test.each([
    ['too small', 1e-6, /^ρ = 0.000001 is too small for utility labels .*: "ridge": [\d.]+ would do$/],
    ['too large', 1e4, /^ρ = 10000 leaves privacy labels little weight, .*: "ridge": [\d.]+ would do$/],
  ])('that the ridge of MDR is %s, and which would do', async (_, ridge, expected) => {
    // Both labels tell classes apart.
    const labelled = rows(60, 2).map((row) => row.with(0, row[3]! - 1).with(1, row[4]! - 1));
    const task = (ridge: number) =>
      proposal('mdr', ABC, { method: { kind: 'mdr', ridge }, maximumSamplesPerOwner: 60 });
    const message = await said(task(ridge), labelled);
    expect(message).toMatch(expected);
    expect(await said(task(Number(/"ridge": ([\d.]+)/.exec(message)![1])), labelled)).toBe('');
  });

  test('what noise will do, and what the clipping norm does', async () => {
    const differentialPrivacy = {
      ...{ epsilon: 1, delta: 1e-6, neighbours: 'add-remove', clippingNorm: 1, dataIndependentRanges: true },
    };
    const message = await said(proposal('pca', ABC, { differentialPrivacy, components: 1 }), rows(100, 0));
    expect(message).toMatch(/^the clipping norm scales down \d\d % of the sample's rows$/m);
    expect(message).toMatch(/noise on their scatter has a norm of about \d+/);
    expect(message).toMatch(
      /stand out of the noise: component 1 \(\d\d % of the variance\) from \d+ rows on$/,
    );
  });
});
