/**
 * DBSCAN with Laplace noise in its distances, as the thesis prints it. **Its promise does not hold**: this file is what an attack in audits.ts is made on.
 *
 * Claimed: ε for a row. Each distance takes Laplace noise of scale Δf/ε; D_core are the points with at least a given number of noisy neighbours. The farthest pair of
 * D_core opens Core(). While D_core is not empty, every point nearer than Eps to the last one chosen leaves it, and the point with the largest sum of
 * distances to Core() goes over to Core(). Each member of Core() has a cluster of its neighbours, and of theirs no more: nothing is reached over a
 * neighbour. The rest are outliers.
 *
 * The thesis leaves open, and is taken so: Δf is D, the diameter of the public range; noise is drawn once a pair, and all steps see the same noisy
 * distances; a point is a neighbour of itself; and of two clusters that claim a point, be it a member of Core(), the earlier has it.
 *
 * Why not: (1) a row is in n − 1 distances, so that their noise costs (n − 1)ε; (2) what is published is a label per row, and the label of a row is a
 * function of that row: no noise on distances keeps a row from being seen to join a cluster or leave it. The number of its neighbours has n times the
 * signal of one distance, and √n times its noise.
 */
import type { RandomSource } from '@eigenveil/privacy';
import { checkCount, checkPositive } from '@eigenveil/privacy/parts';
import { calibrateLaplace, laplaceMechanism } from '../privacy/mechanisms/additive.ts';
import { OUTLIER } from './expanded.ts';

export type Density = Readonly<Record<'radius' | 'neighbours' | 'diameter' | 'epsilon', number>>;
type Rows = readonly (readonly number[])[];

/**
 * @param neighbours how many points, itself among them, make a point core
 * @param diameter the longest distance in the public range
 * @returns the cluster of each row, the position of its member of Core(), or OUTLIER
 * @throws ERR_DP_PARAMETER for parameters out of range
 */
export function thesisDbscan(source: RandomSource, rows: Rows, setting: Density): number[] {
  const { far, near, core } = noisyNeighbourhoods(source, rows, setting, (distance) => distance);
  const labels = rows.map(() => OUTLIER);
  spreadOut(far, core, setting.radius).forEach((member, cluster) => {
    for (const point of near[member]!) if (labels[point] === OUTLIER) labels[point] = cluster;
  });
  return labels;
}

/** Between all rows, some growing function of their distance with noise; whom it has as neighbours; and which have enough of them. */
export function noisyNeighbourhoods(
  source: RandomSource,
  rows: Rows,
  { radius, neighbours, diameter, epsilon }: Density,
  measure: (distance: number) => number,
): { readonly far: readonly Float64Array[]; readonly near: readonly number[][]; readonly core: number[] } {
  checkPositive('radius', radius);
  checkCount('neighbours', neighbours, 1);
  const scale = calibrateLaplace({ sensitivity: measure(diameter), epsilon });
  const far = rows.map(() => new Float64Array(rows.length));
  rows.forEach((row, i) => {
    const exact = rows.slice(0, i).map((other) => measure(distanceOf(row, other)));
    laplaceMechanism(source, exact, { scale }).forEach((value, j) => {
      far[i]![j] = value;
      far[j]![i] = value;
    });
  });
  const near = far.map((line) => [...line.keys()].filter((j) => line[j]! <= measure(radius)));
  return { far, near, core: [...near.keys()].filter((i) => near[i]!.length >= neighbours) };
}

/** The two of these points that are farthest apart; one point alone stands for itself. */
export function farthestPair(far: readonly Float64Array[], points: readonly number[]): number[] {
  if (points.length < 2) return [...points];
  let [first, second] = [points[0]!, points[1]!];
  for (const i of points) {
    for (const j of points) if (i !== j && far[i]![j]! > far[first]![second]!) [first, second] = [i, j];
  }
  return [first, second];
}

/** Core(), in the order in which points come to it. */
function spreadOut(far: readonly Float64Array[], core: readonly number[], radius: number): number[] {
  const chosen = farthestPair(far, core);
  const sums = new Map(core.filter((i) => !chosen.includes(i)).map((i) => [i, far[i]![chosen[0]!]!]));
  while (sums.size > 0) {
    const last = chosen.at(-1)!;
    for (const [i, sum] of sums) {
      if (far[i]![last]! < radius) sums.delete(i);
      else sums.set(i, sum + far[i]![last]!);
    }
    if (sums.size === 0) break;
    const [next] = [...sums].reduce((a, b) => (b[1] > a[1] ? b : a));
    chosen.push(next);
    sums.delete(next);
  }
  return chosen;
}

function distanceOf(a: readonly number[], b: readonly number[]): number {
  return Math.sqrt(a.reduce((sum, x, i) => sum + (x - b[i]!) ** 2, 0));
}
