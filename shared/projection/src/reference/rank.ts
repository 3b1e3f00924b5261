/**
 * The refusal of a PCA that leaves too little of the total scatter unknown: one for the clear reference and
 * for every two-party protocol.
 */
import { CodedError } from '@eigenveil/platform';
import { leastRank, type Program } from '@eigenveil/task';
import { PROJECTION_CODES } from '../codes.ts';

type Told = Parameters<typeof leastRank>[0];

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
  least = leastRank(program),
  noise = program.floor?.norm ?? 0,
): CodedError | undefined {
  return program.allowFullRank || rankOf(spectrum, noise) >= least ? undefined : fullRank(program, least);
}

export function fullRank(program: Told, least = leastRank(program)): CodedError {
  return new CodedError(
    PROJECTION_CODES.ERR_FULL_RANK,
    `"components" expected at most the rank of the scatter matrix less ${least - program.components} with these outputs and without "allowFullRank", got ${program.components}: propose a task with fewer components or outputs, without features that follow from others, or with more rows`,
  );
}
