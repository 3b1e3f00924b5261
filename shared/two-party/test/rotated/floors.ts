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

type Real = readonly (readonly number[])[];

const summedUp = (...matrices: readonly Real[]): number[][] =>
  matrices[0]!.map((row, i) => row.map((_, j) => matrices.reduce((sum, matrix) => sum + matrix[i]![j]!, 0)));

const diagonal = (entries: readonly number[]): number[][] =>
  entries.map((entry, i) => entries.map((_, j) => (i === j ? entry : 0)));

/** S_B of the noised sums of one labelling. */
function noisedBetween(setting: Setting, labelling: number): number[][] {
  const { labellings } = setting.statistics;
  const before = labellings.slice(0, labelling).flat().length;
  const counts = labellings[labelling]!.map(({ M }) => Number(M));
  const sums = noisedSums(setting).slice(before, before + counts.length);
  const Q = counts.reduce((sum, count) => sum + count);
  const total = sums[0]!.map((_, i) => sums.reduce((sum, V) => sum + V[i]!, 0));
  return total.map((left, i) =>
    total.map((right, j) =>
      sums.reduce(
        (sum, V, k) => sum + (counts[k]! === 0 ? 0 : (V[i]! * V[j]!) / counts[k]!),
        -(left * right) / Q,
      ),
    ),
  );
}

/** S_W of exact sums, with the noise on R. */
function noisedWithin(setting: Setting): number[][] {
  const { task, statistics } = setting;
  const values = noisedValues(setting);
  const unit = 2 ** floorOf(task)!.fractionBits;
  const classes = statistics.labellings[0]!.filter(({ M }) => M > 0n);
  const { R } = placesOf(task);
  return symmetricMatrix(values.slice(R.from, R.to), task.features.length).map((row, i) =>
    row.map((entry, j) =>
      classes.reduce(
        (sum, { V, M }) => sum - (Number(V[i]!) * Number(V[j]!)) / Number(M) / 4 ** task.fractionBits,
        Number(entry) / unit ** 2,
      ),
    ),
  );
}

/** S_B + ρ′I, the total that stands in the place of S̄, with the floor's ridge, and that with ρI. */
export function noisedPencil(setting: Setting, ridge: number, signalRidge = 0) {
  const { task } = setting;
  const of = (value: number) => diagonal(task.features.map(() => value));
  const between = noisedBetween(setting, 0);
  const total =
    task.method.kind === 'mdr'
      ? summedUp(between, noisedBetween(setting, 1))
      : summedUp(noisedWithin(setting), between, diagonal(floorOf(task)!.ridge));
  return { A: summedUp(between, of(signalRidge)), total, B: summedUp(total, of(ridge)) };
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
