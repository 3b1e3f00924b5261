/** Means, variances and correlations of opened sums: known answers, and intervals that hold under the noise of a task. */
import { SCATTER_WEIGHTS } from '@eigenveil/methods';
import { noisePlan, type PrivacySetting, sampleNoise } from '@eigenveil/privacy';
import type { StatisticsTask } from '@eigenveil/task';
import { SAMPLES } from '@eigenveil/testbed/goodness/samples';
import { predictableRandomness } from '@eigenveil/testbed/random';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { symmetricEigen } from '../../src/index.ts';
import {
  type Interval,
  type Moments,
  momentsOf,
  type NoisySums,
  nearestSemidefinite,
  openedSums,
} from '../../src/reference/moments.ts';

const NONE = { deviation: 0, rounding: 0 };
const SILENT = { diagonal: NONE, off: NONE, sum: NONE, rows: NONE };

/** The sums of rows of features in [−1, 1]. */
function sumsOf(rows: readonly (readonly number[])[]): Omit<NoisySums, 'noise'> {
  const features = [...rows[0]!.keys()];
  const total = (of: (row: readonly number[]) => number) => rows.reduce((sum, row) => sum + of(row), 0);
  return {
    rows: rows.length,
    sums: features.map((i) => total((row) => row[i]!)),
    products: features.flatMap((i) => features.slice(i).map((j) => total((row) => row[i]! * row[j]!))),
  };
}

test('without noise: the numbers themselves', () => {
  const rows = [
    [0, 0.5, 0.25],
    [0.5, 0, 0.25],
    [0.5, 1, 0.25],
    [1, 0.5, 0.25],
  ];
  const {
    means,
    variances,
    correlations,
    covariances,
    rows: told,
  } = momentsOf({ ...sumsOf(rows), noise: SILENT });
  expect(told).toEqual({ value: 4, from: 4, to: 4 });
  expect(means.map(({ value }) => value)).toEqual([0.5, 0.5, 0.25]);
  expect(variances.map(({ value }) => value)).toEqual([0.125, 0.125, 0]);
  expect(covariances).toEqual([0.125, 0, 0, 0.125, 0, 0]);
  expect(correlations.slice(1)).toEqual([null, null]);
  expect(correlations[0]!.value).toBe(0);
  for (const { from, to } of [...means, ...variances, correlations[0]!]) expect(to - from).toBeLessThan(1e-5);
});

test('a line has a correlation of 1 or −1', () => {
  const rows = [-0.5, 0, 0.75].map((x) => [x, x / 2, 0.1 - x]);
  const { correlations } = momentsOf({ ...sumsOf(rows), noise: SILENT });
  expect(correlations.map((it) => Math.round(it!.value * 1e6) / 1e6)).toEqual([1, -1, -1]);
});

test('the nearest positive semidefinite matrix', () => {
  const near = nearestSemidefinite([
    [1, 2],
    [2, 1],
  ]);
  expect(near.flat().map((entry) => Math.round(entry * 1e9) / 1e9)).toEqual([1.5, 1.5, 1.5, 1.5]);
  const definite = [
    [2, 1 / 3],
    [1 / 3, 0.1],
  ];
  expect(nearestSemidefinite(definite)).toEqual(definite);
  expect(nearestSemidefinite([[-1]])).toEqual([[0]]);
});

test('noise that leaves no rows, and features that may be constant', () => {
  const noise = { ...SILENT, rows: { deviation: 10, rounding: 1.5 } };
  const rows = Array.from({ length: 30 }, (_, n) => [n % 2, 0.5]);
  expect(momentsOf({ ...sumsOf(rows), noise })).toEqual({
    rows: { value: 30, from: 9, to: 51 },
    means: [],
    variances: [],
    correlations: [],
    covariances: [],
  });
  const more = { ...SILENT, diagonal: { deviation: 2, rounding: 0 } };
  const { correlations, variances } = momentsOf({ ...sumsOf(rows), noise: more });
  expect(correlations).toEqual([null]);
  expect(variances[1]!.from).toBe(0);
});

test('whatever comes, values are in their intervals, and these in their ranges; the matrix is semidefinite', () => {
  const number = fc.double({ min: -50, max: 50, noNaN: true });
  const deviation = fc.double({ min: 0, max: 20, noNaN: true });
  fc.assert(
    fc.property(
      fc.record({
        rows: number,
        sums: fc.array(number, { minLength: 3, maxLength: 3 }),
        products: fc.array(number, { minLength: 6, maxLength: 6 }),
        noise: fc.record(
          Object.fromEntries(
            ['diagonal', 'off', 'sum', 'rows'].map((kind) => [
              kind,
              fc.record({ deviation, rounding: fc.constant(0.1) }),
            ]),
          ) as { [Kind in keyof NoisySums['noise']]: fc.Arbitrary<{ deviation: number; rounding: number }> },
        ),
      }),
      (opened) => {
        const { means, variances, correlations, covariances: c } = momentsOf(opened);
        const all = [...means, ...variances, ...correlations.filter((it) => it !== null)];
        expect(all.every(({ value, from, to }) => from <= value && value <= to)).toBe(true);
        for (const { from, to } of [...means, ...correlations.filter((it) => it !== null)])
          expect(from >= -1 && to <= 1).toBe(true);
        expect(variances.every(({ from }) => from >= 0)).toBe(true);
        if (c.length === 0) return;
        const matrix = [
          [c[0]!, c[1]!, c[2]!],
          [c[1]!, c[3]!, c[4]!],
          [c[2]!, c[4]!, c[5]!],
        ];
        expect(symmetricEigen(matrix).values.at(-1)).toBeGreaterThan(
          -1e-8 * (1 + Math.abs(c[0]!) + c[3]! + c[5]!),
        );
      },
    ),
  );
});

const FRACTION_BITS = 8;
const UNIT = 2 ** FRACTION_BITS;
const D = 3;

function setting(neighbours: PrivacySetting['neighbours']): PrivacySetting {
  return {
    epsilon: 1,
    delta: 1e-6,
    neighbours,
    clippingNorm: 1,
    noise: 'servers',
    honestOwners: null,
    dataIndependentRanges: true,
  };
}

const taskOf = (neighbours: PrivacySetting['neighbours']): StatisticsTask => ({
  method: { kind: 'pca' },
  features: Array.from({ length: D }, (_, i) => ({ name: `f${i}`, min: -1, max: 1 })),
  labellings: [],
  fractionBits: FRACTION_BITS,
  maximumOwners: 2,
  maximumSamplesPerOwner: 100_000,
  keyBits: 2048,
  statisticalSecurityBits: 40,
  differentialPrivacy: setting(neighbours),
});

/** Whole rows whose length is at most 1, each as often as it says; and what is true of them. */
function population(rows: readonly (readonly [count: number, ...cells: number[]])[]) {
  const whole = rows.map(([count, ...cells]) => ({
    count,
    cells: cells.map((cell) => Math.trunc(cell * UNIT)),
  }));
  if (whole.some(({ cells }) => cells.reduce((sum, cell) => sum + cell ** 2, 0) > UNIT ** 2))
    throw new RangeError('expected rows that are not clipped');
  const total = (of: (cells: readonly number[]) => number) =>
    whole.reduce((sum, { count, cells }) => sum + count * of(cells), 0);
  const places = [0, 1, 2];
  const n = total(() => 1);
  const V = places.map((i) => total((cells) => cells[i]!));
  const R = places.flatMap((i) => places.slice(i).map((j) => total((cells) => cells[i]! * cells[j]!)));
  const at = (i: number, j: number) => R[i * D - (i * (i - 1)) / 2 + j - i]!;
  const c = (i: number, j: number) => (at(i, j) / n - (V[i]! / n) * (V[j]! / n)) / UNIT ** 2;
  const pairs = places.flatMap((i) => places.slice(i + 1).map((j) => [i, j] as const));
  return {
    values: [...R, ...V, n].map(BigInt),
    rows: n,
    means: V.map((sum) => sum / n / UNIT),
    variances: places.map((i) => c(i, i)),
    /** Undefined of a feature that does not vary. */
    correlations: pairs.map(([i, j]) =>
      c(i, i) > 0 && c(j, j) > 0 ? c(i, j) / Math.sqrt(c(i, i) * c(j, j)) : undefined,
    ),
  };
}

/** Rows of a grid of angles, so that features depend on each other as the two shares say. */
const spread = (count: number, shares: readonly [number, number], about: readonly number[], scale: number) =>
  Array.from({ length: 40 }, (_, k): [number, ...number[]] => {
    const [x, y, z] = [Math.sin(k), Math.sin(2.3 * k + 1), Math.cos(5.1 * k)] as const;
    return [
      count,
      ...[x, shares[0] * x + (1 - shares[0]) * y, shares[1] * x + (1 - shares[1]) * z].map(
        (cell, i) => about[i]! + scale * cell,
      ),
    ];
  });

const POPULATIONS = {
  many: population(spread(200, [0.6, -0.4], [0.1, -0.2, 0], 0.45)),
  few: population(spread(12, [0.6, -0.4], [0.1, -0.2, 0], 0.45)),
  lines: population([
    [900, 0.5, -0.5, 0.5],
    [700, -0.5, 0.5, 0.5],
    [900, 0.5, -0.5, -0.5],
  ]),
  'far from the middle': population(spread(100, [0.9, 0.1], [0.55, 0.55, 0.55], 0.03)),
  constant: population(spread(100, [0.9, 0.1], [0.3, -0.3, 0.5], 0.4).map(([n, x, y]) => [n, x!, y!, 0.5])),
};

type Population = (typeof POPULATIONS)['many'];

/** Each quantity with its true value, where there is one and something is told. */
function* quantities(
  moments: Moments,
  truth: Population,
): Generator<[string, Interval | undefined | null, number]> {
  yield ['rows', moments.rows, truth.rows];
  for (const i of [0, 1, 2]) {
    yield [`mean ${i}`, moments.means[i], truth.means[i]!];
    yield [`variance ${i}`, moments.variances[i], truth.variances[i]!];
    const correlation = truth.correlations[i];
    if (correlation !== undefined) yield [`correlation ${i}`, moments.correlations[i], correlation];
  }
}

/** Draws the noise of both servers so often, and counts the intervals that do not hold, by population and quantity. */
function misses(neighbours: PrivacySetting['neighbours'], runs: number, claimed = 1): Map<string, number> {
  const task = taskOf(neighbours);
  const stage = {
    weights: SCATTER_WEIGHTS,
    collectsR: true,
    features: D,
    classes: [1],
    fractionBits: FRACTION_BITS,
    maximumOwners: 2,
    setting: setting(neighbours),
  };
  const plan = noisePlan(stage);
  const source = predictableRandomness(`moments ${neighbours}`);
  const missed = new Map<string, number>();
  for (let run = 0; run < runs; run += 1) {
    const draws = [sampleNoise(source, stage, plan), sampleNoise(source, stage, plan)];
    for (const [name, truth] of Object.entries(POPULATIONS)) {
      const opened = openedSums(
        task,
        truth.values.map((value, v) => value + draws[0]![v]! + draws[1]![v]!),
      );
      const noise = Object.fromEntries(
        Object.entries(opened.noise).map(([kind, it]) => [
          kind,
          { ...it, deviation: claimed * it.deviation },
        ]),
      ) as NoisySums['noise'];
      for (const [quantity, told, value] of quantities(momentsOf({ ...opened, noise }), truth)) {
        const key = `${name}: ${quantity}`;
        const holds = !told || (told.from <= value && value <= told.to);
        missed.set(key, (missed.get(key) ?? 0) + (holds ? 0 : 1));
      }
    }
  }
  return missed;
}

const LEVEL = 0.05;

/** Chernoff's bound on the probability of so many misses or more, where each has at most the probability LEVEL. */
function chanceOf(missed: number, runs: number): number {
  const p = missed / runs;
  if (p <= LEVEL) return 1;
  const divergence = p * Math.log(p / LEVEL) + (p === 1 ? 0 : (1 - p) * Math.log((1 - p) / (1 - LEVEL)));
  return Math.exp(-runs * divergence);
}

for (const { title, tags, of } of SAMPLES)
  describe(title, { tags }, () => {
    // The seed is fixed. Another one would fail in one of 10⁹ cases: there are fewer than 100 quantities.
    test.each(['add-remove', 'replace'] as const)('every interval holds: %s', (neighbours) => {
      const runs = of(neighbours === 'replace' ? 5000 : 10_000);
      const missed = misses(neighbours, runs);
      expect(missed.size).toBe(48);
      expect([...missed].filter(([, count]) => chanceOf(count, runs) < 1e-11)).toEqual([]);
    });

    test('intervals for half of the noise do not hold', () => {
      const runs = of(2000);
      const missed = [...misses('add-remove', runs, 0.5)];
      const caught = missed.filter(([, count]) => chanceOf(count, runs) < 1e-11).map(([key]) => key);
      expect(caught).toEqual(
        expect.arrayContaining(['many: rows', 'many: mean 0', 'many: variance 1', 'many: correlation 0']),
      );
    });
  });

/** The half-widths that the delta method has for a pair of features, if it knew all moments. */
function byDelta(
  { noise, rows }: Pick<NoisySums, 'noise' | 'rows'>,
  [mi, mj]: readonly number[],
  [si, sj]: readonly number[],
  rho: number,
) {
  const { diagonal, off, sum, rows: ofRows } = noise;
  const [ai, aj] = [mi! / si!, mj! / sj!];
  const half = (...parts: number[]) => (1.96 * Math.hypot(...parts)) / rows;
  return {
    mean: half(sum.deviation, mi! * ofRows.deviation),
    variance: half(diagonal.deviation, 2 * mi! * sum.deviation, (mi! ** 2 - si! ** 2) * ofRows.deviation),
    correlation: half(
      off.deviation / si! / sj!,
      (rho / 2) * diagonal.deviation * Math.hypot(si! ** -2, sj! ** -2),
      ((rho * ai - aj) * sum.deviation) / si!,
      ((rho * aj - ai) * sum.deviation) / sj!,
      (ai * aj - (rho / 2) * (ai ** 2 + aj ** 2)) * ofRows.deviation,
    ),
  };
}

test.each([
  [20_000, 1.1],
  [5000, 1.25],
  [1280, 1.5],
])('of %d rows, intervals are at most %d times as wide as by the delta method', (rows, most) => {
  const truth = population(spread(rows / 40, [0.6, -0.4], [0.1, -0.2, 0], 0.45));
  const opened = openedSums(taskOf('add-remove'), truth.values);
  const moments = momentsOf(opened);
  const [si, sj] = truth.variances.map(Math.sqrt);
  const delta = byDelta(opened, truth.means, [si!, sj!], truth.correlations[0]!);
  const half = ({ from, to }: Interval) => (to - from) / 2;
  expect(half(moments.means[0]!) / delta.mean).toBeLessThan(most);
  expect(half(moments.variances[0]!) / delta.variance).toBeLessThan(most);
  expect(half(moments.correlations[0]!) / delta.correlation).toBeLessThan(most);
});
