/** Rows by bins: every row is counted once per feature, wherever its cell lies and whatever it holds. */
import { type StatisticsTask, TaskProposal } from '@eigenveil/task';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addStatistics, flatten, RowAccumulator, statisticsOfCsv, unflatten } from '../../src/index.ts';

const taskOf = (features: readonly object[], height = 2): StatisticsTask =>
  TaskProposal.parse({
    method: { kind: 'histogram', height, strategy: 'privelet' },
    features,
    components: 0,
    twoParty: 'linear',
    minimumOwners: 2,
    maximumOwners: 3,
    maximumSamplesPerOwner: 50,
    differentialPrivacy: {
      epsilon: 1,
      delta: 1e-6,
      neighbours: 'add-remove',
      clippingNorm: null,
      dataIndependentRanges: true,
    },
    deadline: '2031-01-01T00:00:00Z',
  });
const domain = { min: 0, max: 4 };
const task = taskOf([{ name: 'a', ...domain }]);

const countsOf = (of: StatisticsTask, rows: readonly (readonly number[])[]) => {
  const accumulator = new RowAccumulator(of);
  for (const row of rows) accumulator.add(row);
  return { counts: accumulator.statistics().counts!.map(Number), clipped: accumulator.clippedCells };
};

test('a bin has its lower edge, the last one both; what lies beyond is in the first or last, what is no number apart', () => {
  const cells = [0, 0.999, 1, 2, 3, 4, -7, 4.001, Number.NaN, Infinity];
  expect(
    countsOf(
      task,
      cells.map((x) => [x]),
    ),
  ).toEqual({ counts: [3, 1, 1, 3, 2], clipped: [2] });
});

test('logarithmic bins', () => {
  const logarithmic = taskOf([{ name: 'a', min: -9, max: 9, logarithmic: 3 }]);
  // Edges −9, −3, 0, 3, 9.
  expect(countsOf(logarithmic, [[-10], [-3.1], [-3], [-1e-9], [0], [2.9], [3], [9], [1e9]]).counts).toEqual([
    2, 2, 2, 3, 0,
  ]);
});

test('features that share a histogram add up in it', () => {
  const shared = taskOf(['x', 'y'].map((name) => ({ name, ...domain, histogram: 'both' })));
  expect(
    countsOf(shared, [
      [0, 3],
      [1, Number.NaN],
    ]).counts,
  ).toEqual([1, 1, 0, 1, 1]);
});

test('every row is counted once per feature, by the bin that a search through all edges finds', () => {
  const two = taskOf(
    ['x', 'y'].map((name) => ({ name, min: -1, max: 1 })),
    4,
  );
  const cell = fc.oneof(fc.double({ min: -1.2, max: 1.2, noNaN: true }), fc.constant(Number.NaN));
  const rows = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(rows, (all) => {
      const { counts } = countsOf(two, all);
      for (const feature of [0, 1]) {
        const expected = new Array<number>(17).fill(0);
        for (const row of all) {
          const x = row[feature]!;
          let bin = 0;
          while (bin < 15 && x >= -1 + (bin + 1) / 8) bin += 1;
          expected[Number.isNaN(x) ? 16 : bin]! += 1;
        }
        expect(counts.slice(17 * feature, 17 * (feature + 1))).toEqual(expected);
      }
    }),
  );
});

test('a file: cells that are missing, or no number, are counted as such, and not refused', async () => {
  const file = [Buffer.from('a,id\n1,p\n,q\nx,r\nNA,s\n3.5,t\n')];
  async function* bytes() {
    yield* file;
  }
  const options = { ignoredColumns: ['id'], countUnreadable: true };
  const { statistics, rows, unreadableCells } = await statisticsOfCsv(bytes(), task, options);
  expect(unreadableCells).toEqual([3]);
  expect({ counts: statistics.counts, rows }).toEqual({ counts: [0n, 1n, 0n, 1n, 3n], rows: 5 });
  const skipping = await statisticsOfCsv(bytes(), task, { ...options, missing: 'skip' });
  expect(skipping.statistics.counts).toEqual([0n, 1n, 0n, 1n, 1n]);
  expect(skipping.skippedRows).toBe(2);
});

test('counts have one flat order, and those of owners add up', () => {
  const { counts: one } = countsOf(task, [[0]]);
  const statistics = { R: [], counts: one.map(BigInt), labellings: [], owners: 1n };
  const both = addStatistics(statistics, statistics);
  expect(flatten(task, both)).toEqual([2n, 0n, 0n, 0n, 0n, 2n]);
  expect(unflatten(task, flatten(task, both))).toEqual(both);
  expect(() => flatten(task, { ...both, counts: [1n] })).toThrow(
    expect.objectContaining({ code: 'ERR_STATISTICS_LENGTH' }),
  );
});

test('more rows than an owner may have, and none, are refused', () => {
  const accumulator = new RowAccumulator(task);
  expect(() => accumulator.statistics()).toThrow(expect.objectContaining({ code: 'ERR_NO_ROWS' }));
  for (let i = 0; i < 50; i += 1) accumulator.add([1]);
  expect(() => accumulator.add([1])).toThrow(expect.objectContaining({ code: 'ERR_TOO_MANY_ROWS' }));
  expect(() => new RowAccumulator(task).add([1, 2])).toThrow(RangeError);
});
