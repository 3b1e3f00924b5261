/** Scatter matrices of rows in [-1, 1] from their integer statistics, divided late and rounded once. */

import { CodedError } from '@eigenveil/platform';
import type { ClassSums, Statistics } from '@eigenveil/statistics';
import { PROJECTION_CODES } from '../codes.ts';

/**
 * Quotients are integers of 2^-QUOTIENT_BITS units of the discretised rows, so that sums and differences of them are exact
 * and only the last step rounds to doubles.
 *
 * Error of an entry of S̄: its exact value N/(Q·2^2f) is 0, which comes out as 0, or at least 1/(Q·2^2f) in magnitude,
 * so cutting the quotient changes it by less than a relative Q·2^-128; with the final rounding the relative error
 * is at most 2^-53 + Q·2^-128. Error of an entry of S_B or S_W over K classes: K + 1 cut quotients, so at most
 * (K + 1)·2^(-128 - 2f) in absolute terms before the final rounding; an entry is otherwise correct to 2^-53 however
 * much its terms cancel.
 */
const QUOTIENT_BITS = 128n;

/** Sums over all rows: of the rows, and their number. Under noise those of one labelling are not those of another. */
export function totals(statistics: Statistics, labelling = 0): ClassSums {
  return statistics.labellings[labelling]!.reduce((total, { V, M }) => ({
    V: total.V.map((value, i) => value + V[i]!),
    M: total.M + M,
  }));
}

/**
 * S̄ = R − V Vᵀ/Q, undivided (d × d).
 * @throws ERR_NO_SAMPLES
 */
export function totalScatter(statistics: Statistics, fractionBits: number): number[][] {
  const { V, M } = nonEmptyTotals(statistics);
  const d = V.length;
  return symmetric(d, fractionBits, (i, j) => quotient(M * statistics.R[upper(d, i, j)]! - V[i]! * V[j]!, M));
}

/**
 * S_B = Σ_k V_k V_kᵀ/M_k − V Vᵀ/Q of one labelling (d × d). A class without rows contributes zero.
 * @throws ERR_NO_SAMPLES
 */
export function betweenClassScatter(
  statistics: Statistics,
  labelling: number,
  fractionBits: number,
): number[][] {
  const { V, M } = nonEmptyTotals(statistics, labelling);
  const classes = nonEmptyClasses(statistics, labelling);
  return symmetric(
    V.length,
    fractionBits,
    (i, j) => sumOfSquares(classes, i, j) - quotient(V[i]! * V[j]!, M),
  );
}

/**
 * S_W = R − Σ_k V_k V_kᵀ/M_k of the first labelling (d × d). A class without rows contributes zero.
 * @throws ERR_NO_SAMPLES
 */
export function withinClassScatter(statistics: Statistics, fractionBits: number): number[][] {
  const d = nonEmptyTotals(statistics).V.length;
  const classes = nonEmptyClasses(statistics, 0);
  return symmetric(
    d,
    fractionBits,
    (i, j) => (statistics.R[upper(d, i, j)]! << QUOTIENT_BITS) - sumOfSquares(classes, i, j),
  );
}

/**
 * The mean of all rows, V/Q, per scaled feature.
 * @throws ERR_NO_SAMPLES
 */
export function meanOfRows(statistics: Statistics, fractionBits: number): number[] {
  const { V, M } = nonEmptyTotals(statistics);
  return V.map((value) => toNumber(quotient(value, M), fractionBits));
}

/**
 * The trace of S̄, summed before it is rounded.
 * @throws ERR_NO_SAMPLES
 */
export function traceOfTotalScatter(statistics: Statistics, fractionBits: number): number {
  const { V, M } = nonEmptyTotals(statistics);
  const numerator = V.reduce(
    (sum, value, i) => sum + M * statistics.R[upper(V.length, i, i)]! - value * value,
    0n,
  );
  return toNumber(quotient(numerator, M), 2 * fractionBits);
}

/** The classes of a labelling that have rows. */
export function nonEmptyClasses(statistics: Statistics, labelling: number): ClassSums[] {
  return statistics.labellings[labelling]!.filter(({ M }) => M !== 0n);
}

function nonEmptyTotals(statistics: Statistics, labelling = 0): ClassSums {
  const sums = totals(statistics, labelling);
  if (sums.M === 0n)
    throw new CodedError(PROJECTION_CODES.ERR_NO_SAMPLES, 'expected at least one sample, got none');
  return sums;
}

function sumOfSquares(classes: readonly ClassSums[], i: number, j: number): bigint {
  return classes.reduce((sum, { V, M }) => sum + quotient(V[i]! * V[j]!, M), 0n);
}

function quotient(numerator: bigint, denominator: bigint): bigint {
  return (numerator << QUOTIENT_BITS) / denominator;
}

/** Position of entry (i, j), i <= j, in the upper triangle of a d × d matrix kept row by row. */
function upper(d: number, i: number, j: number): number {
  return i * d - (i * (i - 1)) / 2 + (j - i);
}

/** The d × d matrix with the given entries for i <= j, in units of 2^(-QUOTIENT_BITS - 2f). */
function symmetric(d: number, fractionBits: number, entry: (i: number, j: number) => bigint): number[][] {
  const matrix = Array.from({ length: d }, () => new Array<number>(d).fill(0));
  for (let i = 0; i < d; i++) {
    for (let j = i; j < d; j++) {
      const value = toNumber(entry(i, j), 2 * fractionBits);
      matrix[i]![j] = value;
      matrix[j]![i] = value;
    }
  }
  return matrix;
}

/** Rounds once: Number() of an integer rounds to the nearest double, and the power of two is exact. */
function toNumber(value: bigint, scaleBits: number): number {
  return Number(value) * 2 ** -(Number(QUOTIENT_BITS) + scaleBits);
}
