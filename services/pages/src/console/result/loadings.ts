/**
 * The entries of the projection vectors, by feature and component: the order in which they are shown, and the
 * strength of their colours.
 */

/** The entry of each component's vector at one feature. */
export interface LoadingRow {
  readonly feature: string;
  readonly values: readonly number[];
}

/**
 * Returns one row per feature, with `count` components from `first` on.
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
  // Equal entries stay in the task's order.
  if (by !== undefined) order.sort((a, b) => Math.abs(by[b]!) - Math.abs(by[a]!) || a - b);
  return order.map((i) => ({ feature: features[i]!.name, values: shown.map((vector) => vector[i]!) }));
}

/**
 * Returns the largest magnitude in all vectors. It is 1 in the scale of colours, which every page of the
 * table shares. Returns 0 where all entries are zero.
 */
export function largestEntry(vectors: readonly (readonly number[])[]): number {
  return vectors.reduce(
    (most, vector) => vector.reduce((so, entry) => Math.max(so, Math.abs(entry)), most),
    0,
  );
}

/** The strongest colour: on a stronger one, text would not stand out in the light and in the dark. */
const STRONGEST = 45;

/** Returns the strength of the colour, in whole percent: none for 0, the most for the largest entry. */
export function strengthOf(value: number, largest: number): number {
  return largest === 0 ? 0 : Math.round((STRONGEST * Math.min(largest, Math.abs(value))) / largest);
}
