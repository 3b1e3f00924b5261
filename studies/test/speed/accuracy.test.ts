import { decompose, principalAngles } from '@eigenveil/projection';
import { addStatistics, Discretiser, flatten, layout, StatisticsAccumulator } from '@eigenveil/statistics';
import { programOf } from '@eigenveil/task';
import { generator, seedOf, shuffled } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { type Setting, scoreArms } from '../../speed/accuracy/arms.ts';
import { decomposeRows } from '../../speed/accuracy/clear.ts';
import { loadDataSet } from '../../speed/accuracy/data.ts';
import { encryptAndUnblind } from '../../speed/accuracy/encrypted.ts';
import { opened } from '../../speed/steps.ts';

const METHODS = {
  pca: { kind: 'pca' },
  dca: { kind: 'dca', form: 'standard', ridge: 1, signalRidge: 0 },
} as const;

function taskOf(kind: keyof typeof METHODS, d: number) {
  return {
    method: METHODS[kind],
    features: Array.from({ length: d }, (_, i) => ({ name: `f${i}`, min: -1, max: 1 })),
    labellings: kind === 'pca' ? [] : [{ column: 'label', classes: ['a', 'b', 'c'] }],
    fractionBits: 14,
    maximumOwners: 4,
    maximumSamplesPerOwner: 30,
    keyBits: 2048,
    statisticalSecurityBits: 40,
    encryption: 'djn',
    twoParty: 'garbled',
  } as const;
}

/** Rows about a mean of their own per class, so that there is something to find. */
function examples(d: number, rows: number) {
  const next = generator(seedOf('accuracy test'));
  const labels = Array.from({ length: rows }, (_, row) => row % 3);
  const values = labels.map((label) =>
    Array.from({ length: d }, (_, i) => (next() - 0.5) / (i + 1) + (i % 3 === label ? 0.3 : 0)),
  );
  return { labels, values };
}

function ownersOf(task: ReturnType<typeof taskOf>, { labels, values }: ReturnType<typeof examples>) {
  const discretiser = new Discretiser(task);
  const owners = Array.from({ length: task.maximumOwners }, () => new StatisticsAccumulator(task));
  values.forEach((row, i) => {
    const classes = task.labellings.length === 0 ? [] : [labels[i]!];
    owners[i % owners.length]!.add(discretiser.discretise(row), classes);
  });
  return owners.map((owner) => owner.statistics());
}

it('statistics by way of Paillier are shares that add up to the plain integers of all owners, and neither is these integers', {
  tags: ['long'],
}, async () => {
  const task = taskOf('dca', 5);
  const owners = ownersOf(task, examples(5, 100));
  const { csp, dataUser, verifiedOwners } = await encryptAndUnblind(task, owners);
  const plain = flatten(task, owners.reduce(addStatistics));
  expect(opened(task, { csp, dataUser })).toEqual(plain);
  expect(plain.some((value) => value < 0n)).toBe(true);
  expect(verifiedOwners).toBe(4);
  // A share of few bits, such as that of the number of owners, may be the number by chance: one of these 15 of 36 bits is in one of 10^9 cases.
  const isWide = layout(task).valueBits.map((bits) => bits >= 36);
  expect(isWide.filter(Boolean).length).toBeGreaterThan(10);
  for (const share of [csp, dataUser]) {
    expect(share).toHaveLength(plain.length);
    expect(share.some((value, v) => isWide[v]! && value === plain[v])).toBe(false);
  }
});

describe.each(['pca', 'dca'] as const)('%s in the clear', (kind) => {
  it('is what exact statistics of the rounded rows give, as far as rounding allows', () => {
    const task = taskOf(kind, 5);
    const rows = examples(5, 100);
    const { vectors, values } = decomposeRows(kind, rows.values, rows.labels, 1);
    const program = programOf({
      ...task,
      components: 2,
      outputs: [],
      minimumOwners: 2,
      allowFullRank: false,
    });
    const exact = decompose(program, ownersOf(task, rows).reduce(addStatistics));
    expect(Math.max(...principalAngles(vectors.slice(0, 2), exact.vectors))).toBeLessThan(1e-3);
    for (const [i, value] of exact.eigenvalues.entries())
      expect(Math.abs(values[i]! - value)).toBeLessThan(1e-3 * values[0]!);
  });
});

describe('data sets', () => {
  it('have each feature on all of [−1, 1], unrounded', async () => {
    const { scaled, raw, labels, features } = (await loadDataSet('iris'))!;
    expect(scaled).toHaveLength(150);
    expect(labels.filter((label) => label === 2)).toHaveLength(50);
    features.forEach(({ min, max }, i) => {
      const column = scaled.map((row) => row[i]!);
      expect([Math.min(...column), Math.max(...column)]).toEqual([-1, 1]);
      expect(column[7]).toBeCloseTo((2 * (raw[7]![i]! - min)) / (max - min) - 1, 12);
    });
  });

  it('map a constant feature to 0', async () => {
    const { scaled, features } = (await loadDataSet('ionosphere'))!;
    const at = features.findIndex(({ min, max }) => min === max);
    expect(new Set(scaled.map((row) => row[at]))).toEqual(new Set([0]));
  });

  it('are cut to a stratified sample where they are large', async () => {
    const { labels, raw } = (await loadDataSet('synthetic5'))!;
    expect(raw.length).toBeLessThanOrEqual(1001);
    for (const label of [0, 1, 2])
      expect(labels.filter((value) => value === label).length).toBeGreaterThanOrEqual(333);
  });

  it('are undefined where there is no such file', async () => {
    expect(await loadDataSet('no-such-data')).toBeUndefined();
  });
});

describe('one split', () => {
  const setting: Setting = {
    method: 'dca',
    components: [1, 2],
    split: 1,
    testShare: 0.3,
    folds: 3,
    grid: { costs: [2], gammas: [0.5] },
    owners: 3,
    keyBits: 2048,
    ridge: 1,
  };
  const ignore = () => undefined;

  it('scores the encrypted projection as the clear one, to which it is close', {
    tags: ['long'],
  }, async () => {
    const records = await scoreArms((await loadDataSet('iris'))!, setting, ignore);
    const of = (arm: string, k?: number) => records.find((it) => it.arm === arm && it.k === k)!;
    expect(records.slice(1).map(({ arm, k = 0 }) => `${arm} ${k}`)).toEqual([
      ...['none 0', 'encrypted 1', 'clear 1', 'encrypted 2', 'clear 2'],
    ]);
    for (const k of [1, 2]) {
      expect(of('clear', k).f1).toBeGreaterThan(90);
      expect(Math.abs(Number(of('encrypted', k).f1) - Number(of('clear', k).f1))).toBeLessThan(3);
      expect(of('encrypted', k).angle).toBeLessThan(1e-2);
      // Rounded rows leave a trace: the two are not one projection under two names.
      expect(of('encrypted', k).angle).toBeGreaterThan(0);
    }
    expect(records[0]).toMatchObject({ trainRows: 105, testRows: 45 });
  });

  it('scores what no arm can know by chance only: the machines have not seen the test rows', {
    tags: ['long'],
  }, async () => {
    const iris = (await loadDataSet('iris'))!;
    const labels = shuffled(iris.labels, generator(seedOf('shuffled labels')));
    // It knows the rows it was trained on by heart.
    const grid = { costs: [128], gammas: [1e4] };
    const records = await scoreArms({ ...iris, labels }, { ...setting, components: [1], grid }, ignore);
    const scores = records.filter(({ arm }) => arm !== undefined);
    expect(scores).toHaveLength(3);
    for (const { f1 } of scores) expect(f1).toBeLessThan(60);
  });
});
