/**
 * A random forest for classes under (ε, 0): splits by the exponential mechanism with the negative Gini index, noisy class counts in the leaves
 * (after Friedman and Schuster, "Data mining with differential privacy", 2010).
 *
 * Promise, and what a tree and a forest cost: private-tree.ts. What is left to show is the sensitivity.
 *
 * Proof note. The Gini index of a node of n rows, n_c of class c, weighed by its rows, is G = n − S/n with S = Σ n_c² (0 without rows). A row of
 * class c more changes it by 1 − (2n·n_c + n − S)/(n(n + 1)).
 * - It never falls: S >= n_c² gives 2n·n_c − S <= n², hence the fraction is at most 1.
 * - It rises by less than 2: S <= n² and n_c >= 0 give at most 1 + (n − 1)/(n + 1) = 2n/(n + 1). So Δ = 2, and utilities are monotone.
 * G is taken in steps of 2^-10, rounded down: of two numbers at most Δ apart, in order, so are their integer parts. The quotient is exact, as
 * 2^10 · n² stays below 2^52. Class counts change by one in one leaf: discrete Laplace noise of sensitivity 1.
 */
import type { RandomSource } from '@eigenveil/privacy';
import { checkCount, invalid } from '@eigenveil/privacy/parts';
import { calibrateDiscreteLaplace, discreteLaplaceMechanism } from '../privacy/mechanisms/index.ts';
import {
  type Criterion,
  type FeatureRange,
  type Forest,
  type ForestShape,
  growForest,
  leavesOf,
} from './private-tree.ts';

const GINI_UNIT = 2 ** 10;
/** Of one forest. */
const MOST_ROWS = 2 ** 20;

/**
 * @param labels class indices from 0, below `classes`, which is public
 * @returns the most frequent class where a row falls, by the noisy counts of all trees together
 * @throws ERR_DP_PARAMETER for labels or a shape out of range
 */
export function classificationForest(
  source: RandomSource,
  rows: readonly (readonly number[])[],
  labels: readonly number[],
  setting: ForestShape & {
    readonly ranges: readonly FeatureRange[];
    readonly classes: number;
    readonly epsilon: number;
  },
): { readonly forest: Forest; readonly predict: (row: readonly number[]) => number } {
  const { ranges, classes, ...shape } = setting;
  checkCount('classes', classes, 2);
  checkLabels(labels, rows.length, classes);
  const forest = growForest(source, rows, ranges, giniOf(labels, classes), shape);
  return { forest, predict: (row) => largestAt(leavesOf(forest, row)) };
}

/** The index of the first of the largest values. */
export function largestAt(values: readonly number[]): number {
  return values.reduce((best, value, i) => (value > values[best]! ? i : best), 0);
}

export function giniOf(labels: readonly number[], classes: number): Criterion {
  return {
    width: classes,
    add: (sums, at, row) => {
      sums[at + labels[row]!]! += 1;
    },
    impurity: (sums, at) => {
      let [n, squares] = [0, 0];
      for (let i = at; i < at + classes; i += 1) {
        n += sums[i]!;
        squares += sums[i]! ** 2;
      }
      return n === 0 ? 0 : Math.floor((GINI_UNIT * (n * n - squares)) / n);
    },
    sensitivity: BigInt(2 * GINI_UNIT),
    release: (source, sums, at, epsilon) =>
      discreteLaplaceMechanism(source, [...sums.subarray(at, at + classes)].map(BigInt), {
        scale: calibrateDiscreteLaplace({ sensitivity: 1n, epsilon }),
      }).map(Number),
  };
}

function checkLabels(labels: readonly number[], rows: number, classes: number): void {
  if (labels.length !== rows) throw invalid('labels', `${rows}, one a row`, labels.length);
  if (rows > MOST_ROWS) throw invalid('rows', `at most ${MOST_ROWS}`, rows);
  if (!labels.every((label) => Number.isInteger(label) && label >= 0 && label < classes)) {
    throw invalid('labels', `classes from 0 to ${classes - 1}`, 'another');
  }
}
