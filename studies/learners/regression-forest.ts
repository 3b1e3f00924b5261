/**
 * A random forest for numbers under (ε, 0): splits by the exponential mechanism with the negative sum of squared errors, noisy counts and sums in
 * the leaves.
 *
 * Promise, and what a tree and a forest cost: private-tree.ts. Targets are moved into a public range and then taken in 2^10 steps of it.
 *
 * Proof note. With whole targets y in [0, U], U = 2^10, the squared error of a node around its mean is E = Σy² − (Σy)²/n (0 without rows). A row
 * more raises it by n/(n + 1) · (y − mean)²: at least 0, and less than U². So Δ = U², utilities are monotone, and rounding down keeps both. The
 * quotient is exact, as n² U² stays below 2^52. In its leaf a row changes the count by 1 and the sum of 2y − U by at most U: each takes half of the
 * leaf's ε.
 */
import type { RandomSource } from '@eigenveil/privacy';
import { invalid } from '@eigenveil/privacy/parts';
import { calibrateDiscreteLaplace, discreteLaplaceMechanism } from '../privacy/mechanisms/index.ts';
import {
  type Criterion,
  type FeatureRange,
  type Forest,
  type ForestShape,
  growForest,
  leavesOf,
} from './private-tree.ts';

const STEPS = 2 ** 10;
/** Of one forest. */
const MOST_ROWS = 2 ** 15;

/**
 * @param targets numbers; what lies beyond `target` counts as its nearer end
 * @returns the noisy mean where a row falls, of all trees together, within `target`
 * @throws ERR_DP_PARAMETER for targets or a shape out of range
 */
export function regressionForest(
  source: RandomSource,
  rows: readonly (readonly number[])[],
  targets: readonly number[],
  setting: ForestShape & {
    readonly ranges: readonly FeatureRange[];
    readonly target: FeatureRange;
    readonly epsilon: number;
  },
): { readonly forest: Forest; readonly predict: (row: readonly number[]) => number } {
  const { ranges, target, ...shape } = setting;
  const { least, largest } = target;
  if (!(least < largest && Number.isFinite(largest - least))) {
    throw invalid('target', 'finite, least < largest', `${least} to ${largest}`);
  }
  if (targets.length !== rows.length || !targets.every(Number.isFinite)) {
    throw invalid('targets', `${rows.length} numbers, one a row`, 'others');
  }
  if (rows.length > MOST_ROWS) throw invalid('rows', `at most ${MOST_ROWS}`, rows.length);
  const steps = targets.map((y) => {
    const share = (Math.min(largest, Math.max(least, y)) - least) / (largest - least);
    return Math.round(STEPS * share);
  });
  const forest = growForest(source, rows, ranges, squaredErrorOf(steps), shape);
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
    impurity: (sums, at) => {
      const [n, sum, squares] = [sums[at]!, sums[at + 1]!, sums[at + 2]!];
      return n === 0 ? 0 : Math.floor((n * squares - sum * sum) / n);
    },
    sensitivity: BigInt(STEPS) ** 2n,
    release: (source, sums, at, epsilon) => {
      const noisy = (value: number, sensitivity: bigint) =>
        Number(
          discreteLaplaceMechanism(source, [BigInt(value)], {
            scale: calibrateDiscreteLaplace({ sensitivity, epsilon: epsilon / 2 }),
          })[0]!,
        );
      return [noisy(sums[at]!, 1n), noisy(2 * sums[at + 1]! - STEPS * sums[at]!, BigInt(STEPS))];
    },
  };
}
