/** Sums of a sketch are X ᵀ(XΩ) to the bit, however many rows and however large, and signs are those of the task. */
import { sha256, utf8 } from '@eigenveil/platform';
import { type StatisticsTask, statisticsBounds } from '@eigenveil/task';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addStatistics, flatten, StatisticsAccumulator, sketchMatrix, unflatten } from '../src/index.ts';
import { METHODS, syntheticTask } from './datasets.ts';

const SEED = sha256(utf8('a test'));

const sketched = (dimension: number, columns: number, overrides: Partial<StatisticsTask> = {}) =>
  syntheticTask(dimension, METHODS.pca, { sketch: { columns }, ...overrides });

const REFINE = 'r'.repeat(43);
const signsOf = (d: number, columns: number) => sketchMatrix(SEED, sketched(d, columns));

function sum(task: StatisticsTask, signs: Int32Array, rows: readonly (readonly number[])[]) {
  const accumulator = new StatisticsAccumulator(task, signs);
  for (const row of rows) accumulator.add(row, []);
  return accumulator.statistics();
}

/** By its definition, one integer at a time. */
function naive(signs: Int32Array, columns: number, rows: readonly (readonly number[])[]): bigint[] {
  const d = rows[0]!.length;
  const Y = new Array<bigint>(d * columns).fill(0n);
  for (const row of rows)
    for (let c = 0; c < columns; c += 1) {
      const z = row.reduce((total, cell, i) => total + BigInt(cell) * BigInt(signs[i * columns + c]!), 0n);
      for (let i = 0; i < d; i += 1) Y[i * columns + c]! += BigInt(row[i]!) * z;
    }
  return Y;
}

describe('a sketch', () => {
  it('is exact at the extremes, for random rows and precisions', () => {
    const setup = fc.record({
      dimension: fc.integer({ min: 1, max: 7 }),
      columns: fc.integer({ min: 3, max: 5 }),
      fractionBits: fc.integer({ min: 1, max: 20 }),
      seeds: fc.array(fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 7, maxLength: 7 }), {
        minLength: 1,
        maxLength: 20,
      }),
    });
    fc.assert(
      fc.property(setup, ({ dimension, columns, fractionBits, seeds }) => {
        const signs = signsOf(dimension, columns);
        const cell = (y: number) =>
          Math.abs(y) > 0.5 ? Math.sign(y) * 2 ** fractionBits : Math.round(y * 2 ** fractionBits) + 0;
        const rows = seeds.map((seed) => seed.slice(0, dimension).map(cell));
        const { R, Y, labellings } = sum(sketched(dimension, columns, { fractionBits }), signs, rows);
        expect(R).toEqual([]);
        expect(Y).toEqual(naive(signs, columns, rows));
        expect(labellings[0]![0]!.M).toBe(BigInt(rows.length));
      }),
    );
  });

  it('is exact where each product has as many bits as a task allows', () => {
    // Cells at the ends with the signs of a column: 2^20 · 1024 · 2^20 = 2^50 for each row, of which 4 are added before they carry.
    const task = sketched(1024, 3, { fractionBits: 20, maximumSamplesPerOwner: 100 });
    const signs = signsOf(1024, 3);
    const row = Array.from({ length: 1024 }, (_, i) => signs[3 * i + 1]! * 2 ** 20);
    row[0] = signs[1]! * (2 ** 20 - 1); // so that there is an odd product, which shows when a last bit is lost
    const rows = Array.from({ length: 21 }, () => row);
    expect(sum(task, signs, rows).Y).toEqual(naive(signs, 3, rows));
    const longer = { ...task, features: [...task.features, { name: 'one more', min: 0, max: 1 }] };
    expect(() => new StatisticsAccumulator(longer, signsOf(1025, 3))).toThrow(
      '"fractionBits" expected at most 19 for a sketch of 1025 features',
    );
  });

  it('that refines a result is exact where each product has as many bits as a task allows, and has room for it', () => {
    // A vector of equal entries has the largest sums: cells at the ends, times 256 each; with 1,020 features 257 · 1,020 · 2^32 is just below 2^50.
    const d = 1020;
    const sketch = { columns: 3, refine: REFINE };
    const task = sketched(d, 3, { sketch, fractionBits: 16, maximumSamplesPerOwner: 100 });
    const vector = Array.from({ length: d }, (_, i) => (i % 3 === 0 ? -1 : 1) / Math.sqrt(d));
    const matrix = sketchMatrix(SEED, task, [vector]);
    const row = vector.map((entry) => Math.sign(entry) * 2 ** 16);
    row[0] = -(2 ** 16 - 1); // so that there is an odd product, which shows when a last bit is lost
    const rows = Array.from({ length: 23 }, () => row);
    const { Y } = sum(task, matrix, rows);
    expect(Y).toEqual(naive(matrix, 3, rows));
    const largest = Y!.reduce((most, value) => (value > most ? value : most), 0n);
    expect(largest).toBe(23n * 2n ** 16n * (256n * (1020n * 2n ** 16n - 1n)));
    expect(largest).toBeLessThanOrEqual(
      statisticsBounds({ ...task, maximumOwners: 1, maximumSamplesPerOwner: 23 }).Y,
    );
    expect(() => new StatisticsAccumulator({ ...task, fractionBits: 17 }, matrix)).toThrow(
      '"fractionBits" expected at most 16 for a sketch of 1020 features that refines an earlier result',
    );
  });

  it('adds up over owners, and comes back from its places', () => {
    const task = sketched(5, 3);
    const signs = signsOf(5, 3);
    const rows = [
      [1, -2, 3, 4, 5],
      [0, 7, -9, 16_384, 2],
      [8, 8, 8, 8, -16_384],
    ];
    const [one, other] = [sum(task, signs, rows.slice(0, 1)), sum(task, signs, rows.slice(1))];
    const all = addStatistics(one, other);
    expect(all).toEqual({ ...sum(task, signs, rows), owners: 2n });
    expect(flatten(task, all)).toEqual([...all.Y!, ...all.labellings[0]![0]!.V, 3n, 2n]);
    expect(unflatten(task, flatten(task, all))).toEqual(all);
    expect(() => flatten(syntheticTask(5, METHODS.pca), all)).toThrow('the shape of the task');
  });

  it('takes no signs but those of the task', () => {
    const task = sketched(5, 3);
    const longer = signsOf(5, 3).fill(2);
    for (const signs of [undefined, signsOf(5, 4), new Int32Array(15), longer])
      expect(() => new StatisticsAccumulator(task, signs)).toThrow('"signs" expected 5 × 3');
  });
});
