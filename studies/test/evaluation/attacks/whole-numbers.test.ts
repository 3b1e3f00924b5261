/** Readers of whole numbers find what they are to find, and equations are those of each method: over made-up rows, by the clear reference. */
import { flatResult, methodOf } from '@eigenveil/methods';
import { betweenClassScatter, resultInClear, totalScatter } from '@eigenveil/projection';
import type { Statistics } from '@eigenveil/statistics';
import { computedFractionBits, programOf, type Task, TaskProposal } from '@eigenveil/task';
import { describe, expect, it } from 'vitest';
import { agreed } from '../../../evaluation/attacks/in-process/small-task.ts';
import {
  clearResult,
  FLOOR_DEVIATION,
  planted,
  realResult,
  withFloor,
} from '../../../evaluation/attacks/lattices/floor.ts';
import { closest, nearest, reduce } from '../../../evaluation/attacks/lattices/lll.ts';
import {
  askedOf,
  countsOf,
  singlesOf,
  tellingOfResult,
} from '../../../evaluation/attacks/lattices/matrices.ts';
import { classesOf, sideOf } from '../../../evaluation/attacks/lattices/mdr.ts';
import { equationsOf } from '../../../evaluation/attacks/lattices/methods.ts';
import { readWhole } from '../../../evaluation/attacks/lattices/reader.ts';
import { foundRows, leastMultiple, likelyRows } from '../../../evaluation/attacks/lattices/rows.ts';
import { countsUnknown, GRAIN, scatterUnknown } from '../../../evaluation/attacks/lattices/scatter.ts';
import { LABELS } from '../../../evaluation/attacks/lattices/two-valued.ts';
import { populationOf } from '../../../evaluation/attacks/tasks/population.ts';
import { Draws } from '../../../evaluation/draws.ts';
import { pooledStatistics } from '../../../evaluation/released.ts';
import type { SceneRow } from '../../../evaluation/scene.ts';

/** Rows of 0 and 1 that share a pattern, and labels that go along with it. */
function madeUpRows(features: number, count: number, draws: Draws): SceneRow[] {
  return Array.from({ length: count }, (_, person) => {
    const shared = draws.uniform();
    const held = () => Number((shared + draws.uniform()) / 2 > 0.45);
    return {
      values: Array.from({ length: features }, held),
      labels: Object.fromEntries(LABELS.map((column) => [column, `${held()}`])),
      person: `${person}`,
    };
  });
}

interface MadeUp {
  readonly task: Task;
  readonly rows: readonly SceneRow[];
  readonly statistics: Statistics;
  readonly population: ReturnType<typeof populationOf>;
}

const ROWS = 80;

function madeUp(
  method: TaskProposal['method'],
  {
    features,
    components,
    outputs = [],
    floor = false,
  }: { features: number; components: number; outputs?: TaskProposal['outputs']; floor?: boolean },
): MadeUp {
  const labels = methodOf({ method }).labellings;
  const task = agreed(
    TaskProposal.parse({
      ...{ method, components, outputs, twoParty: 'garbled', exact: !floor, allowFullRank: true },
      features: Array.from({ length: features }, (_, i) => ({ name: `held${i}`, min: 0, max: 1, grain: 1 })),
      labellings: LABELS.slice(0, labels).map((column) => ({ column, classes: ['0', '1'] })),
      ...{ minimumOwners: 2, maximumOwners: 2, maximumSamplesPerOwner: ROWS },
      deadline: '2099-01-01T00:00:00Z',
    }),
  );
  const draws = new Draws('whole numbers');
  const rows = madeUpRows(features, ROWS, draws.of('rows'));
  const population = populationOf(task, madeUpRows(features, 60, draws.of('sample')));
  return { task, rows, statistics: { ...pooledStatistics(task, [rows]), owners: 2n }, population };
}

const released = (task: Task, statistics: Statistics) =>
  flatResult(resultInClear(programOf(task), statistics));
const pairs = (rows: readonly SceneRow[]) => countsOf(rows).flatMap((row, i) => row.slice(i + 1));
const PCA = { kind: 'pca' } as const;

const METHODS: readonly [string, TaskProposal['method'], TaskProposal['outputs']][] = [
  ['a PCA', PCA, ['spectrum']],
  ['a PCA with its trace', PCA, ['trace']],
  ['a PCA of the correlation matrix', { kind: 'pca', scale: 'correlation' }, ['variances', 'sampleCount']],
  ['a DCA', { kind: 'dca', form: 'standard', ridge: 2, signalRidge: 0.5 }, []],
  ["a DCA of the book's form", { kind: 'dca', form: 'book', ridge: 2, signalRidge: 0.5 }, []],
  ['an LDA', { kind: 'lda', ridge: 2 }, []],
  ['a regression', { kind: 'ridge', ridge: 2 }, []],
];
const componentsOf = ({ kind }: TaskProposal['method']) => ({ ridge: 0, lda: 1 })[kind as string] ?? 2;

describe('equations for the scatter matrix', () => {
  it.each(METHODS)('hold for what %s releases', (_, method, outputs) => {
    const components = componentsOf(method);
    const { task, statistics } = madeUp(method, { features: 5, components, outputs });
    const scatter = totalScatter(statistics, task.fractionBits);
    const between = betweenClassScatter(statistics, 0, task.fractionBits);
    const equations = equationsOf(released(task, statistics), { method, between, error: 1 });
    expect(equations.length).toBeGreaterThanOrEqual(method.kind === 'ridge' ? 4 : 5 * components);
    for (const { terms, right } of equations)
      expect(terms.reduce((sum, { i, j, factor }) => sum + factor * scatter[i]![j]!, 0)).toBeCloseTo(
        right,
        9,
      );
  });

  it.each(METHODS)('hold for what %s releases with a floor, over its noise', (_, method, outputs) => {
    const components = componentsOf(method);
    const told = outputs.filter((output) => output !== 'variances');
    const own = madeUp(method, { features: 5, components, outputs: told, floor: true });
    const draws = new Draws('floor');
    const result = clearResult(own, draws.of('noise'));
    const noised = withFloor(own, draws.of('noise'));
    const scatter = totalScatter(noised, computedFractionBits(own.task));
    const equations = equationsOf(result, askedOf(result, { ...own, noised }));
    expect(equations.length).toBeGreaterThanOrEqual(method.kind === 'ridge' ? 4 : 5 * components);
    for (const { terms, right, error, cut } of equations) {
      const left = terms.reduce((sum, { i, j, factor }) => sum + factor * scatter[i]![j]!, 0);
      // Rounding takes no more than √3 of its deviations.
      const off = cut ? Math.abs(cut.factor) * cut.deviation * Math.sqrt(3) : 0;
      expect(Math.abs(left - right)).toBeLessThan(off + 3 * error);
    }
  });
});

describe('the reader', () => {
  const { task, rows, statistics, population } = madeUp(PCA, { features: 7, components: 3 });
  const known = { population, rows: ROWS, singles: singlesOf(rows) };
  const read = (noise: number, seed: string) => {
    const computed = noise > 0 ? planted({ task, statistics }, noise, new Draws(seed)) : { task, statistics };
    const unknowns = countsUnknown(known);
    const result = released(computed.task, computed.statistics);
    return readWhole(unknowns.expected, [
      tellingOfResult(unknowns, result, { task, statistics, rows }, noise),
    ]);
  };
  const right = (guess: readonly number[]) =>
    pairs(rows).filter((count, place) => Math.round(guess[place]!) === count).length;

  it('finds how many rows have both of two features where nothing was added', () => {
    const reading = read(0, '');
    expect(reading.whole).toEqual(pairs(rows));
    expect(right(reading.real)).toBeLessThan(16);
    expect(reading.pointsLeft).toBeLessThan(-3);
  });

  it('finds them behind a little noise', () => {
    const seeds = Array.from({ length: 5 }, (_, seed) => `little ${seed}`);
    expect(seeds.map((seed) => read(0.05, seed).whole)).toEqual(seeds.map(() => pairs(rows)));
  });

  it('finds no more than rounding does behind noise of half a product of grains', () => {
    const seeds = Array.from({ length: 5 }, (_, seed) => `enough ${seed}`);
    for (const seed of seeds) {
      const { whole, real, pointsLeft } = read(0.5, seed);
      expect(right(whole)).toBeLessThan(right(real) + 5);
      expect(pointsLeft).toBeGreaterThan(0.5);
    }
  });

  it('finds T where no mean is told', () => {
    const own = madeUp(PCA, { features: 5, components: 3 });
    const unknowns = scatterUnknown({ population: own.population, rows: ROWS });
    const telling = tellingOfResult(unknowns, released(own.task, own.statistics), own, 0);
    const T = totalScatter(own.statistics, own.task.fractionBits).flatMap((row, i) =>
      row.slice(i).map((entry) => Math.round((ROWS * entry) / GRAIN ** 2)),
    );
    expect(readWhole(unknowns.expected, [telling]).whole).toEqual(T);
  });
});

it('a task with a floor has the noise of one server, by the real protocol as by the clear reference', async () => {
  const own = madeUp({ kind: 'ridge', ridge: 1 }, { features: 3, components: 0, floor: true });
  const draws = new Draws('floor');
  const noised = totalScatter(withFloor(own, draws.of('noise')), computedFractionBits(own.task)).flat();
  const exact = totalScatter(own.statistics, own.task.fractionBits).flat();
  const deviation = Math.hypot(...noised.map((entry, place) => entry - exact[place]!)) / 3 / GRAIN ** 2;
  expect(deviation).toBeGreaterThan(FLOOR_DEVIATION / 2);
  expect(deviation).toBeLessThan(FLOOR_DEVIATION * 2);
  const [real, clear] = [await realResult(own, draws.of('noise')), clearResult(own, draws.of('noise'))].map(
    ({ regression }) => regression!.weights,
  );
  for (const [i, weight] of real!.entries()) expect(weight).toBeCloseTo(clear![i]!, 5);
});

describe('other numbers behind results', () => {
  it('finds the counts of both labels in one direction of an MDR', () => {
    const { task, rows, statistics } = madeUp({ kind: 'mdr', ridge: 1 }, { features: 5, components: 1 });
    const known = { rows: ROWS, singles: singlesOf(rows) };
    const sample = madeUpRows(5, 60, new Draws('sample'));
    const members = LABELS.map((column) => rows.filter(({ labels }) => labels[column] === '1'));
    const [utility, privacy] = LABELS.map((column, l) => sideOf(known, members[l]!.length, sample, column));
    const reading = classesOf(released(task, statistics), known, [utility!, privacy!], 0);
    expect(reading.whole).toEqual(members.flatMap((own) => singlesOf(own)));
  });

  it('finds the number of rows in a mean of 24 bits, and of its multiples the least', () => {
    const sums = [91, 40, 77, 13];
    const grains = sums.map((sum) => Math.trunc((sum / 123) * 2 ** 24) / 2 ** 24);
    expect(foundRows({ grains, cut: 2 ** -24, noise: 0 }, 500)).toBe(123);
  });

  it('leaves the number of rows open where sums have noise', () => {
    const draws = new Draws('noisy sums');
    const grains = [91, 40, 77, 13].map((sum) => (sum + 0.7 * draws.normal()) / 123);
    expect(Math.max(...likelyRows({ grains, cut: 2 ** -14, noise: 0.7 }, 500))).toBeLessThan(0.01);
  });

  it('finds T and the number of rows but for a factor, which the diagonal tells', () => {
    const [Q, n] = [60, [20, 24]];
    const T = [n[0]! * (Q - n[0]!), 12, n[1]! * (Q - n[1]!)];
    expect(
      leastMultiple(
        T.map((entry) => entry / 4),
        Q / 4,
        [0, 2],
        200,
      ),
    ).toEqual({ T, Q });
    expect(
      leastMultiple(
        T.map((entry) => 2 * entry),
        2 * Q,
        [0, 2],
        200,
      ),
    ).toEqual({ T, Q });
  });
});

it('a search beyond nearest planes finds the nearest point of a lattice', () => {
  const draws = new Draws('search');
  const distance = (a: readonly bigint[], b: readonly bigint[]) =>
    Math.hypot(...a.map((x, i) => Number(x - b[i]!)));
  let nearer = 0;
  for (let run = 0; run < 20; run += 1) {
    const basis = reduce(
      Array.from({ length: 12 }, (_, i) =>
        Array.from({ length: 12 }, (__, j) =>
          BigInt(j < i ? draws.below(1000) : j === i ? 1000 - 60 * i : 0),
        ),
      ),
    );
    const point = basis.reduce((sum, row) => sum.map((x, i) => x + row[i]! * BigInt(run)), basis[0]!);
    const target = point.map((x) => x + BigInt(Math.round(250 * draws.normal())));
    const found = closest(basis, target, 100_000);
    expect(distance(found, target)).toBeLessThanOrEqual(distance(point, target));
    if (distance(nearest(basis, target), target) > distance(found, target)) nearer += 1;
  }
  expect(nearer).toBeGreaterThan(0);
});
