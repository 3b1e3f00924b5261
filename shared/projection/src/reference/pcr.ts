/**
 * Principal component regression of the last feature (Massy, "Principal Components Regression in Exploratory
 * Statistical Research", 1965) in the clear: ridge regression on the scores of the first components of all
 * other features. Weights and intercept are of features in [−1, 1], as those of ridge regression are.
 */

import { methodOf } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import type { Floor, Program } from '@eigenveil/task';
import { PROJECTION_CODES } from '../codes.ts';
import { symmetricEigen } from './eigen.ts';
import { rankOf } from './pca.ts';

/**
 * Returns w = Σ_j u_j (u_jᵀ s̄_xy) / (λ_j + ρ) over the first eigenpairs of S̄_xx: with b = ȳ − wᵀx̄, of all w in the
 * span of these u_j, and of all b, those with the least Σ (wᵀx + b − y)² + ρ‖w‖².
 * @param scatter S̄ of all features, undivided; the last row and column are the predicted one's
 * @throws ERR_NOT_FINITE, ERR_FULL_RANK
 */
export function regressionOnComponents(
  program: RankRule & Pick<Program, 'floor'>,
  {
    scatter,
    ridge,
  }: {
    readonly scatter: readonly (readonly number[])[];
    readonly ridge: number;
  },
): number[] {
  const last = scatter.length - 1;
  const { values, vectors } = symmetricEigen(scatter.slice(0, last).map((row) => row.slice(0, last)));
  const noise = program.floor && predictorNoise(program.floor);
  if (rankOf(values, noise) < leastPredictorRank(program)) throw tooFewDirections(program);
  const weights = new Array<number>(last).fill(0);
  for (const [j, u] of vectors.slice(0, program.components).entries()) {
    const along = u.reduce((sum, entry, i) => sum + entry * scatter[i]![last]!, 0) / (values[j]! + ridge);
    for (const [i, entry] of u.entries()) weights[i]! += along * entry;
  }
  return weights;
}

type RankRule = Pick<
  Program,
  'method' | 'sketch' | 'featureCount' | 'components' | 'outputs' | 'twoValued' | 'allowFullRank'
>;

/**
 * The least rank of S̄_xx from which weights may be released: that of the components in any case, since what
 * does not vary has no direction.
 */
export function leastPredictorRank(program: RankRule): number {
  return program.allowFullRank ? program.components : methodOf(program).leastRank(program);
}

/** Eigenvalues of S̄_xx up to this are noise of the floor. */
export function predictorNoise({ norm, grains }: Floor): number {
  const coarsest = Math.max(...grains);
  return coarsest === 0 ? 0 : norm * (Math.max(...grains.slice(0, -1)) / coarsest) ** 2;
}

export function tooFewDirections(program: RankRule): CodedError {
  return new CodedError(
    PROJECTION_CODES.ERR_FULL_RANK,
    `the predictors' scatter matrix expected of rank ${leastPredictorRank(program)} at least, with "components" ${program.components} and these outputs: propose a task with fewer components or outputs, without features that follow from others, or with more rows`,
  );
}
