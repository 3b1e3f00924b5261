/**
 * DBSCAN with Laplace noise in its distances, as the thesis has it. **Its promise does not hold**: this file is what the attack in audits.ts is made on.
 *
 * Claimed: ε for a row. Each squared distance takes Laplace noise of scale D²/ε, D the diameter of the public range, drawn once a pair; a point with at least
 * so many noisy neighbours within the radius is core; the two core points farthest apart open the first clusters, the others by distance, each with
 * the usual expansion; the rest are outliers. (What the thesis leaves open is taken so: noise once a pair, the same for counts and expansion.)
 *
 * Why not: (1) a row is in n − 1 distances, so that their noise costs (n − 1)ε; (2) what is published is a label per row, and the label of a row is a function
 * of that row: no noise on distances keeps a row from being seen to join a cluster or leave it. With many neighbours their number has n times the signal of
 * one distance, and √n times its noise.
 */
import type { RandomSource } from '@eigenveil/privacy';
import { checkCount, checkPositive } from '@eigenveil/privacy/parts';
import { calibrateLaplace, laplaceMechanism } from '../privacy/mechanisms/additive.ts';

export const OUTLIER = -1;

/**
 * @param neighbours how many points, itself among them, make a point core
 * @param diameter the longest distance in the public range
 * @returns the cluster of each row, from 0, or OUTLIER
 * @throws ERR_DP_PARAMETER for parameters out of range
 */
export function thesisDbscan(
  source: RandomSource,
  rows: readonly (readonly number[])[],
  {
    radius,
    neighbours,
    diameter,
    epsilon,
  }: Readonly<Record<'radius' | 'neighbours' | 'diameter' | 'epsilon', number>>,
): number[] {
  checkPositive('radius', radius);
  checkCount('neighbours', neighbours, 1);
  const scale = calibrateLaplace({ sensitivity: diameter ** 2, epsilon });
  const n = rows.length;
  const squares = rows.map(() => new Float64Array(n));
  for (let i = 0; i < n; i += 1) {
    const exact = rows.slice(0, i).map((other) => squaredDistance(rows[i]!, other));
    laplaceMechanism(source, exact, { scale }).forEach((square, j) => {
      squares[i]![j] = square;
      squares[j]![i] = square;
    });
  }
  const near = squares.map((line) => [...line.keys()].filter((j) => line[j]! <= radius ** 2));
  const core = near.map((list) => list.length >= neighbours);
  return expanded(n, seedsOf(squares, core), (point) => (core[point] ? near[point]! : []));
}

/** The clusters of so many points, numbered as seeds open them: what is reached from a seed, over points that nobody had reached. */
export function expanded(
  points: number,
  seeds: readonly number[],
  reachedFrom: (point: number) => readonly number[],
): number[] {
  const labels = new Array<number>(points).fill(OUTLIER);
  let clusters = 0;
  for (const seed of seeds) {
    if (labels[seed] !== OUTLIER) continue;
    const open = [seed];
    labels[seed] = clusters;
    for (let point = open.pop(); point !== undefined; point = open.pop()) {
      for (const other of reachedFrom(point)) {
        if (labels[other] !== OUTLIER) continue;
        labels[other] = clusters;
        open.push(other);
      }
    }
    clusters += 1;
  }
  return labels;
}

/** The two core points farthest apart, then whichever is farthest from all before it. */
function seedsOf(squares: readonly Float64Array[], core: readonly boolean[]): number[] {
  const left = [...core.keys()].filter((i) => core[i]);
  if (left.length < 2) return left;
  let [first, second] = [left[0]!, left[1]!];
  for (const i of left) {
    for (const j of left) if (squares[i]![j]! > squares[first]![second]!) [first, second] = [i, j];
  }
  const seeds = [first, second];
  const rest = left.filter((i) => i !== first && i !== second);
  const least = new Map(rest.map((i) => [i, Math.min(squares[i]![first]!, squares[i]![second]!)]));
  while (least.size > 0) {
    const [next] = [...least].reduce((a, b) => (b[1] > a[1] ? b : a));
    seeds.push(next);
    least.delete(next);
    for (const [i, square] of least) least.set(i, Math.min(square, squares[i]![next]!));
  }
  return seeds;
}

function squaredDistance(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, x, i) => sum + (x - b[i]!) ** 2, 0);
}
