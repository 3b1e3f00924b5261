/** The figures that the views of a result show: of components, of loadings, of a biplot and of a histogram. */
import type { Remark, ToldShare } from '@eigenveil/data-user/result';
import { type MethodParameters, methodOf } from '@eigenveil/methods';
import { explainedVariance, isKnownQuantile, UNKNOWN_QUANTILE } from '@eigenveil/projection/portable';
import type { Projection } from '@eigenveil/wire';
import type { Arrow } from '../common/plane.tsx';

export interface ComponentRow {
  /** The number of the component, from 1. */
  readonly component: number;
  readonly eigenvalue: number;
  /**
   * Its share of the variance, and the share together with those before it; null where they are not known.
   */
  readonly share: ToldShare | null;
  readonly sum: ToldShare | null;
  /** True if the computation found it, false if not; null where nothing is in doubt. */
  readonly converged: boolean | null;
  /** The codes of remarks about it. */
  readonly remarks: readonly string[];
  /** True for an eigenvalue beyond the components, of a spectrum that was declared: it has no vector. */
  readonly beyond: boolean;
}

/** Returns the components, and then the rest of a PCA's spectrum where it was declared. */
export function componentRows(
  projection: Projection,
  remarks: readonly Remark[],
  verifiedOwners: number,
): ComponentRow[] {
  const { eigenvalues, converged, spectrum } = projection;
  const shares = explainedVariance(projection, verifiedOwners);
  const rows = eigenvalues.map(
    (eigenvalue, j): ComponentRow => ({
      component: j + 1,
      eigenvalue,
      share: shares?.each[j] ?? null,
      sum: shares?.together[j] ?? null,
      converged: converged?.[j] ?? null,
      remarks: remarks.filter(({ components }) => components.includes(j + 1)).map(({ code }) => code),
      beyond: false,
    }),
  );
  const others =
    methodOf(projection).decomposes === 'pencil' ? [] : (spectrum?.slice(eigenvalues.length) ?? []);
  return [
    ...rows,
    ...others.map((eigenvalue, i) => ({
      component: eigenvalues.length + i + 1,
      eigenvalue,
      share: null,
      sum: null,
      converged: null,
      remarks: [],
      beyond: true,
    })),
  ];
}

/** Returns the reason for which there are no shares, or null where there are. */
export function whyNoShares(projection: Projection): string | null {
  const { trace, spectrum } = projection;
  if (methodOf(projection).decomposes === 'pencil')
    return 'Shares of the variance are of a PCA. An eigenvalue here is a ratio: how well its component distinguishes the classes.';
  if (trace !== undefined || spectrum !== undefined) return null;
  return 'The task declared neither "trace" nor "spectrum" among its outputs, so nobody learns how large the whole variance is, of which an eigenvalue would be a share.';
}

/** The entry of each component's vector at one feature. */
interface LoadingRow {
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

interface Decomposed {
  readonly method: MethodParameters;
  readonly features: readonly { readonly name: string }[];
  readonly vectors: readonly (readonly number[])[];
  readonly eigenvalues: readonly number[];
}

/**
 * Returns the arrow of each feature, which is its entry in both vectors. For a PCA the entries are multiplied
 * by √λ, so that a feature's variance within the two components is the square of its arrow's length (Gabriel,
 * "The biplot graphic display of matrices", 1971). An eigenvalue below zero, which noise can cause, counts as
 * zero.
 * @param a the component along x, from 0
 * @param b along y
 */
export function arrowsOf(
  { features, vectors, eigenvalues, ...task }: Decomposed,
  a: number,
  b: number,
): Arrow[] {
  const isRatio = methodOf(task).decomposes === 'pencil';
  const length = (j: number) => (isRatio ? 1 : Math.sqrt(Math.max(0, eigenvalues[j]!)));
  return features.map(({ name }, i) => ({
    feature: name,
    x: vectors[a]![i]! * length(a),
    y: vectors[b]![i]! * length(b),
  }));
}

/** Returns the longest arrows, the longest first. */
export function longest(arrows: readonly Arrow[], count: number): Arrow[] {
  return [...arrows].sort((a, b) => Math.hypot(b.x, b.y) - Math.hypot(a.x, a.y)).slice(0, count);
}

/** The end of the longest arrow, as a part of the way to the farthest point. */
const REACH = 0.8;

/**
 * Returns the factor that stretches arrows so that both arrows and points are seen: the longest arrow ends at
 * four fifths of the farthest point's distance. The factor is 1 if the arrows or the points have no length.
 */
export function stretchOf(arrows: readonly Arrow[], farthest: number): number {
  const most = arrows.reduce((so, { x, y }) => Math.max(so, Math.hypot(x, y)), 0);
  return most === 0 || farthest === 0 ? 1 : (REACH * farthest) / most;
}

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

const DIGITS = 4;
/** Returns a number with the digits that a reader of a table needs. */
export const short = (value: number) => String(Number(value.toPrecision(DIGITS)));

type Quantile = NonNullable<Projection['histograms']>[number]['quantiles'][number];

/** Says where a quantile lies, or that the noise leaves nothing of it. */
export function quantileWords(
  at: Quantile | undefined,
  range: { readonly min: number; readonly max: number },
): string {
  if (at === undefined) return 'too few rows for this noise';
  return isKnownQuantile(at, range)
    ? `${short(at.value)} (${short(at.from)} to ${short(at.to)})`
    : UNKNOWN_QUANTILE;
}
