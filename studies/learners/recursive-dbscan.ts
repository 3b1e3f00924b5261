/**
 * DBSCAN of the thesis in a reading that expands clusters as plain DBSCAN does: what is reached over neighbours of neighbours belongs to them, too, and noise
 * lies on squared distances. It is a second reading, not what is printed (thesis-dbscan.ts), and shows what the missing recursion costs. **It keeps no ε**
 * either, for the same two reasons.
 *
 * Each squared distance takes Laplace noise of scale D²/ε, once a pair. The two core points farthest apart open the first clusters; the others follow, each
 * the one farthest from all before it.
 */
import type { RandomSource } from '@eigenveil/privacy';
import { expanded } from './expanded.ts';
import { type Density, farthestPair, noisyNeighbourhoods } from './thesis-dbscan.ts';

/**
 * @returns the cluster of each row, from 0, or OUTLIER
 * @throws as `thesisDbscan`
 */
export function recursiveDbscan(
  source: RandomSource,
  rows: readonly (readonly number[])[],
  setting: Density,
): number[] {
  const { far, near, core } = noisyNeighbourhoods(source, rows, setting, (distance) => distance ** 2);
  const isCore = new Set(core);
  return expanded(rows.length, seedsOf(far, core), (point) => (isCore.has(point) ? near[point]! : []));
}

/** The two core points farthest apart, then whichever is farthest from all before it. */
function seedsOf(squares: readonly Float64Array[], core: readonly number[]): number[] {
  const seeds = farthestPair(squares, core);
  const rest = core.filter((i) => !seeds.includes(i));
  const least = new Map(rest.map((i) => [i, Math.min(...seeds.map((seed) => squares[i]![seed]!))]));
  while (least.size > 0) {
    const [next] = [...least].reduce((a, b) => (b[1] > a[1] ? b : a));
    seeds.push(next);
    least.delete(next);
    for (const [i, square] of least) least.set(i, Math.min(square, squares[i]![next]!));
  }
  return seeds;
}
