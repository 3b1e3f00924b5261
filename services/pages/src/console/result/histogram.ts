/** Groups bins of a histogram until a drawing has room for them. */

/** The most bars of a drawing: a power of two, as the number of bins is. */
const MOST_DRAWN = 64;

export interface DrawnBins {
  readonly from: number;
  readonly to: number;
  readonly rows: number;
}

/**
 * @param edges one more than counts, ascending
 * @param counts of 2^h bins
 */
export function drawnBins(edges: readonly number[], counts: readonly number[]): DrawnBins[] {
  const each = Math.max(1, counts.length / MOST_DRAWN);
  return Array.from({ length: counts.length / each }, (_, i) => ({
    from: edges[i * each]!,
    to: edges[(i + 1) * each]!,
    rows: counts.slice(i * each, (i + 1) * each).reduce((sum, some) => sum + some, 0),
  }));
}
