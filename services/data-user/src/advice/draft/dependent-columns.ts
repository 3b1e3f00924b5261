/**
 * Columns of a sample that follow from others in every row: copies, complements, the last one of a one-hot
 * group, sums. A task is better without them: they have nothing of their own to say, and who knows what they
 * follow from averages the noise of the floor away.
 */
import type { SampleColumn } from './sample-column.ts';

/** The most columns among which any are looked for. */
const MOST_COLUMNS = 256;
/** The most rows that are looked at. */
const MOST_ROWS = 20_000;
/**
 * A column follows from others where these leave no more of its variance. Doubles leave 10^-13 of it, and who
 * measures something of its own far more; a residue so small is below the rounding of owners' cells.
 */
const LEFT = 1e-11;
/** A part of a column that is less, in standard deviations, is rounding. */
const NO_PART = 1e-4;
/**
 * The least number of rows, since fewer may agree by chance: of the sample, for each column that others
 * follow from, and of those without a column's most frequent value.
 */
const LEAST_ROWS = 60;
const ROWS_PER_COLUMN = 4;
const LEAST_VARYING_ROWS = 8;
/** The most columns that are named. */
const MOST_NAMED = 8;

/**
 * Sums of products of the columns' differences from their means, which move with each row so that large means
 * cost no digits.
 */
export class SampleScatter {
  readonly #d: number;
  readonly #sums: Float64Array;
  readonly means: Float64Array;
  rows = 0;

  private constructor(columns: number) {
    this.#d = columns;
    this.#sums = new Float64Array(columns * columns);
    this.means = new Float64Array(columns);
  }

  /** Returns undefined for more columns than are looked at. */
  static of(columns: number): SampleScatter | undefined {
    return columns > MOST_COLUMNS ? undefined : new SampleScatter(columns);
  }

  /** @param values those that are no numbers spoil their column alone */
  add(values: readonly (number | undefined)[]): void {
    if (this.rows >= MOST_ROWS) return;
    this.rows += 1;
    const d = this.#d;
    const before = values.map((value, i) => (value ?? Number.NaN) - this.means[i]!);
    for (let i = 0; i < d; i += 1) this.means[i]! += before[i]! / this.rows;
    const part = 1 - 1 / this.rows;
    for (let i = 0; i < d; i += 1) {
      const own = part * before[i]!;
      for (let j = i; j < d; j += 1) this.#sums[i * d + j]! += own * before[j]!;
    }
  }

  at(i: number, j: number): number {
    return this.#sums[Math.min(i, j) * this.#d + Math.max(i, j)]!;
  }
}

/** A column that its scatter knows by a number. */
interface Candidate {
  readonly column: SampleColumn;
  readonly at: number;
  /** Says whether it stays whatever it follows from. */
  readonly keep: boolean;
}

export interface Dependent {
  readonly name: string;
  /** The columns that it follows from, in words. */
  readonly why: string;
}

/**
 * Finds the columns that follow from the ones before them, or from ones that stay, in the order of the
 * candidates. Cholesky's factorisation of the columns' correlations, which leaves out every column of which
 * nothing is left.
 */
export function dependentColumns(scatter: SampleScatter, candidates: readonly Candidate[]): Dependent[] {
  if (scatter.rows < LEAST_ROWS) return [];
  const varying = candidates.filter(({ at }) => scatter.at(at, at) > 0);
  const deviation = (at: number) => Math.sqrt(scatter.at(at, at));
  const correlation = (one: Candidate, other: Candidate) =>
    scatter.at(one.at, other.at) / (deviation(one.at) * deviation(other.at));
  const kept: { readonly of: Candidate; readonly row: readonly number[] }[] = [];
  const found = new Map<Candidate, string>();
  for (const own of [...varying.filter(({ keep }) => keep), ...varying.filter(({ keep }) => !keep)]) {
    const row: number[] = [];
    for (const [k, { of, row: other }] of kept.entries()) {
      const explained = row.reduce((sum, part, i) => sum + part * other[i]!, 0);
      row.push((correlation(own, of) - explained) / other[k]!);
    }
    const left = 1 - row.reduce((sum, part) => sum + part * part, 0);
    if (left > LEFT) {
      kept.push({ of: own, row: [...row, Math.sqrt(left)] });
      continue;
    }
    const parts = solved(
      kept.map((it) => it.row),
      row,
    ).flatMap((weight, k) => {
      const { of } = kept[k]!;
      const slope = (weight * deviation(own.at)) / deviation(of.at);
      return Math.abs(weight) > NO_PART ? [{ of, slope }] : [];
    });
    const isSure =
      scatter.rows >= ROWS_PER_COLUMN * (parts.length + 1) && own.column.varyingRows() >= LEAST_VARYING_ROWS;
    if (!own.keep && isSure) found.set(own, whyOf(scatter, own, parts));
  }
  return candidates.flatMap((candidate) => {
    const why = found.get(candidate);
    return why === undefined ? [] : [{ name: candidate.column.name, why }];
  });
}

/** w of Lᵀ w = b, for the rows of L. */
function solved(rows: readonly (readonly number[])[], b: readonly number[]): number[] {
  const w = [...b];
  for (let k = w.length - 1; k >= 0; k -= 1) {
    w[k]! /= rows[k]![k]!;
    for (let i = 0; i < k; i += 1) w[i]! -= rows[k]![i]! * w[k]!;
  }
  return w;
}

interface Part {
  readonly of: Candidate;
  readonly slope: number;
}

function whyOf(scatter: SampleScatter, own: Candidate, parts: readonly Part[]): string {
  const names = (of: readonly Candidate[]) => namesIn(of.map(({ column }) => column.name));
  const others = parts.map(({ of }) => of);
  if (isOneHot(scatter, own, parts))
    return parts.length === 1
      ? `is the complement of ${names(others)}`
      : `is 1 where ${names(others)} are 0, as of a one-hot group`;
  const [only] = parts;
  if (parts.length !== 1) return `follows from ${names(others)}`;
  const isCopy =
    Math.abs(only!.slope - 1) <= NO_PART &&
    Math.abs(meanOf(scatter, own) - meanOf(scatter, only!.of)) <= NO_PART * deviationOf(scatter, own);
  return `is ${isCopy ? 'a copy' : 'a multiple'} of ${names(others)}`;
}

const meanOf = (scatter: SampleScatter, { at }: Candidate) => scatter.means[at]!;
const deviationOf = (scatter: SampleScatter, { at }: Candidate) =>
  Math.sqrt(scatter.at(at, at) / scatter.rows);

/** Says whether all take two values alone, and each row has the greater one of exactly one of them. */
function isOneHot(scatter: SampleScatter, own: Candidate, parts: readonly Part[]): boolean {
  const all = [own, ...parts.map(({ of }) => of)];
  if (!all.every(({ column }) => column.range!.twoValued)) return false;
  const width = ({ column }: Candidate) => column.range!.max - column.range!.min;
  const share = (it: Candidate) => (meanOf(scatter, it) - it.column.range!.min) / width(it);
  const falls = parts.every(({ of, slope }) => Math.abs((slope * width(of)) / width(own) + 1) <= NO_PART);
  return falls && Math.abs(all.reduce((sum, it) => sum + share(it), 0) - 1) <= NO_PART;
}

function namesIn(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMED).map((name) => JSON.stringify(name));
  const more = names.length - shown.length;
  if (more > 0) return `${shown.join(', ')} and ${more} more`;
  return shown.length === 1 ? shown[0]! : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

/** Returns what is said of columns that a draft leaves out. */
export function describeDependent(dependent: readonly Dependent[]): string[] {
  if (dependent.length === 0) return [];
  const shown = dependent.slice(0, MOST_NAMED).map(({ name, why }) => `${JSON.stringify(name)} ${why}`);
  const more = dependent.slice(MOST_NAMED).map(({ name }) => name);
  return [
    `${dependent.length === 1 ? 'a column is left out that follows' : `${dependent.length} columns are left out that follow`} from others in every row of the sample, and by which the noise of the floor would average away: ${shown.join('; ')}${more.length > 0 ? `; and ${namesIn(more)}` : ''}. Owners whose files have them give --ignore; --keep keeps those that it names`,
  ];
}
