import { placesOf, type StatisticsTask } from '@eigenveil/task';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addStatistics,
  Discretiser,
  flatten,
  type Statistics,
  StatisticsAccumulator,
  unflatten,
} from '../../src/index.ts';
import { DATASETS, loadDataset, METHODS, naiveStatistics, syntheticTask, taskFor } from '../datasets.ts';

type Rows = readonly (readonly number[])[];

function sum(task: StatisticsTask, rows: Rows, classes: Rows): Statistics {
  const accumulator = new StatisticsAccumulator(task);
  rows.forEach((row, n) => {
    accumulator.add(row, classes[n] ?? []);
  });
  return accumulator.statistics();
}

/** Discretised rows of a bundled data set, with labels derived for MDR by splitting the first feature at its median. */
function prepared(name: (typeof DATASETS)[number], method: keyof typeof METHODS) {
  const dataset = loadDataset(name);
  const base = taskFor(dataset, METHODS[method]);
  const utility = { column: 'label', classes: [...new Set(dataset.labels)].sort() };
  const task: StatisticsTask =
    method === 'mdr'
      ? { ...base, labellings: [utility, { column: 'private', classes: ['low', 'high'] }] }
      : base;
  const discretiser = new Discretiser(task);
  const rows = dataset.rows.map((row) => discretiser.discretise(row));
  const firsts = dataset.rows.map((row) => row[0]!).sort((a, b) => a - b);
  const median = firsts[firsts.length >> 1]!;
  const classes = dataset.labels.map((label, n) => {
    const indices = [utility.classes.indexOf(label), dataset.rows[n]![0]! < median ? 0 : 1];
    return indices.slice(0, task.labellings.length);
  });
  return { task, rows, classes };
}

describe.each(DATASETS)('sums over %s', (name) => {
  it.each(Object.keys(METHODS) as (keyof typeof METHODS)[])('equal the naive sums for %s', (method) => {
    const { task, rows, classes } = prepared(name, method);
    expect(sum(task, rows, classes)).toEqual(naiveStatistics(task, rows, classes));
  });

  it('do not depend on the order of rows', () => {
    const { task, rows, classes } = prepared(name, 'dca');
    expect(sum(task, rows.toReversed(), classes.toReversed())).toEqual(sum(task, rows, classes));
  });

  it('add up over owners, whoever holds which rows', () => {
    const { task, rows, classes } = prepared(name, 'lda');
    const owners = 7;
    const parts = Array.from({ length: owners }, (_, owner) => {
      const mine = (_: unknown, n: number): boolean => (n * n + 3 * n) % owners === owner;
      return [rows.filter(mine), classes.filter(mine)] as const;
    }).filter(([mine]) => mine.length > 0);
    const pooled = parts.map(([r, c]) => sum(task, r, c)).reduce(addStatistics);
    expect(pooled).toEqual({ ...sum(task, rows, classes), owners: BigInt(parts.length) });
  });
});

describe('exactness', () => {
  it('holds at the extremes for random rows, methods and precisions', () => {
    const setup = fc.record({
      method: fc.constantFrom(...Object.values(METHODS)),
      dimension: fc.integer({ min: 1, max: 6 }),
      fractionBits: fc.integer({ min: 1, max: 20 }),
      seeds: fc.array(fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 8, maxLength: 8 }), {
        minLength: 1,
        maxLength: 40,
      }),
    });
    fc.assert(
      fc.property(setup, ({ method, dimension, fractionBits, seeds }) => {
        const task = syntheticTask(dimension, method, { fractionBits });
        // Mostly the ends of the range, where sums are largest.
        const cell = (y: number): number =>
          Math.abs(y) > 0.5 ? Math.sign(y) * 2 ** fractionBits : Math.round(y * 2 ** fractionBits) + 0;
        const rows = seeds.map((seed) => seed.slice(0, dimension).map(cell));
        const classes = seeds.map((seed) =>
          task.labellings.map((labelling, l) =>
            Math.trunc(Math.abs(seed[6 + l]!) * 0.999 * labelling.classes.length),
          ),
        );
        expect(sum(task, rows, classes)).toEqual(naiveStatistics(task, rows, classes));
      }),
    );
  });

  it('survives sums beyond 2^53', () => {
    // 20,000 odd products near 2^40 add up to far more than 2^53: doubles alone would lose their last bits.
    const task = syntheticTask(2, METHODS.pca, { fractionBits: 20 });
    const [a, b] = [2 ** 20 - 1, -(2 ** 20) + 3];
    const count = 20_001;
    const rows = Array.from({ length: count }, () => [a, b]);
    const { R, labellings } = sum(task, rows, []);
    const n = BigInt(count);
    expect(R).toEqual([n * BigInt(a) ** 2n, n * BigInt(a) * BigInt(b), n * BigInt(b) ** 2n]);
    expect(labellings).toEqual([[{ V: [n * BigInt(a), n * BigInt(b)], M: n }]]);
  });

  it('holds at every number of rows around a pass, and in between readings', () => {
    const task = syntheticTask(2, METHODS.dca);
    const accumulator = new StatisticsAccumulator(task);
    const rows: number[][] = [];
    for (let n = 1; n <= 9; n++) {
      rows.push([n, -2 * n * n]);
      accumulator.add(rows.at(-1)!, [n % 3]);
      const classes = rows.map((_, i) => [(i + 1) % 3]);
      expect(accumulator.statistics()).toEqual(naiveStatistics(task, rows, classes));
    }
    expect(accumulator.rows).toBe(9);
  });

  it('gives zeros for classes that an owner lacks', () => {
    const { labellings } = sum(syntheticTask(2, METHODS.lda), [[5, -6]], [[2]]);
    const empty = { V: [0n, 0n], M: 0n };
    expect(labellings).toEqual([[empty, empty, { V: [5n, -6n], M: 1n }]]);
  });
});

describe('what is not summed', () => {
  it('refuses no rows', () => {
    const accumulator = new StatisticsAccumulator(syntheticTask(2, METHODS.pca));
    expect(() => accumulator.statistics()).toThrow(expect.objectContaining({ code: 'ERR_NO_ROWS' }));
  });

  it('refuses one row more than the task allows and keeps the others', () => {
    const accumulator = new StatisticsAccumulator(
      syntheticTask(1, METHODS.pca, { maximumSamplesPerOwner: 2 }),
    );
    accumulator.add([1], []);
    accumulator.add([2], []);
    expect(() => accumulator.add([3], [])).toThrow(expect.objectContaining({ code: 'ERR_TOO_MANY_ROWS' }));
    expect(accumulator.statistics()).toEqual({ R: [5n], labellings: [[{ V: [3n], M: 2n }]], owners: 1n });
  });

  it.each([
    ['a fraction', [0.5, 0], [0]],
    ['a cell beyond the range', [0, 16385], [0]],
    ['a negative cell beyond the range', [-16385, 0], [0]],
    ['NaN', [Number.NaN, 0], [0]],
    ['a short row', [1], [0]],
    ['a long row', [1, 2, 3], [0]],
    ['no class', [1, 2], []],
    ['a class too many', [1, 2], [0, 0]],
    ['an unknown class', [1, 2], [3]],
    ['a negative class', [1, 2], [-1]],
  ])('refuses %s and adds nothing', (_, row, classes) => {
    const accumulator = new StatisticsAccumulator(syntheticTask(2, METHODS.dca));
    accumulator.add([1, 1], [1]);
    const before = accumulator.statistics();
    expect(() => accumulator.add(row, classes)).toThrow(RangeError);
    expect(accumulator.statistics()).toEqual(before);
  });
});

describe('the flat vector', () => {
  const methods = fc.constantFrom(...Object.values(METHODS));

  it('has R first, then V and M by labelling and class, then the owners', () => {
    const task = syntheticTask(2, METHODS.mdr, {
      labellings: [
        { column: 'u', classes: ['a', 'b'] },
        { column: 'p', classes: ['c', 'd'] },
      ],
    });
    const statistics = sum(task, [[1, 2]], [[1, 0]]);
    expect(flatten(task, statistics)).toEqual([0n, 0n, 0n, 1n, 2n, 1n, 1n, 2n, 1n, 0n, 0n, 0n, 1n]);
    expect(flatten(syntheticTask(2, METHODS.pca), sum(syntheticTask(2, METHODS.pca), [[3, -2]], []))).toEqual(
      [9n, -6n, 4n, 3n, -2n, 1n, 1n],
    );
  });

  it('reverses, and adds as statistics do', () => {
    fc.assert(
      fc.property(methods, fc.integer({ min: 1, max: 5 }), fc.bigInt(), (method, dimension, seed) => {
        const task = syntheticTask(dimension, method);
        const length = placesOf(task).length;
        const a = Array.from({ length }, (_, i) => seed * BigInt(i + 1));
        const b = Array.from({ length }, (_, i) => BigInt(i * i) - seed);
        expect(flatten(task, unflatten(task, a))).toEqual(a);
        expect(flatten(task, addStatistics(unflatten(task, a), unflatten(task, b)))).toEqual(
          a.map((value, i) => value + b[i]!),
        );
      }),
    );
  });

  it('refuses other lengths and shapes', () => {
    const task = syntheticTask(3, METHODS.dca);
    const values = new Array<bigint>(placesOf(task).length).fill(0n);
    const code = expect.objectContaining({ code: 'ERR_STATISTICS_LENGTH' });
    expect(() => unflatten(task, values.slice(1))).toThrow(code);
    expect(() => unflatten(task, [...values, 0n])).toThrow(code);
    const statistics = unflatten(task, values);
    for (const other of [
      syntheticTask(4, METHODS.dca),
      syntheticTask(3, METHODS.pca),
      syntheticTask(3, METHODS.mdr),
    ]) {
      expect(() => flatten(other, statistics)).toThrow(code);
    }
    const longer = syntheticTask(4, METHODS.dca);
    const larger = unflatten(longer, new Array<bigint>(placesOf(longer).length).fill(0n));
    expect(() => addStatistics(statistics, larger)).toThrow(RangeError);
  });
});
