/** Tasks with a floor, over made-up rows, and the noised statistics, for the clear reference. */
import type { Feature } from '@eigenveil/methods';
import { flatten, noisedStatistics, type Statistics } from '@eigenveil/statistics';
import type { StatisticsTask } from '@eigenveil/task';
import { generator } from '@eigenveil/testbed/random';
import type { Setting } from './settings.ts';

/** A grain of each kind: two values, codes, one cell; a feature of 0 does not vary. */
export const GRAINS = [2, 0.25, 'cell', 0] as const;

/** Rows of values on the grids of as many features, which depend on one another, and a task of these features. */
export function gridded(rows: number, grains: readonly (number | 'cell')[], seed: number) {
  const next = generator(seed);
  const values = Array.from({ length: rows }, () => {
    const common = next() - 0.5;
    return grains.map((grain, j) => {
      if (grain === 0) return 0;
      const value = 0.9 * Math.sin(common * (j + 2) + next());
      if (grain === 2) return value < 0.3 ? -1 : 1;
      return grain === 'cell' ? value : Math.round(value / grain) * grain;
    });
  });
  const features = grains.map(
    (grain, j): Feature => ({
      name: `f${j}`,
      min: grain === 0 ? 0 : -1,
      max: grain === 0 ? 0 : 1,
      twoValued: false,
      ...(grain !== 0 && { grain }),
    }),
  );
  return { rows: values, task: { features, exact: false, releases: 2 } satisfies Partial<StatisticsTask> };
}

/** What both servers' shares add up to: the statistics that the clear reference has to decompose. */
export function noised({ task, statistics, noise }: Setting): Statistics {
  return noisedStatistics(task, flatten(task, statistics), [noise!]);
}
