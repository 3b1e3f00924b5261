/** Grains of drafts, columns that drafts leave out, and what the floor is forecast to cost. */

import { readRowBatches } from '@eigenveil/statistics/owner';
import { basisFeatures, TaskProposal } from '@eigenveil/task';
import { expect, test } from 'vitest';
import { describeFloor, forecastFloor } from '../../../src/advice/describe/forecast-floor.ts';
import { sumSample } from '../../../src/advice/describe/sample.ts';
import { draftOn } from '../../../src/advice/draft/basis.ts';
import { type DraftOptions, draftOf } from '../../../src/advice/draft/draft.ts';
import { describeGrains, withCells } from '../../../src/advice/draft/grains.ts';
import { sampleOf } from '../../../src/advice/draft/sample.ts';

type Columns = Readonly<Record<string, (row: number) => number | string>>;

/** Numbers that look like chance, the same in every run. */
const mixed = (row: number, salt: number) => {
  let state = Math.imul(row + 1, 0x9e3779b1) ^ Math.imul(salt + 1, 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
  state = Math.imul(state ^ (state >>> 12), 0x297a2d39);
  return ((state ^ (state >>> 15)) >>> 0) / 2 ** 32;
};
const whole = (row: number, salt: number, below: number) => Math.floor(below * mixed(row, salt));

const cellsOf = (columns: Columns, rows: number) => [
  Object.keys(columns),
  ...Array.from({ length: rows }, (_, row) => Object.values(columns).map((cell) => `${cell(row)}`)),
];

async function draft(columns: Columns, options: Partial<DraftOptions> = {}, rows = 300) {
  const remarks: string[] = [];
  async function* records() {
    for (const cells of cellsOf(columns, rows)) yield { cells };
  }
  const all: DraftOptions = {
    method: 'pca',
    labels: [],
    ignore: [],
    ...options,
    onRemark: (it) => remarks.push(it),
  };
  const drafted = await draftOf(await sampleOf(records(), all), all);
  const grains = Object.fromEntries(drafted.features.map(({ name, grain }) => [name, grain]));
  return { ...drafted, grains, names: Object.keys(grains), remarks };
}

const SEVERAL: Columns = {
  age: (row) => whole(row, 1, 90),
  smokes: (row) => whole(row, 2, 2),
  size: (row) => (1500 + whole(row, 3, 500)) / 10,
  measured: (row) => mixed(row, 4),
  always: () => 7,
};

test('features have the grains that the sample shows, or that are asked for', async () => {
  const shown = { age: 1, smokes: 1, size: 0.1, measured: 'cell', always: 'cell' };
  expect((await draft(SEVERAL)).grains).toEqual(shown);
  const asked = await draft(SEVERAL, { grain: ['#1=5', 's*=2', 'size=0.5', 'measured=0.25'] });
  expect(asked.grains).toEqual({ ...shown, age: 5, smokes: 2, size: 0.5, measured: 0.25 });
  expect(asked.remarks).toEqual([]);
});

test('a grain that is finer than the sample shows is told', async () => {
  const { grains, remarks } = await draft(SEVERAL, { grain: ['age=0.5', 'size=cell'] });
  expect(grains).toMatchObject({ age: 0.5, size: 'cell' });
  expect(remarks).toEqual([
    expect.stringMatching(/^"--grain" says 0.5 of "age", whose values in the sample lie 1 apart/),
    expect.stringMatching(/^"--grain" says that it has none of "size", whose values in the sample lie 0.1/),
  ]);
});

test.each([
  [
    'age',
    /"--grain" expected NAME=STEP, a number above 0 in the unit of the column, or NAME=cell, got "age"/,
  ],
  ['age=', /expected NAME=STEP/],
  ['age=0', /expected NAME=STEP/],
  ['=1', /expected NAME=STEP/],
  ['aged=1', /"--grain" expected the name of a feature, got "aged"/],
  ['z*=1', /"--grain" expected the name of a feature, got "z\*"/],
])('the grain %j is refused', async (grain, message) => {
  await expect(draft(SEVERAL, { grain: [grain] })).rejects.toThrow(message);
});

test('a feature that the sample shows nothing of takes the largest grain of those that share its range', async () => {
  const { grains } = await draft(SEVERAL, { range: [0, 500], allowClipping: ['measured'] });
  expect(grains).toMatchObject({ age: 1, always: 1, measured: 'cell' });
});

test('few rows have the grain of the last digit that they are written with', async () => {
  const columns: Columns = { a: (row) => [3, 19, 4, 28][row]!, b: (row) => [0.25, 1, 7.5, 2][row]! };
  expect((await draft(columns, {}, 4)).grains).toEqual({ a: 1, b: 0.01 });
});

test('a grain that is no more than a cell is one', () => {
  const feature = (grain: number | 'cell') => ({ name: 'a', min: 0, max: 1, grain });
  expect(
    withCells([feature(2 ** -15), feature(2 ** -14), feature('cell')], 14).map(({ grain }) => grain),
  ).toEqual(['cell', 2 ** -14, 'cell']);
  expect(withCells([feature(2 ** -15)], 16)[0]!.grain).toBe(2 ** -15);
});

test('two hundred features take one line', () => {
  const features = Array.from({ length: 200 }, (_, i) => ({
    ...{ name: `f${i}`, min: 0, max: 1000 },
    grain: i < 150 ? 1 : i < 190 ? ('cell' as const) : i,
  }));
  const lines = describeGrains(features);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(
    /: 1 of "f0", "f1", "f2" and 147 more; none above a cell of "f150", .* and 37 more; 190 of "f190"; .*; others of 4 more features; /,
  );
  expect(lines[0]!.length).toBeLessThan(400);
});

const colour = (row: number) => whole(row, 5, 3);
const FOLLOWING: Columns = {
  ...SEVERAL,
  red: (row) => (colour(row) === 0 ? 1 : 0),
  green: (row) => (colour(row) === 1 ? 1 : 0),
  blue: (row) => (colour(row) === 2 ? 1 : 0),
  age2: (row) => whole(row, 1, 90),
  months: (row) => 12 * whole(row, 1, 90) + 6,
  abstains: (row) => 1 - whole(row, 2, 2),
  sum: (row) => whole(row, 1, 90) + (1500 + whole(row, 3, 500)) / 10,
};

test('columns that follow from others are left out, and named with what they follow from', async () => {
  const { names, remarks } = await draft(FOLLOWING, { keep: [] });
  expect(names).toEqual([...Object.keys(SEVERAL), 'red', 'green']);
  expect(remarks).toHaveLength(1);
  expect(remarks[0]).toMatch(/^5 columns are left out .* --keep keeps those that it names$/);
  for (const [name, why] of [
    ['blue', 'is 1 where "red" and "green" are 0, as of a one-hot group'],
    ['age2', 'is a copy of "age"'],
    ['months', 'is a multiple of "age"'],
    ['abstains', 'is the complement of "smokes"'],
    ['sum', 'follows from "age" and "size"'],
  ])
    expect(remarks[0]).toContain(`"${name}" ${why}`);
});

test('of columns that follow from one another, those stay that are kept, or predicted', async () => {
  const kept = await draft(FOLLOWING, { keep: ['blue', '#9', 'sum'] });
  const { names } = kept;
  for (const name of ['blue', 'age2', 'sum']) expect(names).toContain(name);
  // The first of a group counts before the others of it only as long as none is kept.
  for (const name of ['age', 'months', 'size']) expect(names).not.toContain(name);
  expect(names.filter((name) => ['red', 'green', 'blue'].includes(name))).toEqual(['red', 'blue']);
  const ridge = await draft(FOLLOWING, { keep: [], method: 'ridge', flags: { target: 'sum' } });
  expect(ridge.names.at(-1)).toBe('sum');
  expect(ridge.names).toContain('age');
  expect((await draft(FOLLOWING)).names).toEqual(Object.keys(FOLLOWING));
  await expect(draft(FOLLOWING, { keep: ['none'] })).rejects.toThrow('the file has no column "none"');
});

test('columns stay that follow from others by chance of few rows, or by an outlier', async () => {
  const few = await draft(FOLLOWING, { keep: [] }, 59);
  expect(few.names).toEqual(Object.keys(FOLLOWING));
  const many = Object.fromEntries(
    Array.from({ length: 70 }, (_, i) => [`f${i}`, (row: number) => mixed(row, i)] as const),
  );
  expect((await draft(many, { keep: [] }, 65)).names).toHaveLength(70);
  const outliers: Columns = {
    a: (row) => (row === 9 ? 1e5 : mixed(row, 1)),
    b: (row) => (row === 9 ? 1e5 : mixed(row, 2)),
    // Rare values that are in the same rows.
    c: (row) => (row % 50 === 0 ? 1 : 0),
    d: (row) => (row % 50 === 0 ? 3 : 0),
  };
  expect((await draft(outliers, { keep: [] })).names).toEqual(['a', 'b', 'c', 'd']);
});

test('components have the largest grain of what they are made of, also where the first task declares none', async () => {
  const { features, ...sampled } = await draft(SEVERAL);
  const task = proposalOf({ method: { kind: 'pca' }, features: features.slice(0, 4), components: 2 });
  const undeclared = task.features.map(({ grain: _, ...feature }) => feature);
  const drafted = { ...sampled, features: features.slice(0, 4) };
  const links = [{ task: { ...task, features: undeclared } }] as unknown as Parameters<
    typeof draftOn
  >[0]['links'];
  const digest = 'A'.repeat(43) as Parameters<typeof draftOn>[0]['digest'];
  const on = draftOn({ digest, links }, drafted);
  // Of smokes: 2 in [−1, 1].
  expect(on.features.map(({ grain }) => grain)).toEqual([2, 2]);
  expect(on.features).toEqual(basisFeatures(task));
});

function proposalOf(changes: Record<string, unknown>) {
  return TaskProposal.parse({
    ...{ components: 2, minimumOwners: 2, maximumOwners: 10, maximumSamplesPerOwner: 1000 },
    ...{ twoParty: 'simulated', deadline: '2030-01-01T00:00:00.000Z' },
    ...changes,
  });
}

const CLASSED: Columns = {
  ...Object.fromEntries(
    Array.from({ length: 8 }, (_, i) => [
      `f${i}`,
      (row: number) => (mixed(row, 20 + i) < (row % 2 === 0 ? 0.3 : 0.3 + 0.05 * i) ? 1 : 0),
    ]),
  ),
  kind: (row) => row % 2,
};

async function forecast(changes: Record<string, unknown>, rows = 200) {
  const text = cellsOf(CLASSED, rows)
    .map((cells) => cells.join(','))
    .join('\n');
  const { features, labellings } = await draft(CLASSED, { method: 'lda', labels: ['kind'] }, rows);
  const { method } = changes as { method: { kind: string } };
  const isLabelled = method.kind === 'lda' || method.kind === 'dca';
  const task = proposalOf({ features, labellings: isLabelled ? labellings : [], ...changes });
  const sample = await sumSample((columns, options) => readRowBatches(bytesOf(text), columns, options), task);
  return { task, told: forecastFloor(task, sample) };
}

async function* bytesOf(text: string) {
  yield new TextEncoder().encode(text);
}

test.each<[string, Record<string, unknown>, RegExp]>([
  [
    'pca',
    { method: { kind: 'pca' } },
    /^the floor: in the sample 2 components capture [\d.]+ % of the variance; with/,
  ],
  [
    'correlation',
    { method: { kind: 'pca', scale: 'correlation' } },
    /capture [\d.]+ % of the variance of standardised features; with noise of both servers [\d.]+ % .* \(200\), and [\d.]+ % .* \(2,000\)$/,
  ],
  [
    'lda',
    { method: { kind: 'lda', ridge: 1 }, components: 1 },
    /^the floor: of what distinguishes the classes of the sample,/,
  ],
  [
    'dca',
    { method: { kind: 'dca', form: 'standard', ridge: 1, signalRidge: 0 }, components: 1 },
    /distinguishes the classes/,
  ],
  [
    'ridge',
    { method: { kind: 'ridge', ridge: 1 }, components: 0 },
    /^the floor: in the sample a regression explains [\d.]+ % of the variance; with noise/,
  ],
])('the floor of %s is forecast: it takes something, and less of more rows', async (_, changes, words) => {
  const { task, told } = await forecast(changes);
  const [few, many] = told!.floor.map(({ part }) => part!) as [number, number];
  expect(told!.floor.map(({ rows }) => rows)).toEqual([200, 2000]);
  expect(few).toBeLessThan(told!.exact);
  expect(many).toBeGreaterThan(few);
  expect(told!.exact - many).toBeLessThan(0.02);
  expect(describeFloor(task, told)).toEqual([expect.stringMatching(words)]);
  const heavier = await forecast({ ...changes, releases: 50 });
  expect(heavier.told!.floor[0]!.part ?? 0).toBeLessThan(few);
});

test('of a DCA in the form of the book the directions of LDA are forecast, of values that are larger by 1', async () => {
  const partsOf = async (method: object) =>
    (await forecast({ method, components: 1 })).told!.floor.map(({ part }) => part!);
  const lda = await partsOf({ kind: 'lda', ridge: 1 });
  const book = await partsOf({ kind: 'dca', form: 'book', ridge: 1, signalRidge: 0 });
  // With λ the exact value and λ' of it left: 1 − (1 + λ')/(1 + λ) over 1 − λ'/λ, which is λ/(1 + λ) whatever the noise.
  const [few, many] = book.map((part, i) => (1 - part) / (1 - lda[i]!)) as [number, number];
  expect(few).toBeLessThan(1);
  expect(few / many).toBeCloseTo(1, 1);
});

test('nothing is forecast without a floor, or without grains', async () => {
  const method = { kind: 'pca' };
  expect((await forecast({ method, exact: true, allowFullRank: true })).told).toBeUndefined();
  const { features } = await draft(CLASSED, { method: 'lda', labels: ['kind'] });
  const undeclared = features.map(({ grain: _, ...feature }) => feature);
  expect((await forecast({ method, features: undeclared })).told).toBeUndefined();
});
