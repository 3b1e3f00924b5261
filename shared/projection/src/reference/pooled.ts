/** Pooled statistics as the reference computes with them: checked, without what noise has made of no rows. */
import { methodOf } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import type { Statistics } from '@eigenveil/statistics';
import { checkProgram, type Program } from '@eigenveil/task';
import { PROJECTION_CODES } from '../codes.ts';
import {
  betweenClassScatter,
  meanOfRows,
  nonEmptyClasses,
  totalScatter,
  totals,
  traceOfTotalScatter,
  withinClassScatter,
} from './scatter.ts';

/** Matrices of pooled statistics, and their mean, none of which is computed before it is asked for. */
export interface Scatters {
  readonly between: (labelling: number) => number[][];
  readonly within: () => number[][];
  readonly total: () => number[][];
  readonly trace: () => number;
  readonly mean: () => number[];
}

/** Statistics that a program takes, and what methods are made of. */
export interface Pooled extends Scatters {
  readonly samples: number;
  /** Numbers of rows, per labelling and class. */
  readonly classCounts: () => number[][];
}

/**
 * Checks pooled statistics, and makes of them what methods are made of. MDR needs rows of two utility
 * classes, as the other discriminant methods do of theirs; with one privacy class there is nothing to hide
 * from, its between-class scatter is zero and B = ρI stays a valid problem.
 * @throws ERR_TASK_INVALID, ERR_TOO_MANY_COMPONENTS, ERR_STATISTICS_INVALID, ERR_NO_SAMPLES,
 *   ERR_MINIMUM_OWNERS, ERR_SINGLE_CLASS
 */
export function pooledOf(program: Program, pooled: Statistics): Pooled {
  checkProgram(program);
  checkShape(program, pooled);
  const statistics = usable(program, pooled);
  checkStatistics(program, statistics);
  return {
    ...scattersOf(program, statistics),
    samples: Number(totals(statistics).M),
    classCounts: () => statistics.labellings.map((classes) => classes.map(({ M }) => Number(M))),
  };
}

/**
 * The matrices and the mean that a method is made of. Of what servers compute with, V is exact inside T and
 * S_W, which R's noise hides, and what is released of V itself, S_B and the mean, is made of the noised sums;
 * the total scatter of rows with classes is then that S_W and that S_B. Statistics without noised sums, as
 * those of a sample, are what they are.
 */
function scattersOf(program: Program, statistics: Statistics): Scatters {
  const { floor } = program;
  const { noisedSums } = statistics;
  const isNoised = floor !== undefined && noisedSums !== undefined;
  const bits = isNoised ? floor.fractionBits : program.fractionBits;
  const told = isNoised
    ? {
        ...statistics,
        labellings: statistics.labellings.map((classes, l) =>
          classes.map(({ M }, k) => ({ M, V: noisedSums[l]![k]! })),
        ),
      }
    : statistics;
  const toldBits = isNoised ? floor.sumFractionBits : program.fractionBits;
  const between = (labelling: number) => betweenClassScatter(told, labelling, toldBits);
  const within = () => withinClassScatter(statistics, bits);
  const isOfBoth = isNoised && program.classCounts.length > 0;
  const total = () => (isOfBoth ? sumOf(within(), between(0)) : totalScatter(statistics, bits));
  return {
    between,
    within,
    total,
    trace: () =>
      isOfBoth ? total().reduce((sum, row, i) => sum + row[i]!, 0) : traceOfTotalScatter(statistics, bits),
    mean: () => meanOfRows(told, toldBits),
  };
}

export function sumOf(a: readonly (readonly number[])[], b: readonly (readonly number[])[]): number[][] {
  return a.map((row, i) => row.map((entry, j) => entry + b[i]![j]!));
}

/**
 * Under noise a class may have a number of rows that is not positive: it counts as empty then, and its noisy
 * sum as zero. Of an empty class noised sums are noise alone, and so are the others where owners have added a
 * floor of their own.
 */
function usable({ noisy, floor }: Program, statistics: Statistics): Statistics {
  const { labellings, noisedSums } = statistics;
  const zeros = (sums: readonly bigint[]) => sums.map(() => 0n);
  return {
    ...statistics,
    ...((noisy || floor) && {
      labellings: labellings.map((sums) =>
        sums.map(({ V, M }) => (M > 0n ? { V, M } : { V: zeros(V), M: noisy ? 0n : M })),
      ),
    }),
    ...(noisedSums && {
      noisedSums: noisedSums.map((classes, l) =>
        classes.map((sums, k) => (labellings[l]![k]!.M > 0n ? sums : zeros(sums))),
      ),
    }),
  };
}

/**
 * Refuses statistics that no rows can have, which means that something upstream went wrong, and too few
 * owners.
 */
export function checkStatistics(program: Program, statistics: Statistics): void {
  const { V, M } = totals(statistics);
  for (const sums of statistics.labellings) {
    if (sums.some((k) => k.M < 0n || (k.M === 0n && k.V.some((value) => value !== 0n)))) {
      throw invalid('a class with fewer than no rows, or sums without rows');
    }
    // Every row has one class in each labelling, so all labellings have the same totals.
    if (program.noisy) continue;
    const own = totals({ ...statistics, labellings: [sums] });
    // Owners may have added noise to each sum of rows where there is a floor, and to no number of rows.
    if (own.M !== M || (!program.floor && own.V.some((value, i) => value !== V[i])))
      throw invalid('labellings of different rows');
  }
  const { owners } = statistics;
  if (owners < BigInt(program.minimumOwners)) {
    throw new CodedError(
      PROJECTION_CODES.ERR_MINIMUM_OWNERS,
      `expected contributions of at least ${program.minimumOwners} owners, got ${owners}`,
    );
  }
  if (M === 0n)
    throw new CodedError(PROJECTION_CODES.ERR_NO_SAMPLES, 'expected at least one sample, got none');
  if (program.classCounts.length > 0 && nonEmptyClasses(statistics, 0).length < 2) {
    throw new CodedError(
      PROJECTION_CODES.ERR_SINGLE_CLASS,
      'expected samples of at least two classes, got one',
    );
  }
}

export function checkShape(program: Program, { R, Y = [], labellings }: Statistics): void {
  const { featureCount: d, sketch } = program;
  const counts = program.classCounts.length === 0 ? [1] : program.classCounts;
  const fits =
    R.length === (methodOf(program).sums({ features: [], labellings: [] }).R ? (d * (d + 1)) / 2 : 0) &&
    Y.length === d * (sketch?.columns ?? 0) &&
    labellings.length === counts.length &&
    labellings.every((sums, l) => sums.length === counts[l] && sums.every(({ V }) => V.length === d));
  if (!fits) throw invalid('another shape');
}

function invalid(got: string): CodedError {
  return new CodedError(
    PROJECTION_CODES.ERR_STATISTICS_INVALID,
    `"statistics" expected those of rows of the program's shape, got ${got}`,
  );
}
