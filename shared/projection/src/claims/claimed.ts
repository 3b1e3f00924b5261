/** A result that somebody else has computed, and the checks of its numbers that every kind of results shares. */
import type { Immutable, SignedResult } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import type { Program, StatisticsTask } from '@eigenveil/task';
import { isSameJson } from '@eigenveil/wire';
import { PROJECTION_CODES } from '../codes.ts';

/** The members of a task that describe its result. */
export type AgreedTask = StatisticsTask &
  Pick<Program, 'components' | 'outputs' | 'minimumOwners' | 'allowFullRank'> & {
    readonly title?: string | undefined;
    readonly twoParty: string;
    readonly basis?: string | undefined;
  };

/** A projection as it comes over the wire. */
export interface ClaimedProjection
  extends Immutable<SignedResult>,
    Pick<
      AgreedTask,
      | 'title'
      | 'method'
      | 'twoParty'
      | 'features'
      | 'fractionBits'
      | 'sketch'
      | 'outputs'
      | 'differentialPrivacy'
      | 'basis'
    > {}

/**
 * The tolerance of eigenvalues, as a part of the largest, and of bounds: it is above the rounding of all
 * two-party protocols.
 */
export const PROTOCOL_ROUNDING = 2 ** -12;

export type Bounds = readonly [least: number, most: number];

/** Numbers that JSON cannot say, such as ∞, which 1e999 is read as, are the same as nothing. */
export function isSame(claimed: unknown, agreed: unknown): boolean {
  try {
    return isSameJson(claimed, agreed);
  } catch {
    return false;
  }
}

export function checkNumbers(field: string, numbers: readonly number[], [least, most]: Bounds): void {
  const slack = PROTOCOL_ROUNDING * Math.min(most, Number.MAX_VALUE / 2);
  const fit = numbers.every((value) => value >= least - slack && value <= most + slack); // false for NaN
  expect(fit && numbers.every(Number.isFinite), field, 'finite numbers that the task allows');
}

export function checkDescending(field: string, numbers: readonly number[]): void {
  const slack = PROTOCOL_ROUNDING * Math.max(...numbers.map(Math.abs));
  const descend = numbers.every((value, j) => j === 0 || value <= numbers[j - 1]! + slack);
  expect(descend, field, 'descending numbers');
}

export function expect(holds: boolean, field: string, expected: string): asserts holds {
  if (!holds)
    throw new CodedError(
      PROJECTION_CODES.ERR_PROJECTION_INVALID,
      `"projection.${field}" expected ${expected}`,
    );
}
