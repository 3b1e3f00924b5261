/**
 * Clusters by density over a public grid: DBSCAN whose promise holds.
 *
 * Promise: (ε, 0) for a row that is added or removed. What is released is a map from places to clusters, not a label of each row: whoever has a row
 * looks up its cluster.
 *
 * Proof note. Cells are equal parts of public ranges. A row is in one cell and changes its count by 1: discrete Laplace noise of sensitivity 1 on **every**
 * cell, empty ones as well, makes all counts (ε, 0)-private; cells without noise would tell where no row is. The rest is post-processing: a cell with at
 * least so many rows by its noisy count is core, core cells that touch, corners included, are one cluster.
 */
import type { RandomSource } from '@eigenveil/privacy';
import { checkCount, invalid } from '@eigenveil/privacy/parts';
import { discreteLaplaceMechanism } from '../privacy/mechanisms/additive.ts';
import { expanded } from './expanded.ts';
import type { FeatureRange } from './private-tree.ts';

const MOST_CELLS = 2 ** 20;

/**
 * @param cells of each range; cells in all at most 2^20
 * @param atLeast rows of a core cell
 * @returns the noisy counts, cell by cell, and the cluster of a place, from 0, or OUTLIER
 * @throws ERR_DP_PARAMETER for parameters out of range
 */
export function gridDbscan(
  source: RandomSource,
  rows: readonly (readonly number[])[],
  setting: {
    readonly ranges: readonly FeatureRange[];
    readonly cells: number;
    readonly atLeast: number;
    readonly epsilon: number;
  },
): { readonly counts: readonly number[]; readonly clusterOf: (row: readonly number[]) => number } {
  const { ranges, cells, atLeast, epsilon } = setting;
  checkCount('cells', cells, 1);
  checkCount('atLeast', atLeast, 1);
  const all = cells ** ranges.length;
  if (all > MOST_CELLS) throw invalid('cells', `at most ${MOST_CELLS} in all`, all);
  const cellOf = (row: readonly number[]) =>
    ranges.reduce((at, { least, largest }, i) => {
      const share = (row[i]! - least) / (largest - least);
      return at * cells + Math.min(cells - 1, Math.max(0, Math.floor(share * cells)));
    }, 0);
  const exact = new Array<number>(all).fill(0);
  for (const row of rows) exact[cellOf(row)]! += 1;
  const counts = discreteLaplaceMechanism(source, exact, { sensitivity: 1n, epsilon });
  const isCore = (cell: number) => counts[cell]! >= atLeast;
  const clusters = expanded(all, [...counts.keys()].filter(isCore), (cell) =>
    around(cell, cells, ranges.length).filter(isCore),
  );
  return { counts, clusterOf: (row) => clusters[cellOf(row)]! };
}

/** The cells that touch one, and itself. */
function around(cell: number, cells: number, dimensions: number): number[] {
  let found = [0];
  for (let i = 0, rest = cell, unit = 1; i < dimensions; i += 1, unit *= cells) {
    const here = rest % cells;
    rest = Math.floor(rest / cells);
    const steps = [here - 1, here, here + 1].filter((at) => at >= 0 && at < cells);
    found = found.flatMap((at) => steps.map((step) => at + step * unit));
  }
  return found;
}
