/** The floor of a task by hand: how large its noise is, what servers compute with, and what it leaves of released numbers. */
import { describe, expect, test } from 'vitest';
import {
  computedBitsOf,
  computedBounds,
  computedFractionBits,
  computedValues,
  cutTo,
  FLOOR_REACH,
  floorDeviations,
  floorOf,
  grainOf,
  placesOf,
  programOf,
  RELEASED_BITS,
  type StatisticsTask,
  statisticsBounds,
  valueBitsOf,
} from '../../src/index.ts';

const binary = { min: 0, max: 1, grain: 1 };
const taskOf = (changes: Partial<StatisticsTask> = {}): StatisticsTask => ({
  method: { kind: 'pca' },
  features: ['a', 'b', 'c', 'd'].map((name) => ({ name, ...binary })),
  labellings: [],
  fractionBits: 14,
  maximumOwners: 10,
  maximumSamplesPerOwner: 1000,
  keyBits: 2048,
  statisticalSecurityBits: 40,
  exact: false,
  releases: 2,
  ...changes,
});
const mixed: StatisticsTask['features'] = [
  { name: 'a', ...binary },
  { name: 'b', min: 0, max: 10, grain: 1 },
  { name: 'c', min: 0, max: 1, grain: 'cell' },
  { name: 'd', min: 3, max: 3 },
];
const lda = {
  method: { kind: 'lda', ridge: 1 },
  labellings: [{ column: 'k', classes: ['x', 'y', 'z'] }],
} as const;
const privacy = (epsilon: number, noise: 'servers' | 'csp' = 'servers') =>
  ({
    epsilon,
    delta: 1e-6,
    neighbours: 'add-remove',
    clippingNorm: 2,
    noise,
    honestOwners: null,
    dataIndependentRanges: true,
  }) as const;

describe('the floor', () => {
  test('of two-valued features is an entry of whole counts wide, and takes no more bits of R', () => {
    const floor = floorOf(taskOf())!;
    expect(floor.deviation).toBeCloseTo(Math.SQRT1_2, 12);
    expect(floor.grains).toEqual([2, 2, 2, 2]);
    expect(floor.norm).toBeCloseTo(16, 12);
    expect(floor.ridge).toEqual(new Array(4).fill(expect.closeTo(46, 12)));
    expect(floor.leastVariances[0]).toBeCloseTo(32 * Math.SQRT1_2, 12);
    expect(floor).toMatchObject({ fractionBits: 14, sumFractionBits: 25 });
    expect(floor.released).toEqual({ scatter: 1, variances: 15, mean: 14 });
    expect(
      programOf({ ...taskOf(), components: 1, outputs: [], minimumOwners: 3, allowFullRank: false }).floor,
    ).toEqual(floor);
  });

  test('follows the coarsest grain where it is counted, and the finest where units are', () => {
    const task = taskOf({ features: mixed });
    const floor = floorOf(task)!;
    const cell = 2 ** -14;
    expect(floor.grains).toEqual([2, expect.closeTo(0.2, 12), cell, 0]);
    expect(floor.norm).toBeCloseTo(16, 12);
    expect(floor.ridge.map((it, i) => it / [46, 0.46, 11.5 * cell ** 2, 1][i]!)).toEqual([
      expect.closeTo(1, 12),
      expect.closeTo(1, 12),
      expect.closeTo(1, 12),
      0,
    ]);
    expect(floor).toMatchObject({ fractionBits: 27, sumFractionBits: 39 });
    expect(computedFractionBits(task)).toBe(27);
    const least = (from: number, to: number) =>
      Math.min(
        ...floorDeviations(task)
          .slice(from, to)
          .filter((it) => it > 0),
      );
    const { length } = placesOf(task);
    expect(least(0, length)).toBeGreaterThanOrEqual(2 ** RELEASED_BITS);
    expect(least(0, length)).toBeLessThan(2 ** (RELEASED_BITS + 3));
    expect(least(length, length + 4)).toBeGreaterThanOrEqual(2 ** RELEASED_BITS);
    expect(least(length, length + 4)).toBeLessThan(2 ** (RELEASED_BITS + 1));
  });

  test('of pencils by rotated has units for the bits that are opened of them, and of nothing else', () => {
    const bits = (changes: Partial<StatisticsTask>) => {
      const { fractionBits, sumFractionBits } = floorOf(taskOf({ features: mixed, ...changes }))!;
      return { fractionBits, sumFractionBits };
    };
    const finer = { fractionBits: 27 + 6, sumFractionBits: 39 + 12 };
    expect(bits({ ...lda, twoParty: 'rotated' })).toEqual(finer);
    for (const other of [{ twoParty: 'rotated' }, { ...lda, twoParty: 'garbled' }] as const)
      expect(bits(other)).toEqual({ fractionBits: 27, sumFractionBits: 39 });
  });

  test('grows with the square root of the releases', () => {
    const [one, four] = [1, 4].map((releases) => floorOf(taskOf({ releases }))!.deviation);
    expect([one, four]).toEqual([0.5, 1]);
  });

  test('has grains between a cell and the range', () => {
    const grain = (changes: object) => grainOf({ name: 'a', min: 0, max: 1, ...changes }, 14);
    expect(grain({ grain: 2 ** -20 })).toBe(2 ** -14);
    expect(grain({ grain: 3 })).toBe(2);
    expect(grain({ max: 9, grain: 1 })).toBeCloseTo(2 / 9, 15);
    expect(grain({})).toBe(2 ** -14);
    expect(grain({ max: 0, grain: 1 })).toBe(0);
  });

  test.each([
    ['that is exact', taskOf({ exact: true })],
    ['of statistics alone', (({ exact: _, ...task }) => task)(taskOf())],
    ['with more noise for differential privacy', taskOf({ differentialPrivacy: privacy(1) })],
  ])('is none of a task %s', (_, task) => {
    expect(floorOf(task)).toBeUndefined();
    expect(floorDeviations(task)).toEqual([]);
    expect(computedValues(task, [1n, 2n])).toEqual([1n, 2n]);
    expect(computedFractionBits(task)).toBe(14);
    expect(computedBitsOf(task)).toEqual(valueBitsOf(task));
    expect(computedBounds(task)).toEqual({ ...statisticsBounds(task), sums: statisticsBounds(task).V });
  });

  test.each([
    ['with less noise', { differentialPrivacy: privacy(1), releases: 1000 }],
    ['with noise that one server knows', { differentialPrivacy: privacy(1, 'csp') }],
  ])('is on top of differential privacy %s', (_, changes) => {
    expect(floorOf(taskOf(changes))).toBeDefined();
  });
});

describe('what servers compute with', () => {
  const task = taskOf({ features: mixed, ...lda });

  test('has R and V shifted, counts as they are, and the sums of every class once more', () => {
    const { length, R, labellings } = placesOf(task);
    const values = Array.from({ length }, (_, i) => BigInt(i + 1));
    const computed = computedValues(task, values);
    expect(computed).toHaveLength(length + 3 * 4);
    expect(computed.slice(R.from, R.to)).toEqual(values.slice(R.from, R.to).map((value) => value << 26n));
    for (const [k, { V, M }] of labellings[0]!.entries()) {
      expect(computed.slice(V.from, V.to)).toEqual(values.slice(V.from, V.to).map((value) => value << 13n));
      expect(computed[M.from]).toBe(values[M.from]);
      const again = computed.slice(length + 4 * k, length + 4 * (k + 1));
      expect(again).toEqual(values.slice(V.from, V.to).map((value) => value << 25n));
    }
    expect(computed[length - 1]).toBe(values[length - 1]);
  });

  test('takes noise of φ gᵢ gⱼ on R, √2 as much on its diagonal, φ gᵢ on sums, and none elsewhere', () => {
    const deviations = floorDeviations(task);
    const { length, R } = placesOf(task);
    const g = [2, 0.2, 2 ** -14, 0];
    const phi = Math.SQRT1_2;
    const expected = g.flatMap((a, i) =>
      g.slice(i).map((b, j) => phi * a * b * 2 ** 54 * (j === 0 ? Math.SQRT2 : 1)),
    );
    const close = (values: readonly number[]) =>
      values.map((value) => (value === 0 ? 0 : expect.closeTo(value, Math.ceil(3 - Math.log10(value)))));
    expect(deviations.slice(R.from, R.to)).toEqual(close(expected));
    expect(deviations.slice(R.to, length).every((it) => it === 0)).toBe(true);
    expect(deviations.slice(length)).toEqual(close([0, 1, 2].flatMap(() => g.map((a) => phi * a * 2 ** 39))));
  });

  test('has bits for the largest statistics and any noise', () => {
    const { length, R } = placesOf(task);
    const bits = computedBitsOf(task);
    expect(bits).toHaveLength(length + 12);
    const most = 10_000n;
    const room = (at: number) => 2n ** BigInt(bits[at]! - 1) - 1n;
    const noise = (at: number) => BigInt(Math.ceil(2 * FLOOR_REACH * floorDeviations(task)[at]!));
    expect(room(R.from)).toBeGreaterThanOrEqual((most << 54n) + noise(R.from));
    expect(room(length)).toBeGreaterThanOrEqual((most << 39n) + noise(length));
  });
});

test('numbers are cut to the nearest that has so many fraction bits', () => {
  expect([cutTo(0.74, 1), cutTo(0.76, 1), cutTo(-0.74, 1), cutTo(-0.1, 1)]).toEqual([0.5, 1, -0.5, 0]);
});
