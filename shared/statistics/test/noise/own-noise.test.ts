/** What an owner finds in its rows, and the noise that it adds for it. */
import { systemRandomness } from '@eigenveil/privacy';
import type { StatisticsTask } from '@eigenveil/task';
import { expect, test } from 'vitest';
import { drawOwnNoise, RowAccumulator, statisticsOfRows } from '../../src/index.ts';

const task: StatisticsTask = {
  method: { kind: 'pca' },
  features: ['code', 'weight', 'pressure'].map((name) => ({ name, min: 0, max: 100, grain: 'cell' })),
  labellings: [],
  fractionBits: 14,
  maximumOwners: 10,
  maximumSamplesPerOwner: 1000,
  keyBits: 2048,
  statisticalSecurityBits: 40,
  exact: false,
};
/** Codes, one decimal, and digits without order. */
const rows = Array.from({ length: 80 }, (_, i) => [
  10 * (1 + ((i * 7) % 9)),
  ((i * 379) % 1000) / 10,
  100 * ((Math.sqrt(2) * (i + 1) ** 2) % 1),
]);

test('many rows tell it by some of them', () => {
  const accumulator = new RowAccumulator({ ...task, maximumSamplesPerOwner: 100_000 });
  // The first rows alone would say that all values are whole tens.
  for (let i = 0; i < 50_000; i += 1)
    accumulator.add([
      10 * (1 + (i % 9)),
      i < 4096 ? 10 * (i % 9) : ((i * 379) % 1000) / 10,
      rows[i % 80]![2]!,
    ]);
  expect(accumulator.grains()).toEqual([10, 0.1, undefined]);
});

test('60 rows or more tell how far apart values lie, of tasks that are not exact', async () => {
  const grainsOf = async (of: StatisticsTask, count: number) =>
    (
      await statisticsOfRows(of, {}, async function* () {
        yield rows.slice(0, count).map((values) => ({ values, classes: [] }));
      })
    ).grains;
  expect(await grainsOf(task, 80)).toEqual([10, 0.1, undefined]);
  expect(await grainsOf(task, 60)).toEqual([10, 0.1, undefined]);
  expect(await grainsOf(task, 59)).toBeUndefined();
  expect(await grainsOf({ ...task, exact: true }, 80)).toBeUndefined();
  const accumulator = new RowAccumulator(task);
  for (const row of rows) accumulator.add(row);
  expect(accumulator.grains()).toEqual([10, 0.1, undefined]);
});

test('noise has the deviations that are asked for, and no more than slots have room for', () => {
  const count = 4000;
  const deviations = [...new Array<number>(count).fill(300), 0];
  const noise = drawOwnNoise(task, { deviation: 1, coarser: [], deviations }, systemRandomness).map(Number);
  expect(noise.at(-1)).toBe(0);
  const variance = noise.reduce((sum, value) => sum + value ** 2, 0) / count / 300 ** 2;
  // A variance of so many normal numbers has a deviation of √(2/4000): seven of them, one of 4e11.
  expect(Math.abs(variance - 1)).toBeLessThan(7 * Math.sqrt(2 / count));
  expect(Math.max(...noise.map(Math.abs))).toBeLessThanOrEqual(8.25 * 300);
});
