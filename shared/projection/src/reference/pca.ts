/**
 * The rules of a PCA: the refusal where too little of the total scatter is left unknown, which is one for the clear
 * reference and for every two-party protocol, and the correlation matrix, for which features are divided by their standard
 * deviations before it, and its vectors afterwards.
 */
import { methodOf } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import type { Floor, Program } from '@eigenveil/task';
import { PROJECTION_CODES } from '../codes.ts';
import { fixSign } from './eigen.ts';

type Told = Pick<Program, 'method' | 'sketch' | 'featureCount' | 'components' | 'outputs' | 'twoValued'>;

/**
 * An eigenvalue up to this part of the largest counts as zero. `garbled` cannot tell as small ones:
 * docs/precision.md.
 */
export const ZERO_EIGENVALUE = 1e-6;

/**
 * Returns how many of a matrix's eigenvalues, in descending order, do not count as zero, and not as noise up
 * to the given size either.
 */
export function rankOf(spectrum: readonly number[], noise = 0): number {
  const zero = Math.max(noise, ZERO_EIGENVALUE * Math.max(0, spectrum[0]!));
  return spectrum.filter((value) => value > zero).length;
}

/**
 * The refusal of a PCA with these eigenvalues, all of them in descending order, if there is one; of another
 * method with another least rank, of another matrix with other noise.
 */
export function rankRefusal(
  spectrum: readonly number[],
  program: Told & Pick<Program, 'allowFullRank' | 'floor'>,
  least = methodOf(program).leastRank(program),
  noise = program.floor?.norm ?? 0,
): CodedError | undefined {
  return program.allowFullRank || rankOf(spectrum, noise) >= least ? undefined : fullRank(program, least);
}

export function fullRank(program: Told, least = methodOf(program).leastRank(program)): CodedError {
  return new CodedError(
    PROJECTION_CODES.ERR_FULL_RANK,
    `"components" expected at most the rank of the scatter matrix less ${least - program.components} with these outputs and without "allowFullRank", got ${program.components}: propose a task with fewer components or outputs, without features that follow from others, or with more rows`,
  );
}

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
