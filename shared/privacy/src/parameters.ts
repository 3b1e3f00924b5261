/** The ranges of privacy parameters, checked in one place and in one wording. */

import { CodedError } from '@eigenveil/platform';
import { PRIVACY_CODES } from './codes.ts';

/** ε > 0; Infinity means no privacy and so no noise. NaN fails every one of these checks. */
export function checkEpsilon(epsilon: number): void {
  if (!(epsilon > 0)) throw invalid('epsilon', 'a number > 0 or Infinity', epsilon);
}

/** 0 < δ < 1. */
export function checkDelta(dpDelta: number): void {
  if (!(dpDelta > 0 && dpDelta < 1)) throw invalid('dpDelta', 'a number in (0, 1)', dpDelta);
}

/** A finite number > 0. */
export function checkPositive(name: string, value: number): void {
  if (!(value > 0 && value < Infinity)) throw invalid(name, 'a finite number > 0', value);
}

/** A finite number >= 0: noise scales, of which 0 is no noise. */
export function checkScale(name: string, value: number): void {
  if (!(value >= 0 && value < Infinity)) throw invalid(name, 'a finite number >= 0', value);
}

/** An integer >= least that a double holds exactly. */
export function checkCount(name: string, value: number, least: number): void {
  if (!(Number.isSafeInteger(value) && value >= least)) throw invalid(name, `an integer >= ${least}`, value);
}

/** Sensitivities of integer queries. */
export function checkPositiveInteger(name: string, value: bigint): void {
  if (typeof value !== 'bigint' || value <= 0n) throw invalid(name, 'a bigint > 0', value);
}

export function invalid(name: string, expected: string, got: unknown): CodedError {
  return new CodedError(PRIVACY_CODES.ERR_DP_PARAMETER, `"${name}" expected ${expected}, got ${String(got)}`);
}

/**
 * The difference between two data sets that nobody must distinguish: one row more or less, or one row with
 * other content.
 */
export type Neighbours = 'add-remove' | 'replace';
