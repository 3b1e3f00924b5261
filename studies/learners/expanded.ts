/** Clusters of what is reached from seeds, step by step: how DBSCAN expands, over rows or over cells. */

export const OUTLIER = -1;

/** The clusters of this number of points, numbered as seeds open them: what is reached from a seed, over points that nobody had reached. */
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
