/**
 * Gradient-boosted regression trees in the clear: second order and regularised, with XGBoost's objective (Chen and Guestrin, "XGBoost: a scalable tree
 * boosting system", 2016). No promise: what sample-and-aggregate.ts takes as its learner.
 *
 * With squared loss ½(y − ŷ)² a row has gradient g = ŷ − y and curvature h = 1. A leaf with sums G and H takes −G/(H + λ); a split gains
 * ½(G_L²/(H_L + λ) + G_R²/(H_R + λ) − G²/(H + λ)) − γ and is made where that is positive. Splits are exact: between any two values.
 */
import { checkCount, checkPositive, checkScale } from '@eigenveil/privacy/parts';

export interface Boosting {
  readonly rounds: number;
  readonly depth: number;
  /** η, the share of a tree that counts. */
  readonly learningRate: number;
  /** λ >= 0, on the squares of leaves. */
  readonly lambda: number;
  /** γ >= 0, what a split must gain. */
  readonly gamma: number;
}

type Node =
  | { readonly weight: number }
  | { readonly feature: number; readonly threshold: number; readonly left: Node; readonly right: Node };

/**
 * @returns what it predicts of a row; the mean of the targets is where it starts
 * @throws ERR_DP_PARAMETER for a setting out of range
 */
export function boostedTrees(
  rows: readonly (readonly number[])[],
  targets: readonly number[],
  { rounds, learningRate, ...setting }: Boosting,
): (row: readonly number[]) => number {
  checkCount('rounds', rounds, 1);
  checkCount('depth', setting.depth, 0);
  checkCount('rows', rows.length, 1);
  checkPositive('learningRate', learningRate);
  checkScale('lambda', setting.lambda);
  checkScale('gamma', setting.gamma);
  const base = targets.reduce((sum, y) => sum + y, 0) / targets.length;
  const predicted = targets.map(() => base);
  const features = rows[0]!.length;
  const orders = Array.from({ length: features }, (_, f) =>
    [...rows.keys()].sort((a, b) => rows[a]![f]! - rows[b]![f]!),
  );
  const trees = Array.from({ length: rounds }, () => {
    const gradients = predicted.map((value, i) => value - targets[i]!);
    const tree = grow(rows, gradients, orders, setting, setting.depth);
    for (let i = 0; i < rows.length; i += 1) predicted[i]! += learningRate * weightOf(tree, rows[i]!);
    return tree;
  });
  return (row) => trees.reduce((sum, tree) => sum + learningRate * weightOf(tree, row), base);
}

/** @param orders the rows of the node, by each feature */
function grow(
  rows: readonly (readonly number[])[],
  gradients: readonly number[],
  orders: readonly (readonly number[])[],
  setting: Pick<Boosting, 'lambda' | 'gamma'>,
  depth: number,
): Node {
  const { lambda, gamma } = setting;
  const H = orders[0]!.length;
  const G = orders[0]!.reduce((sum, row) => sum + gradients[row]!, 0);
  const score = (g: number, h: number) => (g * g) / (h + lambda);
  let best = { gain: 0, feature: -1, threshold: 0 };
  for (let feature = 0; feature < orders.length && depth > 0; feature += 1) {
    const order = orders[feature]!;
    let left = 0;
    for (let i = 0; i + 1 < H; i += 1) {
      left += gradients[order[i]!]!;
      const [here, next] = [rows[order[i]!]![feature]!, rows[order[i + 1]!]![feature]!];
      if (here === next) continue;
      const gain = (score(left, i + 1) + score(G - left, H - i - 1) - score(G, H)) / 2 - gamma;
      if (gain > best.gain) best = { gain, feature, threshold: (here + next) / 2 };
    }
  }
  const { feature, threshold } = best;
  if (feature < 0) return { weight: -G / (H + lambda) };
  const side = (wanted: boolean) =>
    grow(
      rows,
      gradients,
      orders.map((order) => order.filter((row) => rows[row]![feature]! < threshold === wanted)),
      setting,
      depth - 1,
    );
  return { feature, threshold, left: side(true), right: side(false) };
}

function weightOf(tree: Node, row: readonly number[]): number {
  let node = tree;
  while ('feature' in node) node = row[node.feature]! < node.threshold ? node.left : node.right;
  return node.weight;
}
