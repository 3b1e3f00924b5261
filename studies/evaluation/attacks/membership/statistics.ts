/**
 * A result tells of a candidate a few numbers, of which a likelihood ratio is taken: how far the result lies towards the candidate's row, and how well it
 * fits the row.
 *
 * Inner products with what the result has more than the population are the attack of Dwork, Smith, Steinke, Ullman and Vadhan, "Robust traceability from trace
 * amounts" (FOCS 2015), on means, and here also on scatter matrices. They are not whitened, as there: a public sample of a few dozen rows knows a covariance
 * too badly for that.
 */

import type { FlatResult } from '@eigenveil/methods';
import type { TaskProposal } from '@eigenveil/task';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { dot, meanOfRows, minus } from '../../../recognition/alignment.ts';
import { scaledRows } from '../../released.ts';
import type { Attack } from './attack.ts';

type Vector = readonly number[];

/** Squared, in units of features in [−1, 1]: below is rounding alone. Keeps logarithms finite. */
const ROUNDING = 1e-12;

/** Measures what is left of a row beside the components, squared, around the released mean where there is one. */
export function reconstructionError(
  { vectors, mean: centre }: Pick<FlatResult, 'vectors' | 'mean'>,
  row: Vector,
  populationMean: Vector,
): number {
  const away = minus(row, centre ?? populationMean);
  return Math.max(0, dot(away, away) - vectors.reduce((sum, vector) => sum + dot(vector, away) ** 2, 0));
}

/**
 * A member is reconstructed better: Zari, Parra-Arnau, Ünsal, Strufe and Önen, "Membership inference attack against principal component analysis" (Privacy in
 * Statistical Databases 2022). The part of a row that is not in the span of the released components is compared with that of people who are not in.
 */
export const byReconstructionError: Attack = ({ proposal, publicSample }) => {
  const populationMean = meanOfRows(scaledRows(proposal, publicSample.flat()));
  return (candidate) => {
    const rows = scaledRows(proposal, candidate);
    const error = (released: FlatResult) =>
      mean(rows.map((row) => reconstructionError(released, row, populationMean)));
    return { rare: -Infinity, score: (released) => -error(released) };
  };
};

/**
 * The numbers, as functions of a result and a row in units of features in [−1, 1].
 * @param populationMean that of the public sample
 * @param reference what the task releases of the public sample: signs of vectors are made those of its vectors
 */
export function statisticsOfResult(
  { method }: Pick<TaskProposal, 'method'>,
  populationMean: Vector,
  reference: Pick<FlatResult, 'vectors'>,
): (released: FlatResult, row: Vector) => number[] {
  return (released, row) => {
    const { vectors, eigenvalues } = released;
    const away = minus(row, populationMean);
    const towardsMean = released.mean ? [dot(away, minus(released.mean, populationMean))] : [];
    if (method.kind !== 'pca') {
      const signs = vectors.map((vector, j) => Math.sign(dot(vector, reference.vectors[j]!)));
      const along = vectors.map((vector, j) => signs[j]! * dot(vector, away));
      return [...towardsMean, ...along, ...eigenvalues];
    }
    const centred = minus(row, released.mean ?? populationMean);
    const leverage = vectors.reduce(
      (sum, vector, j) => sum + dot(vector, centred) ** 2 / Math.max(Math.abs(eigenvalues[j]!), ROUNDING),
      0,
    );
    return [
      ...towardsMean,
      vectors.reduce((sum, vector, j) => sum + eigenvalues[j]! * dot(vector, away) ** 2, 0),
      Math.log(leverage + ROUNDING),
      Math.log(reconstructionError(released, row, populationMean) + ROUNDING),
    ];
  };
}
