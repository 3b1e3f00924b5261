/** PCA of the correlation matrix: features are divided by their standard deviations before it, and its vectors afterwards. */
import type { Floor } from '@eigenveil/task';
import { fixSign } from './eigen.ts';

/** The diagonal of the scatter, but 0 where there is no more than noise. */
export function undividedVariances(scatter: readonly (readonly number[])[], floor?: Floor): number[] {
  return scatter.map((row, i) => (row[i]! > (floor?.leastVariances[i] ?? 0) ? row[i]! : 0));
}

/** Eigenvalues of the correlation matrix up to this are noise of the floor. */
export function correlationNoise({ norm, grains }: Floor, variances: readonly number[]): number {
  const coarsest = Math.max(...grains);
  const parts = variances.map((variance, i) => (variance > 0 ? (grains[i]! / coarsest) ** 2 / variance : 0));
  return norm * Math.max(...parts);
}

/** S̄_ij / √(S̄_ii S̄_jj): 1 on the diagonal, but zeros in row and column of a feature without variance. */
export function correlationOf(
  scatter: readonly (readonly number[])[],
  variances = undividedVariances(scatter),
): number[][] {
  const roots = variances.map(Math.sqrt);
  return scatter.map((row, i) =>
    row.map((entry, j) => {
      const product = roots[i]! * roots[j]!;
      if (product === 0) return 0;
      return i === j ? 1 : entry / product;
    }),
  );
}

/**
 * w_i = v_i / σ_i, which gives of features in [-1, 1] what v gives of standardised ones, with its entry of largest magnitude positive; 0 for a
 * feature without variance σ².
 */
export function unstandardised(vector: readonly number[], variances: readonly number[]): number[] {
  return fixSign(vector.map((entry, i) => (variances[i]! > 0 ? entry / Math.sqrt(variances[i]!) : 0)));
}
