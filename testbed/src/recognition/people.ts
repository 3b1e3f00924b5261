/**
 * Rows of people who are to be recognised, by person and in the order of their file, which is taken to be that of time; their parts of 40, 20 and 40 %;
 * and the preparation of features that all arms and attacks share: signed logarithm, clipping of 0.5 % on either side, and [−1, 1].
 */
import { quantile } from '../goodness/quantile.ts';

export type Row = readonly number[];

export interface Person {
  readonly name: string;
  readonly rows: readonly Row[];
}

export interface People {
  readonly dataset: string;
  readonly features: readonly string[];
  /** By their first line. */
  readonly people: readonly Person[];
}

/**
 * The people of a data set whose last column names them. A row that stood there before, with the same label, is dropped: split apart, the two
 * would be a test on what was learnt.
 */
export function peopleOf(
  dataset: string,
  columns: readonly string[],
  lines: readonly (readonly string[])[],
): People {
  const distinct = [...new Map(lines.map((line) => [line.join(), line])).values()];
  const people = [...Map.groupBy(distinct, (line) => line.at(-1)!)].map(([name, own]) => ({
    name,
    rows: own.map((line) => line.slice(0, -1).map(Number)),
  }));
  if (!people.every(({ rows }) => rows.every((row) => row.every(Number.isFinite)))) {
    throw new Error(`${dataset}: expected numbers in every column but the last`);
  }
  return { dataset, features: columns.slice(0, -1), people };
}
/** One person's rows by time. */
export interface Parts<T = Row> {
  /** The first 40 %: projection and template. */
  readonly early: readonly T[];
  /** The next 20 %: thresholds. */
  readonly middle: readonly T[];
  /** The last 40 %: tests. */
  readonly late: readonly T[];
}

export function inTime<T>(rows: readonly T[]): Parts<T> {
  const [first, second] = [Math.floor(rows.length * 0.4), Math.floor(rows.length * 0.6)];
  return { early: rows.slice(0, first), middle: rows.slice(first, second), late: rows.slice(second) };
}

const CLIPPED = 0.005;

/** About linear below the unit, logarithmic above it. */
export const signedLogarithm = (x: number, unit: number): number =>
  Math.sign(x) * Math.log1p(Math.abs(x) / unit);

/** The range of each feature's signed logarithms, without 0.5 % of these rows at either end. */
export function rangesOf(rows: readonly Row[], unit: number): (readonly [least: number, largest: number])[] {
  return rows[0]!.map((_, i) => {
    const values = rows.map((row) => signedLogarithm(row[i]!, unit));
    return [quantile(values, CLIPPED), quantile(values, 1 - CLIPPED)];
  });
}

/** Learnt from these rows: features on [−1, 1], 0 where a feature is constant. @param unit that of the logarithm, in the file's units */
export function preparation(rows: readonly Row[], unit = 1): (row: Row) => number[] {
  const ranges = rangesOf(rows, unit);
  return (row) =>
    ranges.map(([least, largest], i) => {
      if (largest === least) return 0;
      const inside = Math.min(largest, Math.max(least, signedLogarithm(row[i]!, unit)));
      return (inside - least - (largest - inside)) / (largest - least);
    });
}
