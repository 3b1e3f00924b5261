/**
 * The part of the total scatter S̄ that a PCA must leave unknown: one rule for the clear reference, for tasks
 * and for every two-party protocol.
 *
 * Where features depend on each other in a way that everybody knows (a one-hot group, shares of a whole), the
 * null space of S̄ is public. With k eigenpairs a space of m = rank − k dimensions is then known on which S̄
 * is not: a symmetric m × m matrix of m(m + 1)/2 numbers, or m(m − 1)/2 angles where the spectrum is told.
 * Every public variance is an equation for them, and so is the trace: as many equations as unknowns determine
 * S̄. A rank that is low for another reason, such as few rows, is judged alike.
 *
 * The variance of a two-valued feature counts as public, whether or not the mean is declared. It follows from
 * how many rows have the feature, one of Q + 1 whole numbers, which the mean tells and which is often known
 * from elsewhere. (Per row, where the number of rows is not declared; it is counted all the same.)
 *
 * Of a correlation matrix the whole diagonal is public: 1 per feature, all of which count here, also those
 * that turn out not to vary. Its k vectors in the features' units tell k(k + 1)/2 combinations of the
 * variances; here all of these count as known, and S̄ follows from both.
 *
 * Limits the components of a discriminant method that `rotated` may give without `allowFullRank`, by a rule
 * for public sizes alone.
 *
 * Names the results that take the consent `allowFullRank` of a policy: an owner's policy and the CSP's ask
 * the same of a task.
 */

import { isExact } from '../floor/floor.ts';
import type { TaskProposal } from '../schema.ts';
import { isStandardised } from '../values/statistics-task.ts';
import type { Program } from './program.ts';

type Told = Pick<Program, 'method' | 'featureCount' | 'components' | 'outputs' | 'twoValued' | 'sketch'>;

/**
 * The least rank of S̄ from which a PCA without `allowFullRank` may be revealed; at least one more than its
 * components.
 */
export function leastRank(program: Told): number {
  return program.components + hiddenDimensions(program);
}

function hiddenDimensions({ method, featureCount, outputs, twoValued, sketch }: Told): number {
  // A sketch tells as many eigenvalues, nearly, as it has columns.
  const hasSpectrum = outputs.includes('spectrum') || sketch !== undefined;
  const equations = isStandardised(method)
    ? featureCount
    : twoValued + (outputs.includes('trace') && !hasSpectrum ? 1 : 0);
  let m = 1;
  while ((m * (hasSpectrum ? m - 1 : m + 1)) / 2 <= equations) m += 1;
  return m;
}

type Pencil = Pick<Program, 'method' | 'classCounts' | 'twoValued'>;

/**
 * The most components of a discriminant method by `rotated` with `varying` features that are not constant; 0
 * where not even one is safe.
 *
 * One dimension that is left follows from the spectrum, so that two are the least. And nothing ties the
 * matrix that a data user puts in place of the class means to what it has got of them, so that one that
 * deviates has as many numbers about T alone as the second matrix has singular values: one per column, at
 * most one per feature. Variances of two-valued features are such numbers, too (rank.ts). Vectors and
 * spectrum leave m(m − 1)/2 angles unknown where m dimensions of T are left, and m more for each dimension of
 * its null space, of which an MDR's has some. They must be more than these numbers: docs/rotated-pencils.md,
 * "What a data user that deviates can do".
 */
export function mostRotatedComponents({ method, classCounts, twoValued }: Pencil, varying: number): number {
  const contrasts = classCounts.map((count) => count - 1);
  const all = contrasts.reduce((sum, count) => sum + count, 0);
  const rank = method.kind === 'mdr' ? Math.min(varying, all) : varying;
  const columns = contrasts[0]! + (method.kind === 'dca' && method.signalRidge > 0 ? varying : 0);
  const equations = Math.min(varying, columns) + twoValued;
  let m = 1;
  while (m * (varying - rank) + (m * (m - 1)) / 2 <= equations) m += 1;
  return Math.max(0, Math.min(rank - m, varying - 2));
}

/**
 * The rule that a task breaks whose result may tell the whole scatter matrix, for policies without
 * `allowFullRank`; undefined of other tasks.
 * @example
 * import { fullRankRule } from '@eigenveil/task';
 *
 * const rule = fullRankRule(task);
 * if (rule !== undefined) throw new Error(rule);
 */
export function fullRankRule(
  task: Pick<TaskProposal, 'method' | 'exact' | 'allowFullRank'>,
): string | undefined {
  if (isExact(task))
    return '"exact" expected false: where values are whole numbers, the whole scatter matrix may follow from a result without a floor, which takes "allowFullRank"';
  return task.allowFullRank ? '"allowFullRank" expected false' : undefined;
}
