/** Tasks with a floor, over made-up rows, and what is to come of the noised statistics in the clear. */
import { symmetricEigen } from '@eigenveil/projection';
import { flatten } from '@eigenveil/statistics';
import { computedValues, type Feature, floorOf, placesOf, type StatisticsTask } from '@eigenveil/task';
import { type Matrix, symmetricMatrix } from '../../src/rotated/matrices.ts';
import { numbers, type Setting } from './settings.ts';

/** A grain of each kind: two values, codes, one cell; a feature of 0 does not vary. */
export const GRAINS = [2, 0.25, 'cell', 0] as const;

/** Rows of values on the grids of as many features, which depend on one another, and a task of these features. */
export function gridded(rows: number, grains: readonly (number | 'cell')[], seed: number) {
  const next = numbers(seed);
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
      ...(grain !== 0 && { grain }),
    }),
  );
  return { rows: values, task: { features, exact: false, releases: 2 } satisfies Partial<StatisticsTask> };
}

/** What both servers' shares add up to. */
export function noisedValues({ task, statistics, noise }: Setting): bigint[] {
  return computedValues(task, flatten(task, statistics)).map((value, v) => value + noise![v]!);
}

/** The noised sums of rows by class, in [−1, 1]. */
export function noisedSums(setting: Setting): number[][] {
  const { task } = setting;
  const d = task.features.length;
  const sums = noisedValues(setting).slice(placesOf(task).length);
  return Array.from({ length: sums.length / d }, (_, k) =>
    sums.slice(k * d, (k + 1) * d).map((sum) => Number(sum) * 2 ** -floorOf(task)!.sumFractionBits),
  );
}

/** T' = Q·R' − V Vᵀ of a PCA. */
export function noisedScatter(setting: Setting): Matrix {
  const { task } = setting;
  const values = noisedValues(setting);
  const { R, labellings } = placesOf(task);
  const { V: span, M } = labellings[0]![0]!;
  const V = values.slice(span.from, span.to);
  return symmetricMatrix(values.slice(R.from, R.to), V.length).map((row, i) =>
    row.map((entry, j) => values[M.from]! * entry - V[i]! * V[j]!),
  );
}

/** Its eigenpairs, in units of S̄. */
export function noisedPairs(setting: Setting) {
  const unit = Number(setting.statistics.labellings[0]![0]!.M) * 4 ** floorOf(setting.task)!.fractionBits;
  return symmetricEigen(noisedScatter(setting).map((row) => row.map((entry) => Number(entry) / unit)));
}
