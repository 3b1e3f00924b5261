/** What the floor is measured to cost. */
import { decompose, totalScatter, varianceCaptured } from '@eigenveil/projection';
import { programOf } from '@eigenveil/task';
import { expect, test } from 'vitest';
import { floorCost } from '../../speed/floor/measure.ts';
import { summed } from '../../speed/floor/sets.ts';

const rare = (rows: number) => ({ kind: 'made up', rows, held: [0.05, 0.05] }) as const;

test('the floor costs few rows of rare features more than many, and results for more releases', async () => {
  const few = await summed(rare(200), 'pca');
  const many = await summed(rare(4000), 'pca');
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
