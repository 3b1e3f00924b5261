/**
 * Releases of histogram tasks: how much noise the sums of counts take, and how many sums are released.
 * docs/histograms.md has the protocol and the argument.
 *
 * Every row is in exactly one bin per feature, or, where its cell is no number, in that feature's count of
 * such cells. The strategy A is applied to the bins, and the count of unreadable cells takes noise as it is.
 * One row changes as much as follows, for one histogram of one feature and m the height of the root of A:
 * - add-remove: a column of A, or 1 in the other count. The column is the larger: L1 = L2² = m + 1 (flat: 1),
 *   against 1.
 * - replace: two columns that are subtracted (shared/release, noise.ts), or a column and the other count: L1 =
 *   L2² = m + 2 (flat: 2) for the latter. With m >= 2 that is at most 2m, the least that two columns of
 *   `tree` and `privelet` come to. So trees have at least two levels here, and bins are at least four. So the
 *   other count needs no noise beyond that of A alone.
 *
 * Features of one histogram: a row adds g columns, of g features. By the triangle inequality their sum
 * changes by at most g Δ₁ in L1 and g Δ₂ in L2, which is reached when all cells are alike. Histograms stand
 * apart: L1 = Δ₁ Σ g, the number of features, and L2² = Δ₂² Σ g².
 */
import { invalid as invalidParameter } from '@eigenveil/privacy/parts';
import {
  type CoefficientNoise,
  calibrateRelease,
  coefficientCount,
  flat,
  privelet,
  type Strategy,
  tree,
} from '@eigenveil/release';
import type { Feature } from '../features.ts';
import type { Guarantee } from '../method.ts';
import { histogramsOf } from './bins.ts';
import type { HistogramParameters } from './parameters.ts';

interface Shape {
  readonly method: { readonly kind: string } | HistogramParameters;
  readonly features: readonly Feature[];
}

/** Returns whether parameters are those of a histogram. */
export function isHistogram(method: Shape['method']): method is HistogramParameters {
  return method.kind === 'histogram';
}

const strategies = new WeakMap<HistogramParameters, Strategy>();

/** Returns the same object for the same method, so that what follows from it can be kept with it. */
export function strategyOf(method: HistogramParameters): Strategy {
  const known = strategies.get(method);
  if (known !== undefined) return known;
  const { strategy: kind, height, fanouts } = method;
  const made =
    kind === 'flat' ? flat(2 ** height) : kind === 'privelet' ? privelet(height) : tree(fanouts ?? []);
  strategies.set(method, made);
  return made;
}

/**
 * Returns how many sums a task releases: for each histogram the rows of A, and its cells that are not a
 * number. It is 0 for other tasks.
 */
export function sumsOf({ method, features }: Shape): number {
  return isHistogram(method)
    ? histogramsOf({ features }).length * (coefficientCount(strategyOf(method)) + 1)
    : 0;
}

/**
 * The noise that each server adds to every sum, for the joint sensitivity of all histograms.
 * @throws ERR_DP_PARAMETER
 */
export function releaseNoiseOf({
  method,
  features,
  differentialPrivacy: setting,
}: Shape & {
  readonly differentialPrivacy?: Pick<Guarantee, 'epsilon' | 'delta' | 'neighbours'> | null | undefined;
}): CoefficientNoise {
  if (!isHistogram(method) || setting === undefined || setting === null)
    throw invalidParameter('task', 'a histogram with differential privacy', method.kind);
  const { epsilon, delta, neighbours } = setting;
  const shared = histogramsOf({ features }).map((histogram) => histogram.features.length);
  const sum = (of: (g: number) => number) => shared.reduce((total, g) => total + of(g), 0);
  const budget = delta === 0 ? { epsilon } : { epsilon, dpDelta: delta };
  return calibrateRelease(strategyOf(method), {
    features: delta === 0 ? sum((g) => g) : sum((g) => g ** 2),
    neighbours,
    budget,
  });
}
