/**
 * Random forests under (ε, 0), for classes and for numbers: splits by the exponential mechanism with the negative Gini index (after Friedman and Schuster,
 * "Data mining with differential privacy", 2010) or sum of squared errors, noisy counts and sums in the leaves.
 *
 * Promise, and what a tree and a forest cost: private-tree.ts. What is left to show are the sensitivities.
 *
 * Proof note. The Gini index of a node of n rows, n_c of class c, weighed by its rows, is G = n − S/n with S = Σ n_c² (0 without rows). A row of
 * class c more changes it by 1 − (2n·n_c + n − S)/(n(n + 1)).
 * - It never falls: S >= n_c² gives 2n·n_c − S <= n², hence the fraction is at most 1.
 * - It rises by less than 2: S <= n² and n_c >= 0 give at most 1 + (n − 1)/(n + 1) = 2n/(n + 1). So Δ = 2, and utilities are monotone.
 * G is taken in steps of 2^-10, rounded down: of two numbers at most Δ apart, in order, so are their integer parts. The quotient is exact, as
 * 2^10 · n² stays below 2^52. Class counts change by one in one leaf: discrete Laplace noise of sensitivity 1.
 *
 * Numbers are moved into a public range and then taken in 2^10 steps of it. With whole targets y in [0, U], U = 2^10, the squared error of a node around its
 * mean is E = Σy² − (Σy)²/n (0 without rows). A row more raises it by n/(n + 1) · (y − mean)²: at least 0, and less than U². So Δ = U², utilities are
 * monotone, and rounding down keeps both. The quotient is exact, as n² U² stays below 2^52. In its leaf a row changes the count by 1 and the sum of
 * 2y − U by at most U: each takes half of the leaf's ε.
 */
import type { RandomSource } from '@eigenveil/privacy';
import { checkCount, invalid } from '@eigenveil/privacy/parts';
import { discreteLaplaceMechanism } from '../privacy/mechanisms/additive.ts';
import {
  type Criterion,
  type FeatureRange,
  type Forest,
  type ForestSetting,
  growForest,
  leavesOf,
} from './private-tree.ts';

const GINI_UNIT = 2 ** 10;
const STEPS = 2 ** 10;
/** Rows of one forest of classes, and of numbers. */
const MOST_ROWS = { classes: 2 ** 20, numbers: 2 ** 15 };

interface Learnt {
  readonly forest: Forest;
  readonly predict: (row: readonly number[]) => number;
}

/**
 * @param labels class indices from 0, below `classes`, which is public
 * @returns the most frequent class where a row falls, by the noisy counts of all trees together
 * @throws ERR_DP_PARAMETER for labels or a shape out of range
 */
export function classificationForest(
  source: RandomSource,
  rows: readonly (readonly number[])[],
  labels: readonly number[],
  { classes, ...setting }: ForestSetting & { readonly classes: number },
): Learnt {
  checkCount('classes', classes, 2);
  if (labels.length !== rows.length) throw invalid('labels', `${rows.length}, one a row`, labels.length);
  checkRows(rows.length, MOST_ROWS.classes);
  if (!labels.every((label) => Number.isInteger(label) && label >= 0 && label < classes)) {
    throw invalid('labels', `classes from 0 to ${classes - 1}`, 'another');
  }
  const forest = growForest(source, rows, giniOf(labels, classes), setting);
  return { forest, predict: (row) => largestAt(leavesOf(forest, row)) };
}

/** The index of the first of the largest values. */
export const largestAt = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((best, value, i) => (value > values[best]! ? i : best), 0);

export function giniOf(labels: readonly number[], classes: number): Criterion {
  return {
    width: classes,
    add: (sums, at, row) => {
      sums[at + labels[row]!]! += 1;
    },
    impurity: (counts) => {
      const n = counts.reduce((sum, count) => sum + count, 0);
      const squares = counts.reduce((sum, count) => sum + count ** 2, 0);
      return n === 0 ? 0 : Math.floor((GINI_UNIT * (n * n - squares)) / n);
    },
    sensitivity: BigInt(2 * GINI_UNIT),
    release: (source, counts, epsilon) =>
      discreteLaplaceMechanism(source, [...counts], { sensitivity: 1n, epsilon }),
  };
}

/**
 * @param targets numbers; what lies beyond `target` counts as its nearer end
 * @returns the noisy mean where a row falls, of all trees together, within `target`
 * @throws ERR_DP_PARAMETER for targets or a shape out of range
 */
export function regressionForest(
  source: RandomSource,
  rows: readonly (readonly number[])[],
  targets: readonly number[],
  { target, ...setting }: ForestSetting & { readonly target: FeatureRange },
): Learnt {
  const { least, largest } = target;
  if (!(least < largest && Number.isFinite(largest - least))) {
    throw invalid('target', 'finite, least < largest', `${least} to ${largest}`);
  }
  if (targets.length !== rows.length || !targets.every(Number.isFinite)) {
    throw invalid('targets', `${rows.length} numbers, one a row`, 'others');
  }
  checkRows(rows.length, MOST_ROWS.numbers);
  const steps = targets.map((y) => {
    const share = (Math.min(largest, Math.max(least, y)) - least) / (largest - least);
    return Math.round(STEPS * share);
  });
  const forest = growForest(source, rows, squaredErrorOf(steps), setting);
  return {
    forest,
    predict: (row) => {
      const [count, sum] = leavesOf(forest, row) as [number, number];
      // Without rows to speak of: the middle of the range.
      const share = 1 / 2 + sum / Math.max(1, count) / (2 * STEPS);
      return least + (largest - least) * Math.min(1, Math.max(0, share));
    },
  };
}

/** Sums of 1, y and y². */
export function squaredErrorOf(steps: readonly number[]): Criterion {
  return {
    width: 3,
    add: (sums, at, row) => {
      const y = steps[row]!;
      sums[at]! += 1;
      sums[at + 1]! += y;
      sums[at + 2]! += y * y;
    },
    impurity: ([n, sum, squares]) => (n === 0 ? 0 : Math.floor((n! * squares! - sum! * sum!) / n!)),
    sensitivity: BigInt(STEPS) ** 2n,
    release: (source, [n, sum], epsilon) => {
      const noisy = (value: number, sensitivity: bigint) =>
        discreteLaplaceMechanism(source, [value], { sensitivity, epsilon: epsilon / 2 });
      return [...noisy(n!, 1n), ...noisy(2 * sum! - STEPS * n!, BigInt(STEPS))];
    },
  };
}

function checkRows(rows: number, most: number): void {
  if (rows > most) throw invalid('rows', `at most ${most}`, rows);
}
