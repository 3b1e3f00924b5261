/** docs/rotated-costs.md: what `rotated` sends, by arithmetic, and that it is what a run sends. `vitest run rotated/costs -u` writes it. */

import { readFile } from 'node:fs/promises';
import { type MethodParameters, methodOf } from '@eigenveil/methods';
import { floorOf, programOf, type StatisticsTask } from '@eigenveil/task';
import { describe, expect, it } from 'vitest';
import type { Progress } from '../../src/index.ts';
import { latticeBytes } from '../../src/lattice/sizes.ts';
import { rotatedParameters } from '../../src/rotated/parameters.ts';
import { pencilParameters, ringsOf } from '../../src/rotated/pencil/parameters.ts';
import { turningPlan } from '../../src/rotated/turning.ts';
import { rotated } from '../../src/rotated.ts';
import { bytes, lineOf, OWNERS, SAMPLES, type Shape, taskOf } from '../shapes.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';
import { type Bytes, latticeMessages, rotatedBytes } from './bytes.ts';
import { gridded } from './floors.ts';
import { dca, labelled, lda, mdr, pencilSetting } from './pencils.ts';
import { AT_ONCE } from './run.ts';
import { type Setting, settingOf, spread } from './settings.ts';
import { patterned, sketchSetting } from './sketches.ts';

async function counted({ task, program, garbler, evaluator }: Setting): Promise<Bytes> {
  const [left, right] = memoryChannelPair();
  const told: Progress[] = [];
  await Promise.all([
    rotated.runCsp(left, { task, program }, { ...garbler, markAnswered: async () => undefined }),
    rotated.runDataUser(right, { task, program }, { ...evaluator, pace: AT_ONCE }, (progress) =>
      told.push(progress),
    ),
  ]);
  const far = told.map(({ done }) => done);
  expect(far).toEqual(far.toSorted((a, b) => a - b));
  expect(told.at(-1)).toEqual({ unit: 'products', done: told[0]!.planned, planned: told[0]!.planned });
  return { toCsp: right.bytesSent, toDataUser: left.bytesSent };
}

const twice = {
  ...labelled(48, 5, 3),
  labellings: [
    { classes: 3, labels: Array.from({ length: 48 }, (_, i) => i % 3) },
    { classes: 3, labels: Array.from({ length: 48 }, (_, i) => (i >> 2) % 3) },
  ],
};

const floored = gridded(60, [2, 0.25, 'cell', 2, 0.25, 'cell', 2, 0.25], 5);

describe('the bytes of rotated', () => {
  it.each([
    ['a PCA', settingOf({ rows: spread(40, 4, 3), components: 2 })],
    [
      'DCA with a ridge on the signal',
      pencilSetting({ ...labelled(40, 6, 2), components: 1, method: dca(0.2, 0.1) }),
    ],
    ['a sketch', sketchSetting({ rows: patterned(40, 30, 9), columns: 4, components: 1 })],
    [
      'a sketch with a floor',
      sketchSetting({
        ...{ rows: floored.rows, columns: 4, components: 1 },
        task: {
          ...floored.task,
          features: floored.task.features.map((feature) => ({ ...feature, twoValued: false })),
          twoParty: 'rotated',
        },
        program: { allowFullRank: true },
      }),
    ],
    ['MDR', pencilSetting({ ...twice, components: 2, method: mdr(0.1) })],
    [
      'LDA with a floor',
      pencilSetting({
        ...labelled(45, 4, 3),
        components: 1,
        method: lda(0.1),
        task: { exact: false, twoParty: 'rotated' },
        program: { allowFullRank: true },
      }),
    ],
  ] as const)('of %s are those of the formula', async (_, setting) => {
    expect(await counted(setting)).toEqual(await rotatedBytes(setting.task, setting.program));
  });

  it.each([
    ['a PCA of 100 features', settingOf({ rows: spread(60, 100, 3), components: 3 })],
    [
      'a PCA with its mean',
      settingOf({
        rows: spread(60, 16, 3),
        components: 3,
        program: { outputs: ['mean', 'sampleCount', 'spectrum'], twoValued: 0 },
      }),
    ],
    ['DCA', pencilSetting({ ...labelled(40, 5, 2), components: 1, method: dca(0.1) })],
    ['LDA', pencilSetting({ ...labelled(45, 5, 3), components: 2, method: lda(0.1) })],
    ['a large sketch', sketchSetting({ rows: patterned(40, 300, 12), columns: 8, components: 2 })],
  ] as const)('of %s are those of the formula', { tags: ['long'] }, async (_, setting) => {
    expect(await counted(setting)).toEqual(await rotatedBytes(setting.task, setting.program));
  });

  it('are those of docs/rotated-costs.md', { tags: ['long'] }, async () => {
    const rows = await Promise.all(SHAPES.map(rowOf));
    await expect(`# What a computation by rotated sends

By arithmetic from the lengths of all messages, for ${OWNERS} owners with up to ${SAMPLES} rows each and 14 fraction bits, with
what the method must declare. A test compares the arithmetic with runs, byte by byte, and this page with the arithmetic: \`npx vitest run
rotated/costs -u\` writes it. TLS and frames add a tenth of a percent.

All products are from lattices: [lattice.md](spec/lattice.md). A line of 100 Mbit/s carries 12.5 MB a second.

| method | d | classes | k | to the CSP | to the data user | |
|---|---|---|---|---|---|---|
${rows.join('\n')}

A correlation matrix first takes a circuit (not in the table): the one of \`garbled\` up to its standardised matrix, a mask of the ring's
length for each entry, and base transfers of its own.
`).toMatchFileSnapshot('../../../../docs/rotated-costs.md');
  });
});

const PCA: MethodParameters = { kind: 'pca' };
const CORRELATION: MethodParameters = { kind: 'pca', scale: 'correlation' };

const SHAPES: readonly Shape[] = [
  { method: PCA, d: 8, classes: [], components: 6, note: 'pima' },
  { method: PCA, d: 24, classes: [], components: 15, note: 'german' },
  { method: PCA, d: 34, classes: [], components: 15, note: 'ionosphere' },
  { method: PCA, d: 50, classes: [], components: 15 },
  { method: PCA, d: 100, classes: [], components: 15 },
  { method: PCA, d: 200, classes: [], components: 15 },
  { method: PCA, d: 400, classes: [], components: 15, note: 'the largest that is supported' },
  { method: CORRELATION, d: 8, classes: [], components: 3, note: 'after the circuit' },
  { method: CORRELATION, d: 34, classes: [], components: 15, note: 'after the circuit' },
  { method: CORRELATION, d: 50, classes: [], components: 15, note: 'after the circuit' },
  { method: dca(1), d: 8, classes: [2], components: 1, note: 'pima' },
  { method: dca(1), d: 34, classes: [2], components: 1, note: 'ionosphere' },
  { method: dca(1), d: 50, classes: [3], components: 2 },
  { method: dca(1), d: 71, classes: [56], components: 55, note: 'MEU-Mobile keystrokes' },
  { method: dca(1), d: 100, classes: [2], components: 1 },
  { method: dca(1, 0.25), d: 34, classes: [2], components: 15, note: 'full problem, for ρ′ ≠ 0' },
  { method: lda(1), d: 34, classes: [2], components: 1, note: 'ionosphere' },
  { method: mdr(1), d: 34, classes: [2, 2], components: 1, note: 'ionosphere' },
  { method: PCA, d: 256, classes: [], components: 20, columns: 60 },
  { method: PCA, d: 1024, classes: [], components: 20, columns: 60 },
  { method: PCA, d: 1024, classes: [], components: 23, columns: 80 },
  { method: PCA, d: 4096, classes: [], components: 20, columns: 60 },
  { method: PCA, d: 4096, classes: [], components: 23, columns: 80 },
  { method: PCA, d: 10_000, classes: [], components: 20, columns: 60 },
  { method: PCA, d: 10_000, classes: [], components: 26, columns: 80, note: 'the largest that is supported' },
];

async function rowOf(shape: Shape): Promise<string> {
  const { method, components } = shape;
  const task = taskOf(shape);
  const outputs = methodOf({ method: method, sketch: task.sketch }).revealedByRotation;
  const program = programOf({ ...task, components, outputs, minimumOwners: 2, allowFullRank: true });
  const { toCsp, toDataUser } = await rotatedBytes(task, program);
  return lineOf(shape, [toCsp, toDataUser].map(bytes));
}

/** A column of the tables of rings: a method, and the grain of all features, or none where the task is exact. */
type Floored = readonly [MethodParameters, grain?: number | 'cell'];

const TEN_CODES = 2 / 9;
const PCAS: readonly Floored[] = [[PCA], [PCA, 2], [PCA, TEN_CODES], [PCA, 'cell']];
const PENCILS: readonly Floored[] = [[lda(1)], [lda(1), 2], [lda(1), 'cell'], [mdr(1)], [mdr(1), 'cell']];

async function ringRows(columns: readonly Floored[], components: number): Promise<string[]> {
  const rows: string[] = [];
  for (const d of [10, 34, 100, 200]) {
    for (const power of [3, 6]) {
      const cells: string[] = [];
      for (const [method, grain] of columns)
        cells.push(await ringCell(method, grain, d, 10 ** power, components));
      rows.push(`| ${[`${d}, 10^${power}`, ...cells].join(' | ')} |`);
    }
  }
  return rows;
}

/** The widest ring, the fraction bits of cells and of sums where there is a floor, and all bytes. */
async function ringCell(
  method: MethodParameters,
  grain: number | 'cell' | undefined,
  d: number,
  rows: number,
  components: number,
): Promise<string> {
  const classes = { pca: [], mdr: [3, 3] }[method.kind as string] ?? [3];
  const shape = taskOf({ method, d, classes });
  const task: StatisticsTask = {
    ...shape,
    maximumSamplesPerOwner: rows / OWNERS,
    twoParty: 'rotated',
    exact: grain === undefined,
    releases: 1,
    features: shape.features.map((feature) => ({ ...feature, ...(grain !== undefined && { grain }) })),
  };
  const outputs = methodOf({ method: method, sketch: undefined }).revealedByRotation;
  const program = programOf({ ...task, components, outputs, minimumOwners: 2, allowFullRank: true });
  const { toCsp, toDataUser } = await rotatedBytes(task, program);
  const of = method.kind === 'pca' ? rotatedParameters(task) : pencilParameters(task, program);
  const floor = floorOf(task);
  const bits = method.kind === 'pca' ? [floor?.fractionBits] : [floor?.fractionBits, floor?.sumFractionBits];
  const told = floor === undefined || method.kind === 'mdr' ? '' : ` (${bits.join(', ')})`;
  const ring = 'openRing' in of ? Math.max(...ringsOf(of)) : of.ringBits;
  const megabytes = (toCsp + toDataUser) / 1e6;
  return `${ring}${told}, ${megabytes < 10 ? megabytes.toFixed(1) : Math.round(megabytes).toLocaleString('en')} MB`;
}

it('rings and bytes of tasks with a floor are those of docs/rotated-measured.md', {
  tags: ['long'],
}, async () => {
  const page = (await readFile(new URL('../../../../docs/rotated-measured.md', import.meta.url), 'utf8'))
    .replaceAll(/ +/g, ' ')
    .split('\n');
  for (const row of [...(await ringRows(PCAS, 8)), ...(await ringRows(PENCILS, 2))])
    expect(page).toContain(row);
});

it('the bytes of products from lattices, without headers, are those of the plan', async () => {
  const { task, program } = settingOf({ rows: spread(40, 34, 3), components: 15 });
  const plan = await turningPlan(task, program);
  const { toCsp, toDataUser } = latticeMessages(plan);
  const headers = toCsp + toDataUser - latticeBytes(plan);
  expect(headers).toBeGreaterThan(0);
  expect(headers).toBeLessThan(2000);
});
