/**
 * Checks whether rows with given sums can exist: what can be checked of statistics that were computed
 * elsewhere, before they are encrypted.
 */
import { CodedError } from '@eigenveil/platform';
import type { StatisticsTask } from '@eigenveil/task';
import { STATISTICS_CODES } from '../codes.ts';
import type { Statistics } from '../sums/statistics.ts';

/** Sums over some of the rows. */
interface PartialSums {
  readonly rows: bigint;
  readonly V: readonly bigint[];
  /** Upper triangle, row by row; empty where the task collects none. */
  readonly R: readonly bigint[];
}

/**
 * Checks the sums of each part of the rows, and those of all: each cell is an integer of at most
 * 2^fractionBits (0 where a feature has one value), so
 * - |V_i| <= M·u and, as an integer is at most its square, |V_i| <= R_ii <= M·u²;
 * - R_ii and V_i are both even or both odd, as an integer and its square are;
 * - R_ij² <= R_ii·R_jj and V_i² <= M·R_ii (Cauchy and Schwarz, with the column of ones);
 * - over all rows the matrix of M, V and R is positive semidefinite, and with it M·R − V·Vᵀ.
 * All of it in integers. What passes may still be another owner's sums, or made up: that is this owner's own
 * affair.
 * @throws ERR_STATISTICS_FILE
 */
export function checkSums(
  task: Pick<StatisticsTask, 'features' | 'fractionBits'>,
  parts: readonly PartialSums[],
  { R, labellings }: Statistics,
): void {
  for (const part of parts) checkPart(task, part);
  const d = task.features.length;
  if (R.length === 0) return;
  const classes = labellings[0]!;
  const rows = classes.reduce((sum, { M }) => sum + M, 0n);
  const V = task.features.map((_, i) => classes.reduce((sum, it) => sum + it.V[i]!, 0n));
  const bordered = [[rows, ...V]];
  for (let i = 0, next = 0; i < d; next += d - i, i += 1) bordered.push(R.slice(next, next + d - i));
  if (!isPositiveSemidefinite(bordered))
    throw impossible('the scatter matrix is not positive semidefinite: no rows have such sums');
}

function checkPart(
  { features, fractionBits }: Pick<StatisticsTask, 'features' | 'fractionBits'>,
  { rows, V, R }: PartialSums,
): void {
  const unit = 1n << BigInt(fractionBits);
  const d = features.length;
  const at = (i: number, j: number) => R[i * d - (i * (i - 1)) / 2 + (j - i)]!;
  const name = (i: number) => JSON.stringify(features[i]!.name);
  features.forEach(({ min, max }, i) => {
    const largest = min === max ? 0n : unit;
    const v = V[i]! < 0n ? -V[i]! : V[i]!;
    if (v > rows * largest) throw impossible(`the sum of ${name(i)} is larger than its rows allow`);
    if (R.length === 0) return;
    const square = at(i, i);
    if (square < v || square > rows * largest ** 2n || (square - v) % 2n !== 0n)
      throw impossible(`the sum of squares of ${name(i)} does not fit its sum and number of rows`);
    if (v ** 2n > rows * square) throw impossible(`the variance of ${name(i)} is negative`);
  });
  if (R.length === 0) return;
  for (let i = 0; i < d; i += 1)
    for (let j = i + 1; j < d; j += 1)
      if (at(i, j) ** 2n > at(i, i) * at(j, j))
        throw impossible(
          `the sum of products of ${name(i)} and ${name(j)} is larger than their squares allow`,
        );
}

/**
 * Says whether a symmetric matrix of integers is positive semidefinite, exactly, singular ones included:
 * elimination without fractions (Bareiss, "Sylvester's identity and multistep integer-preserving Gaussian
 * elimination", 1968), in which every value is a minor of the matrix. A pivot of 0 must have zeros beside it,
 * and its row is left out.
 * @param upper upper triangle: row i from its diagonal on
 */
export function isPositiveSemidefinite(upper: readonly (readonly bigint[])[]): boolean {
  const rows = upper.map((row) => [...row]);
  let divisor = 1n;
  for (let k = 0; k < rows.length; k += 1) {
    const row = rows[k]!;
    const pivot = row[0]!;
    if (pivot < 0n) return false;
    if (pivot === 0n) {
      if (row.some((value) => value !== 0n)) return false;
      continue;
    }
    for (let i = k + 1; i < rows.length; i += 1) {
      const target = rows[i]!;
      const factor = row[i - k]!;
      for (let j = 0; j < target.length; j += 1)
        target[j] = (target[j]! * pivot - factor * row[j + i - k]!) / divisor;
    }
    divisor = pivot;
  }
  return true;
}

function impossible(problem: string): CodedError {
  return new CodedError(
    STATISTICS_CODES.ERR_STATISTICS_FILE,
    `the file of sums was changed or is damaged: ${problem}`,
  );
}
