/** Rows under differential privacy: no row that reaches the sums is longer than the bound that the noise is computed for. */
import { noisePlanOf, planShift, type StatisticsTask, statisticsBounds, widthsOf } from '@eigenveil/task';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Discretiser, layout, StatisticsAccumulator } from '../../src/index.ts';
import { clipRow } from '../../src/sums/clip.ts';
import { METHODS, syntheticTask } from '../datasets.ts';

const SETTING = {
  epsilon: 1,
  delta: 1e-6,
  neighbours: 'add-remove',
  clippingNorm: 1,
  noise: 'servers',
  honestOwners: null,
  dataIndependentRanges: true,
} as const;

const clipped = (row: readonly number[], bound: bigint): number[] => {
  const copy = [...row];
  clipRow(copy, Number(bound));
  return copy;
};
const squared = (row: readonly number[]): bigint => row.reduce((sum, cell) => sum + BigInt(cell) ** 2n, 0n);
const length = (row: readonly number[]): number => Math.sqrt(Number(squared(row)));

const rowsAndBounds = fc.integer({ min: 1, max: 20 }).chain((bits) =>
  fc.record({
    row: fc.array(fc.integer({ min: -(2 ** bits), max: 2 ** bits }), { minLength: 1, maxLength: 200 }),
    bound: fc.oneof(fc.bigInt(1n, 200n * 4n ** BigInt(bits)), fc.bigInt(1n, 50n)),
  }),
);

describe('a row', () => {
  it('is never longer than the bound, and keeps its signs', () => {
    fc.assert(
      fc.property(rowsAndBounds, ({ row, bound }) => {
        const short = clipped(row, bound);
        expect(squared(short) <= bound).toBe(true);
        expect(short.every((cell, i) => cell === 0 || Math.sign(cell) === Math.sign(row[i]!))).toBe(true);
        expect(short.every((cell, i) => Math.abs(cell) <= Math.abs(row[i]!))).toBe(true);
        expect(short.some((cell) => Object.is(cell, -0))).toBe(false);
      }),
    );
  });

  it('is left alone when it is short enough', () => {
    fc.assert(
      fc.property(rowsAndBounds, ({ row }) => {
        expect(clipped(row, squared(row))).toEqual(row);
        expect(clipRow([...row], Number(squared(row)))).toBe(false);
      }),
    );
  });

  it('loses no more than its cells lose by rounding', () => {
    fc.assert(
      fc.property(rowsAndBounds, ({ row, bound }) => {
        fc.pre(squared(row) > bound);
        expect(length(clipped(row, bound))).toBeGreaterThanOrEqual(
          Math.sqrt(Number(bound)) - Math.sqrt(row.length) - 1,
        );
      }),
    );
  });

  it('of the length of the bound stays below it where doubles round up', () => {
    // Exact arithmetic gives 5 times (3, 4)/5; a square root that rounds down must not lose it, one that rounds up not exceed it.
    for (let scale = 2; scale < 5000; scale += 1)
      expect(squared(clipped([3 * scale, 4 * scale], 25n)) <= 25n).toBe(true);
  });
});

describe('a task with differential privacy', () => {
  const task = { ...syntheticTask(6, METHODS.pca), differentialPrivacy: SETTING };

  it('clips rows while it discretises them, and says how many', () => {
    const discretiser = new Discretiser(task);
    const cell = ({ min, max }: { min: number; max: number }, x: number) => min + ((max - min) * (x + 1)) / 2;
    const ends = discretiser.discretise(task.features.map((feature) => cell(feature, 1)));
    const unit = 4n ** BigInt(task.fractionBits);
    expect(squared(ends) <= unit).toBe(true);
    expect(Number(squared(ends)) / Number(unit)).toBeGreaterThan(0.99);
    const short = task.features.map((feature, i) => cell(feature, i === 0 ? 1 : 0));
    expect(discretiser.discretise(short)).toEqual(
      new Discretiser({ ...task, differentialPrivacy: null }).discretise(short),
    );
    expect(discretiser.clippedRows).toBe(1);
  });

  it('refuses to sum a longer row', () => {
    const accumulator = new StatisticsAccumulator(task);
    const unit = 2 ** task.fractionBits;
    accumulator.add([unit, 0, 0, 0, 0, 0], []);
    expect(() => accumulator.add([unit, 1, 0, 0, 0, 0], [])).toThrow(RangeError);
    expect(accumulator.rows).toBe(1);
  });

  it.each(Object.keys(METHODS) as (keyof typeof METHODS)[])('has slots for the noise of a %s', (method) => {
    const own: StatisticsTask = { ...syntheticTask(6, METHODS[method]), differentialPrivacy: SETTING };
    const plan = noisePlanOf(own)!;
    const { tails } = plan;
    const { shift } = planShift(own, plan);
    const [noisy, exact] = [statisticsBounds(own), statisticsBounds({ ...own, differentialPrivacy: null })];
    expect(noisy.R).toBe(exact.R + tails.R + shift);
    expect(noisy.V).toBeGreaterThanOrEqual(exact.V + tails.V);
    expect(noisy.M).toBeGreaterThanOrEqual(exact.M + tails.M);
    const widths = widthsOf(own);
    for (const kind of ['R', 'V', 'M'] as const)
      expect(2n ** BigInt(widths[kind] - 1)).toBeGreaterThan(noisy[kind]);
  });

  it('has narrower slots for shorter rows', () => {
    const short = { ...task, differentialPrivacy: { ...SETTING, clippingNorm: 2 ** -5 } };
    expect(statisticsBounds(short).R).toBeLessThan(statisticsBounds(task).R / 500n);
  });
});

it('no setting, no noise', () => {
  const task = syntheticTask(6, METHODS.pca);
  expect(noisePlanOf(task)).toBeUndefined();
  expect(layout({ ...task, differentialPrivacy: null })).toEqual(layout(task));
});
