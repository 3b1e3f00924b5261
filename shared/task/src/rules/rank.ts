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
 */

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
