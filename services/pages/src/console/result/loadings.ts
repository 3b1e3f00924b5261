/** The entries of the projection vectors, by feature and component: in which order they are shown, and how strongly they are coloured. */

/** The entry of a component's vector at each feature. */
export interface LoadingRow {
  readonly feature: string;
  readonly values: readonly number[];
}

/**
 * One row per feature, for so many components from `first` on.
 * @param orderBy a component, whose entries largest in magnitude come first; null for the task's order
 */
export function loadingRows(
  {
    vectors,
    features,
  }: {
    readonly vectors: readonly (readonly number[])[];
    readonly features: readonly { readonly name: string }[];
  },
  {
    first,
    count,
    orderBy,
  }: { readonly first: number; readonly count: number; readonly orderBy: number | null },
): LoadingRow[] {
  const shown = vectors.slice(first, first + count);
  const order = features.map((_, i) => i);
  const by = orderBy === null ? undefined : vectors[orderBy];
  // Equal ones stay in the task's order.
  if (by !== undefined) order.sort((a, b) => Math.abs(by[b]!) - Math.abs(by[a]!) || a - b);
  return order.map((i) => ({ feature: features[i]!.name, values: shown.map((vector) => vector[i]!) }));
}

/** The largest magnitude of all vectors: 1 in the colours' scale, which every page of the table shares. 0 where all are zero. */
export function largestEntry(vectors: readonly (readonly number[])[]): number {
  return vectors.reduce(
    (most, vector) => vector.reduce((so, entry) => Math.max(so, Math.abs(entry)), most),
    0,
  );
}

/** Beyond it text would no longer stand out from the colour, in the light and in the dark. */
const STRONGEST = 45;

/** How much of the colour, in whole percent: none for 0, the most for the largest entry. */
export function strengthOf(value: number, largest: number): number {
  return largest === 0 ? 0 : Math.round((STRONGEST * Math.min(largest, Math.abs(value))) / largest);
}
