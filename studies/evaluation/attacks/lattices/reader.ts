/**
 * The one reader of whole numbers behind results: unknown whole numbers, equations for them that are right to some bits, and what is expected of them. Of all whole numbers it
 * finds those that fit best, as the point of a lattice that is nearest to a target.
 *
 * Equations may hold unknown real numbers, too, such as noise that was added: a triangular factor (Householder) of all of them with the real ones first leaves those
 * for the whole numbers alone, as many as there are unknowns, each with an error of deviation 1.
 */
import { closest, reduce } from './lll.ts';

/** Numbers by the place of the unknown that they multiply. */
type Terms = ReadonlyMap<number, number>;

/** Σ of whole unknowns + Σ of real unknowns = right, up to an error of this deviation. */
export interface Equation {
  readonly whole: Terms;
  readonly real: Terms;
  readonly right: number;
  readonly deviation: number;
}

/** The equation that one result tells. */
export interface Telling {
  readonly equations: readonly Equation[];
  /** Deviations of the unknown real numbers in its equations, which are around 0. */
  readonly reals: readonly number[];
}

/** The expectation of each whole unknown before any equation. */
export interface Expected {
  readonly mean: number;
  readonly deviation: number;
}

export interface Reading {
  readonly whole: number[];
  /** The best estimate in real numbers: the mean of what equations and expectation leave. */
  readonly real: number[];
  /** log₂ of how many lattice points equations and expectation leave for each unknown: below 0 where they single one out. */
  readonly pointsLeft: number;
}

/** Vectors of the lattice are rounded to so small a part of what the widest expectation makes of a unit. */
const LATTICE_BITS = 16;
/** The steps of the search for a point that is nearer than the one that nearest planes find. */
const SEARCH_STEPS = 100_000;
/** log₂ of the volume that a normal error of deviation 1 takes, per unknown. */
const NORMAL_BITS = Math.log2(2 * Math.PI * Math.E) / 2;

/** @throws as `reduce` */
export function readWhole(expected: readonly Expected[], tellings: readonly Telling[]): Reading {
  const near = expected.map(({ mean }) => Math.round(mean));
  const n = near.length;
  const told = tellings.flatMap((telling) => withoutReals(telling, near));
  const before = expected.map(({ mean, deviation }, u) => {
    const row = new Float64Array(n + 1);
    row[u] = 1 / deviation;
    row[n] = (mean - near[u]!) / deviation;
    return row;
  });
  const R = triangular([...told, ...before], n);
  const offset = backSubstituted(R, n);
  const beyond = wholeSolution(
    R,
    LATTICE_BITS + Math.log2(Math.max(...expected.map(({ deviation }) => deviation))),
  );
  return {
    whole: near.map((value, u) => value + beyond[u]!),
    real: near.map((value, u) => value + offset[u]!),
    pointsLeft: NORMAL_BITS - R.reduce((sum, row, u) => sum + Math.log2(Math.abs(row[u]!)), 0) / n,
  };
}

/** Whole numbers y for which R y is near to what stands behind R, as the nearest point that is found of the lattice of R's columns in units of 2^−bits. */
function wholeSolution(R: readonly Float64Array[], bits: number): number[] {
  const n = R.length;
  const column = (u: number) => R.map((row) => BigInt(Math.round(row[u]! * 2 ** Math.ceil(bits))));
  const columns = Array.from({ length: n }, (_, u) => column(u));
  const left = closest(reduce(columns), column(n), SEARCH_STEPS);
  const y = new Array<bigint>(n);
  // The columns are triangular, so that their multiples follow one after the other, exactly.
  for (let u = n - 1; u >= 0; u -= 1) {
    y[u] = left[u]! / columns[u]![u]!;
    for (let i = 0; i <= u; i += 1) left[i]! -= y[u]! * columns[u]![i]!;
  }
  return y.map(Number);
}

/** Equations for the whole unknowns alone, less what is near to them, in units of their errors. */
function withoutReals({ equations, reals }: Telling, near: readonly number[]): Float64Array[] {
  const [n, r] = [near.length, reals.length];
  const rows = equations.map(({ whole, real, right, deviation }) => {
    const row = new Float64Array(r + n + 1);
    for (const [v, factor] of real) row[v] = factor / deviation;
    for (const [u, factor] of whole) row[r + u] = factor / deviation;
    row[r + n] = [...whole].reduce((rest, [u, factor]) => rest - factor * near[u]!, right) / deviation;
    return row;
  });
  const around = reals.map((deviation, v) => {
    const row = new Float64Array(r + n + 1);
    row[v] = 1 / deviation;
    return row;
  });
  return triangular([...rows, ...around], r + n)
    .slice(r)
    .map((row) => row.slice(r));
}

/** The upper triangular factor of these rows, with what becomes of the right sides behind. There are at most `columns` rows. */
function triangular(rows: readonly Float64Array[], columns: number): Float64Array[] {
  for (let k = 0; k < Math.min(columns, rows.length); k += 1) {
    let square = 0;
    for (let i = k; i < rows.length; i += 1) square += rows[i]![k]! ** 2;
    if (square === 0) continue;
    const pivot = rows[k]!;
    const diagonal = pivot[k]! > 0 ? -Math.sqrt(square) : Math.sqrt(square);
    const scale = diagonal * (diagonal - pivot[k]!);
    pivot[k]! -= diagonal;
    for (let j = k + 1; j <= columns; j += 1) {
      let sum = 0;
      for (let i = k; i < rows.length; i += 1) sum += rows[i]![k]! * rows[i]![j]!;
      const factor = sum / scale;
      if (factor === 0) continue;
      for (let i = k; i < rows.length; i += 1) rows[i]![j]! -= factor * rows[i]![k]!;
    }
    pivot[k] = diagonal;
    for (let i = k + 1; i < rows.length; i += 1) rows[i]![k] = 0;
  }
  return rows.slice(0, columns);
}

function backSubstituted(R: readonly Float64Array[], n: number): number[] {
  const solution = new Array<number>(n).fill(0);
  for (let u = n - 1; u >= 0; u -= 1) {
    let rest = R[u]![n]!;
    for (let v = u + 1; v < n; v += 1) rest -= R[u]![v]! * solution[v]!;
    solution[u] = rest / R[u]![u]!;
  }
  return solution;
}
