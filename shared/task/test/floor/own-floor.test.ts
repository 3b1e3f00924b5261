/** The floor that an owner adds to its own sums: how much of it, and the room that slots have for it. */
import { describe, expect, test } from 'vitest';
import {
  floorDeviations,
  ownFloorOf,
  placesOf,
  type StatisticsTask,
  statisticsBounds,
} from '../../src/index.ts';

const RELEASES = 8;
const φ = 0.5 * Math.sqrt(RELEASES);
const U = 2 ** 14;

const taskOf = (changes: Partial<StatisticsTask> = {}): StatisticsTask => ({
  method: { kind: 'pca' },
  features: [0.25, 0.5, 1].map((grain, i) => ({ name: `f${i}`, min: 0, max: 1, grain })),
  labellings: [],
  fractionBits: 14,
  maximumOwners: 10,
  maximumSamplesPerOwner: 11,
  keyBits: 2048,
  statisticalSecurityBits: 40,
  exact: false,
  releases: RELEASES,
  ...changes,
});

describe('what an owner adds', () => {
  test('is, where a feature is coarser, the floor that the task would have had', () => {
    // f1 lies 1 apart, in [−1, 1] 2; f0 and f2 as declared, 0.5 and 2.
    const { deviation, coarser, deviations } = ownFloorOf(taskOf(), [0.25, 1, undefined])!;
    expect(deviation).toBe(φ);
    expect(coarser).toEqual([{ place: 1, declared: 1, own: 2 }]);
    const R = [0, 0.5 * 2, 0, 2 * 2 * Math.SQRT2, 2 * 2, 0].map((it) => φ * it * U ** 2);
    const expected = [...R, 0, φ * 2 * U, 0, 0, 0];
    expect(deviations).toHaveLength(expected.length);
    for (const [i, value] of deviations.entries()) expect(value).toBeCloseTo(expected[i]!, 4);
  });

  test.each<[string, Partial<StatisticsTask>, (number | undefined)[]]>([
    ['rows as coarse as declared, or finer', {}, [0.25, 0.1, undefined]],
    ['a hundredth, as samples differ', {}, [0.252, 0.5, 1]],
    ['more than a range', {}, [0.25, 0.5, 7]],
    ['an exact task', { exact: true }, [1, 1, 1]],
    [
      'noise for differential privacy that is larger',
      {
        differentialPrivacy: {
          ...{ epsilon: 0.1, delta: 1e-6, neighbours: 'add-remove', clippingNorm: 1, noise: 'servers' },
          ...{ honestOwners: null, dataIndependentRanges: true },
        },
      },
      [1, 1, 1],
    ],
  ])('is nothing for %s', (_, changes, grains) => {
    expect(ownFloorOf(taskOf(changes), grains)).toBeUndefined();
  });

  test('is on sums alone for MDR, for every class', () => {
    const classes = ['a', 'b'];
    const labellings = ['x', 'y'].map((column) => ({ column, classes }));
    const task = taskOf({ method: { kind: 'mdr', ridge: 1 }, labellings });
    const { deviations } = ownFloorOf(task, [1, 0.5, 1])!;
    const places = placesOf(task).labellings.flat();
    expect(deviations.flatMap((it, i) => (it === 0 ? [] : [i]))).toEqual(places.map(({ V }) => V.from));
  });
});

test('noise of a sketch is that of a matrix times Ω, for which its slots have room, with vectors in Ω as well', () => {
  for (const sketch of [{ columns: 2 }, { columns: 2, refine: 'A'.repeat(43) as never }]) {
    const task = taskOf({ sketch, twoParty: 'rotated' });
    const { scales, deviations } = ownFloorOf(task, [0.25, 1, undefined])!;
    for (const [i, grain] of [0.5, 2, 2].entries())
      expect(scales![i]).toBeCloseTo(Math.sqrt(φ) * grain * U, 6);
    const { Y, labellings } = placesOf(task);
    const { V } = labellings[0]![0]!;
    expect(deviations.flatMap((it, i) => (it === 0 ? [] : [i]))).toEqual([V.from + 1]);
    expect(Y.to - Y.from).toBe(6);
    // A vector in Ω may have all of its length, √d·2^8, in one entry: noise there is that on the diagonal.
    const scale = sketch.refine ? 2 ** 8 : 1;
    const longest = sketch.refine ? Math.SQRT2 * Math.sqrt(3) * scale : 2;
    const most = 8.25 * φ * 4 * U ** 2 * longest;
    const exact = statisticsBounds({ ...task, exact: true }).Y;
    expect(10 * (most - 1)).toBeLessThan(Number(statisticsBounds(task).Y - exact));
  }
});

test('slots have log2(1 + 33/maximumSamplesPerOwner) bits more for two releases, more for more, and none in exact tasks', () => {
  const more = (changes: Partial<StatisticsTask>) => {
    const [floored, exact] = [taskOf(changes), taskOf({ ...changes, exact: true })].map(statisticsBounds);
    return [Number(floored!.R) / Number(exact!.R), Number(floored!.V) / Number(exact!.V)] as const;
  };
  expect(more({ releases: 2 })[0]).toBeCloseTo(1 + 33 / 11, 6);
  expect(more({ releases: 2, maximumSamplesPerOwner: 3300 })[0]).toBeCloseTo(1.01, 6);
  expect(more({ releases: 8 })[0]).toBeCloseTo(1 + 66 / 11, 6);
  // All of the noise that an owner may draw, of values as coarse as their range, with all cells at their ends.
  const task = taskOf({ releases: 2 });
  const { deviations } = ownFloorOf(
    { ...task, features: task.features.map((it) => ({ ...it, grain: 'cell' as const })) },
    [1, 1, 1],
  )!;
  const { R, V } = statisticsBounds(task);
  const { labellings } = placesOf(task);
  const sums = labellings[0]![0]!.V.from;
  expect(10 * (11 * U ** 2 + 8.25 * Math.max(...deviations.slice(0, sums)) - 1)).toBeLessThan(Number(R));
  expect(10 * (11 * U + 8.25 * Math.max(...deviations.slice(sums)) - 1)).toBeLessThan(Number(V));
  expect(floorDeviations(taskOf({ exact: true }))).toEqual([]);
});
