/** PCA of the correlation matrix: features are divided by their standard deviations before it, and its vectors afterwards. */
import { fixSign } from './eigen.ts';

/** S̄_ij / √(S̄_ii S̄_jj): 1 on the diagonal, but zeros in row and column of a feature without variance. */
export function correlationOf(scatter: readonly (readonly number[])[]): number[][] {
  const roots = scatter.map((row, i) => Math.sqrt(row[i]!));
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
