/** The limits of circuits of two matrices, or of ridges. */
import { methodOf } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import { PROJECTION_CODES } from '@eigenveil/projection/portable';
import { computedFractionBits, type Program, type StatisticsTask } from '@eigenveil/task';
import { TWO_PARTY_CODES } from '../codes.ts';

/** The largest distance of a ridge from its rounded value, relative to itself. */
const RIDGE_ERROR = 2 ** -10;

/**
 * Returns the check of a circuit that decomposes no scatter alone, and that adds these ridges to integers: in
 * units of 4^-fractionBits of what is computed with, which small ridges are not multiples of.
 */
export function circuitCheck(ridges: Readonly<Record<string, number>>) {
  return (task: StatisticsTask, { outputs }: Program): void => {
    const fractionBits = computedFractionBits(task);
    for (const [name, ridge] of Object.entries(ridges)) {
      const rounded = Math.round(ridge * 4 ** fractionBits) / 4 ** fractionBits;
      if (Math.abs(rounded - ridge) <= RIDGE_ERROR * Math.abs(ridge)) continue;
      throw new CodedError(
        TWO_PARTY_CODES.ERR_TASK_RANGE,
        `"method.${name}" expected 0, a multiple of 4^-${fractionBits} or at least ${(4 ** -fractionBits / RIDGE_ERROR / 2).toPrecision(2)} with ${fractionBits} fraction bits, got ${ridge}`,
      );
    }
    if (!outputs.includes('spectrum')) return;
    throw new CodedError(
      PROJECTION_CODES.ERR_PROGRAM_INVALID,
      `"outputs" expected no spectrum for ${methodOf(task).name} with the two-party protocol garbled, whose circuits decompose the pencil alone`,
    );
  };
}
