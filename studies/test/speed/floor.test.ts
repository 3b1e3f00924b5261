/** What the floor is measured to cost, and to hide. */
import { decompose, totalScatter, varianceCaptured } from '@eigenveil/projection';
import { programOf } from '@eigenveil/task';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { expect, test } from 'vitest';
import { attackRuns } from '../../speed/floor/attack.ts';
import { floorCost, statisticsOf, toldWith } from '../../speed/floor/measure.ts';
import { readSet, taskOf, withHeldOut } from '../../speed/floor/sets.ts';

async function rare(rows: number) {
  const read = await readSet({ kind: 'made up', rows, features: 20, held: [0.05, 0.05] });
  const task = taskOf(read, 'pca');
  return { read, task, statistics: statisticsOf(task, read) };
}

test('the floor costs few rows of rare features more than many, and results for more releases', async () => {
  const few = await rare(200);
  const many = await rare(4000);
  const [ofFew, ofMany] = [few, many].map(({ task, statistics }) => floorCost(task, statistics, 'draws'));
  const lost = ({ exact, floor }: { exact: number; floor: number }) => exact - floor;
  expect(lost(ofFew!)).toBeGreaterThan(0.01);
  expect(lost(ofMany!)).toBeGreaterThan(0);
  expect(lost(ofMany!)).toBeLessThan(lost(ofFew!) / 5);
  const longer = floorCost({ ...many.task, releases: 50 }, many.statistics, 'draws');
  expect(longer.eigenvalue).toBeGreaterThan(2 * ofMany!.eigenvalue);
  expect(longer.exact).toBe(ofMany!.exact);
  const told = decompose({ ...programOf({ ...few.task, exact: true }), minimumOwners: 1 }, few.statistics);
  expect(ofFew!.exact).toBe(
    varianceCaptured(told.vectors, totalScatter(few.statistics, few.task.fractionBits)),
  );
});

test('labels of held-out rows are told from reduced rows, and no row is in both parts', async () => {
  const iris = await readSet({ kind: 'bundled', name: 'iris' });
  expect(iris.test).toEqual([]);
  const split = withHeldOut(iris, 'iris');
  expect([split.rows.length, split.test.length]).toEqual([120, 30]);
  expect(new Set([...split.rows, ...split.test])).toEqual(new Set(iris.rows));
  const { told, toldFloor } = await toldWith(split, 'lda', 1, 'iris');
  expect(told).toBeGreaterThan(0.9);
  expect(toldFloor).toBeCloseTo(told, 1);
  const mixed = {
    ...split,
    rows: split.rows.map((row, i) => ({ ...row, classes: split.rows[(i + 41) % 120]!.classes })),
  };
  expect((await toldWith(mixed, 'lda', 1, 'iris')).told).toBeLessThan(0.7);
});

test('lattice reduction finds all of an exact result, and with the floor no more than rounding', async () => {
  const records = await attackRuns({ features: 6, components: 2, rows: 60 }, 4);
  const of = (arm: string, column: string) =>
    mean(records.filter((record) => record.arm === arm).map((record) => Number(record[column])));
  expect(of('exact', 'found')).toBe(1);
  expect(of('exact', 'rounding')).toBeLessThan(0.7);
  expect(of('floor', 'found')).toBeLessThan(of('floor', 'rounding') + 0.15);
});
