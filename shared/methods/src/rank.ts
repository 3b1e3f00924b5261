/**
 * The part of the total scatter S̄ that a PCA must leave unknown: one rule for the clear reference, for tasks
 * and for every two-party protocol.
 *
 * The null space of S̄ is public where features depend on each other in a way that everybody knows (a one-hot
 * group, shares of a whole). With k eigenpairs a space of m = rank − k dimensions is then known on which S̄
 * is not: a symmetric m × m matrix of m(m + 1)/2 numbers, or m(m − 1)/2 angles where the spectrum is told.
 * Every public variance is an equation for them, and so is the trace: as many equations as unknowns determine
 * S̄. A rank that is low for another reason, such as few rows, is judged alike.
 *
 * The variance of a two-valued feature counts as public, whether or not the mean is declared. It follows from
 * how many rows have the feature, one of Q + 1 whole numbers, which the mean tells and which is often known
 * from elsewhere. (Per row, where the number of rows is not declared; it is counted all the same.)
 *
 * The whole diagonal of a correlation matrix is public: 1 per feature, all of which count here, also those
 * that turn out not to vary. Its k vectors in the features' units tell k(k + 1)/2 combinations of the
 * variances; here all of these count as known, and S̄ follows from both.
 *
 * Limits the components of a discriminant method that `rotated` may give without `allowFullRank`, by a rule
 * for public sizes alone.
 */

import { type Feature, varyingFeatures } from './features.ts';
import type { Method, Told } from './method.ts';

/**
 * The least rank of S̄ from which a PCA without `allowFullRank` may be revealed; at least one more than its
 * components.
 */
export function leastRank(told: Omit<Told, 'classCounts'>): number {
  const hasTrace = told.outputs.includes('trace') && !told.outputs.includes('spectrum');
  return leastRankOf(told, { equations: told.twoValued + (hasTrace ? 1 : 0) });
}

/**
 * Returns the least rank as `leastRank` does, of a method about which more is public.
 * @param known the equations that are public; and whether the spectrum is, though no output tells it
 */
export function leastRankOf(
  { components, outputs }: Pick<Told, 'components' | 'outputs'>,
  known: { readonly equations: number; readonly hasSpectrum?: boolean },
): number {
  const hasSpectrum = known.hasSpectrum ?? outputs.includes('spectrum');
  let m = 1;
  while ((m * (hasSpectrum ? m - 1 : m + 1)) / 2 <= known.equations) m += 1;
  return components + m;
}

/**
 * Returns the rule of ranks of a method: its least rank, and whether it leaves less of S̄ unknown than it must,
 * of any rows.
 * @param among the features whose scatter has that rank; all of them where it is not given
 */
export function ruleOfRanks(
  least: Method['leastRank'],
  among: (features: readonly Feature[]) => readonly Feature[] = (features) => features,
): Pick<Method, 'leastRank' | 'revealsScatter'> {
  return {
    leastRank: least,
    revealsScatter: ({ features, maximumOwners, maximumSamplesPerOwner }, told) =>
      least(told) > Math.min(varyingFeatures(among(features)), maximumOwners * maximumSamplesPerOwner - 1),
  };
}

/**
 * The most components of a discriminant method by `rotated` with `varying` features that are not constant; 0
 * where not even one is safe.
 *
 * One dimension that is left follows from the spectrum, so that two are the least. And nothing ties the
 * matrix that a data user puts in place of the class means to what it has got of them, so that one that
 * deviates has as many numbers about T alone as the second matrix has singular values: one per column, at
 * most one per feature. Variances of two-valued features are such numbers, too (rank.ts). Vectors and
 * spectrum leave m(m − 1)/2 angles unknown where m dimensions of T are left, and m more for each dimension of
 * its null space, of which an MDR's has some. They must be more than these numbers: docs/arguments/rotated-pencils.md,
 * "What a data user that deviates can do".
 * @param pencil the rank that T can have, and the columns of the second matrix
 */
export function mostRotatedComponents(
  { twoValued }: Pick<Told, 'twoValued'>,
  varying: number,
  { rank, columns }: { readonly rank: number; readonly columns: number },
): number {
  const equations = Math.min(varying, columns) + twoValued;
  let m = 1;
  while (m * (varying - rank) + (m * (m - 1)) / 2 <= equations) m += 1;
  return Math.max(0, Math.min(rank - m, varying - 2));
}
