/**
 * The spacing of a column that takes a few common values: codes, or values that lie anyhow, such as 0, 0.37
 * and 1.
 */

/**
 * The least part of the rows without the most frequent value that holds each common one; at least two rows
 * hold it, too.
 */
const LEAST_SHARE = 1 / 200;
/** All together they are held by so large a part of these: measured values hardly repeat. */
const COMMON_SHARE = 9 / 10;
/** Common values that are nearer than this part of the range count as one. */
const NEAR = 1 / 1000;
/** A value fits a spacing where it lies within this part of it. */
export const TOLERANCE = 1 / 25;
/**
 * The most common values that may be imputed ones, within the others and fitting no spacing; of so large a
 * part of the rows together.
 */
export const MOST_IMPUTED = 3;
const IMPUTED_SHARE = 1 / 4;
/** More common values lie on a grid, or anyhow, and then say nothing. */
const MOST_CODES = 24;

/** Different values in ascending order, and how many rows have each. */
export interface CountedValues {
  readonly values: readonly number[];
  readonly counts: readonly number[];
}

interface Code {
  readonly value: number;
  readonly rows: number;
}

/**
 * The least gap between common values; undefined where these are not nearly all.
 * @param range how far values may lie apart
 */
export function spacingOfValues({ values, counts }: CountedValues, range: number): number | undefined {
  if (values.length === 2) return values[1]! - values[0]!;
  const all = counts.reduce((sum, count) => sum + count, 0);
  const most = Math.max(...counts);
  const least = Math.max(2, LEAST_SHARE * (all - most));
  const codes: Code[] = [];
  for (const [i, value] of values.entries()) {
    if (counts[i]! < least) continue;
    const before = codes.at(-1);
    if (before !== undefined && value - before.value < NEAR * range)
      codes[codes.length - 1] = { ...before, rows: before.rows + counts[i]! };
    else codes.push({ value, rows: counts[i]! });
  }
  const common = codes.reduce((sum, { rows }) => sum + rows, 0);
  if (codes.length < 2 || common - most < COMMON_SHARE * (all - most)) return undefined;
  if (areSpaced(codes)) return leastGap(codes);
  if (codes.length > MOST_CODES) return undefined;
  for (let count = 1; count <= MOST_IMPUTED; count += 1) {
    const spacings = without(codes, count, IMPUTED_SHARE * all)
      .filter(areSpaced)
      .map(leastGap);
    if (spacings.length > 0) return Math.max(...spacings);
  }
  return leastGap(codes);
}

function leastGap(codes: readonly Code[]): number {
  return Math.min(...codes.slice(1).map(({ value }, i) => value - codes[i]!.value));
}

/** Says whether all lie on a grid of their least gap. */
function areSpaced(codes: readonly Code[]): boolean {
  const gap = leastGap(codes);
  return codes.every(({ value }) => {
    const steps = (value - codes[0]!.value) / gap;
    return Math.abs(steps - Math.round(steps)) <= TOLERANCE;
  });
}

/**
 * All choices without the given number of the inner ones, which are imputed ones for certain no ends, and
 * hold no more rows than given.
 */
function without(codes: readonly Code[], count: number, rows: number, from = 1): Code[][] {
  if (count === 0) return [[...codes]];
  const left: Code[][] = [];
  for (let i = from; i < codes.length - 1; i += 1) {
    if (codes[i]!.rows <= rows)
      left.push(...without(codes.toSpliced(i, 1), count - 1, rows - codes[i]!.rows, i));
  }
  return left;
}
