/** The scatter matrix of two-valued features as whole unknowns: how many rows have both of two features, or T where the mean is not told. */
import type { Population } from '../tasks/population.ts';
import type { Equation, Expected, Telling } from './reader.ts';

/** The spacing of two-valued features in [−1, 1]. */
export const GRAIN = 2;

/** An equation for entries of S̄ of features in [−1, 1]. */
export interface ScatterEquation {
  readonly terms: readonly { readonly i: number; readonly j: number; readonly factor: number }[];
  readonly right: number;
  /** The deviation of what it is wrong by. */
  readonly error: number;
  /** The part that was cut off an eigenvalue, which is the same in all equations of its component. */
  readonly cut?: { readonly component: number; readonly factor: number; readonly deviation: number };
}

/** An entry of S̄ is `constant`, or `factor` times an unknown more. */
interface Entry {
  readonly constant: number;
  readonly unknown?: { readonly place: number; readonly factor: number };
}

export interface Unknowns {
  readonly expected: readonly Expected[];
  /** i ≤ j. */
  entry(i: number, j: number): Entry;
  /** The place of Q, where it is unknown: entries are those of Q·S̄ then. */
  readonly rows?: { readonly place: number; readonly about: number };
}

/** The things that are told of the rows. */
interface Known {
  readonly population: Population;
  /** Q. */
  readonly rows: number;
  /** The number of rows that have each feature. */
  readonly singles: readonly number[];
}

/** An entry of S̄ of a number of rows, as the public sample lets expect it: both are samples. */
function expectedEntry({ rows: sample, mean, covariance }: Population, rows: number) {
  return (i: number, j: number): Expected => {
    const products = sample.map((row) => (row[i]! - mean[i]!) * (row[j]! - mean[j]!));
    const average = products.reduce((sum, x) => sum + x, 0) / products.length;
    const variance = products.reduce((sum, x) => sum + (x - average) ** 2, 0) / products.length;
    // The rows' own mean, which is not the sample's, subtracts this.
    const ofMeans = covariance.get(i, i) * covariance.get(j, j) * (1 + rows / sample.length);
    return {
      mean: rows * covariance.get(i, j),
      deviation: Math.sqrt((rows * variance + ofMeans) * (1 + rows / sample.length)),
    };
  };
}

/** No expectation is so sure that it leaves less than a whole number's neighbours. */
const LEAST_DEVIATION = 0.5;

/** Unknowns for the entries of an upper triangle, row by row, with what is expected of each. */
function numbered(d: number, first: 0 | 1, expected: (i: number, j: number) => Expected) {
  const places = new Map<string, number>();
  const all: Expected[] = [];
  for (let i = 0; i < d; i += 1) {
    for (let j = i + first; j < d; j += 1) {
      const { mean, deviation } = expected(i, j);
      places.set(`${i},${j}`, all.length);
      all.push({ mean, deviation: Math.max(LEAST_DEVIATION, deviation) });
    }
  }
  return { expected: all, placeOf: (i: number, j: number) => places.get(`${i},${j}`)! };
}

/** Where mean and number of rows are told: n_ij for i < j, S̄_ij = 4·(n_ij − n_i n_j/Q). */
export function countsUnknown({ population, rows, singles }: Known): Unknowns {
  const square = GRAIN ** 2;
  const constant = (i: number, j: number) => (-square * singles[i]! * singles[j]!) / rows;
  const entryOf = expectedEntry(population, rows);
  const { expected, placeOf } = numbered(singles.length, 1, (i, j) => {
    const { mean, deviation } = entryOf(i, j);
    return { mean: (mean - constant(i, j)) / square, deviation: deviation / square };
  });
  return {
    expected,
    entry: (i, j) =>
      i === j
        ? { constant: square * singles[i]! + constant(i, i) }
        : { constant: constant(i, j), unknown: { place: placeOf(i, j), factor: square } },
  };
}

/** Where the number of rows is told alone: T_ij = Q n_ij − n_i n_j for i ≤ j, S̄_ij = 4·T_ij/Q. */
export function scatterUnknown({ population, rows }: Omit<Known, 'singles'>): Unknowns {
  const factor = GRAIN ** 2 / rows;
  const entryOf = expectedEntry(population, rows);
  const { expected, placeOf } = numbered(population.mean.length, 0, (i, j) => {
    const { mean, deviation } = entryOf(i, j);
    return { mean: mean / factor, deviation: deviation / factor };
  });
  return { expected, entry: (i, j) => ({ constant: 0, unknown: { place: placeOf(i, j), factor } }) };
}

/** The unknowns where nothing is told: T and Q, which is expected to be `rows` up to a deviation. */
export function scatterAndRowsUnknown(
  { population, rows }: Omit<Known, 'singles'>,
  deviation: number,
): Unknowns {
  const factor = GRAIN ** 2;
  const entryOf = expectedEntry(population, rows);
  const { expected, placeOf } = numbered(population.mean.length, 0, (i, j) => {
    const own = entryOf(i, j);
    // Q·S̄ grows with the square of Q.
    const wide = Math.hypot(rows * own.deviation, 2 * own.mean * deviation);
    return { mean: (rows * own.mean) / factor, deviation: wide / factor };
  });
  return {
    expected: [...expected, { mean: rows, deviation }],
    entry: (i, j) => ({ constant: 0, unknown: { place: placeOf(i, j), factor } }),
    rows: { place: expected.length, about: rows },
  };
}

/** One row of that: how many rows have this feature and each other. */
export function countsOfRow(known: Known, row: number): Unknowns {
  const { expected: all, entry } = countsUnknown(known);
  const others = known.singles.flatMap((_, m) => (m === row ? [] : [m]));
  const whole = (m: number) => entry(Math.min(row, m), Math.max(row, m));
  return {
    expected: others.map((m) => all[whole(m).unknown!.place]!),
    entry: (i, j) => {
      const own = whole(i === row ? j : i);
      const place = others.indexOf(i === row ? j : i);
      return own.unknown ? { ...own, unknown: { ...own.unknown, place } } : own;
    },
  };
}

/** Where sums of rows are told and R is whole in some unit: by noise that is rounded, or by the products of a grain. */
export function productsUnknown(
  { population, rows, sums }: Omit<Known, 'singles'> & { readonly sums: readonly number[] },
  {
    unit,
    noise = 0,
    diagonal,
  }: { readonly unit: number; readonly noise?: number; readonly diagonal?: number },
): Unknowns {
  const constant = (i: number, j: number) => (-sums[i]! * sums[j]!) / rows;
  const entryOf = expectedEntry(population, rows);
  const { expected, placeOf } = numbered(sums.length, 0, (i, j) => {
    if (i === j && diagonal !== undefined)
      return { mean: diagonal / unit, deviation: (noise * Math.SQRT2) / unit };
    const own = entryOf(i, j);
    return { mean: (own.mean - constant(i, j)) / unit, deviation: Math.hypot(own.deviation, noise) / unit };
  });
  return {
    expected,
    entry: (i, j) => ({ constant: constant(i, j), unknown: { place: placeOf(i, j), factor: unit } }),
  };
}

/**
 * Returns the equations for S̄ in the unknowns.
 * @param noise deviation of the noise on S̄ in products of grains (√2 times that on the diagonal), which the equations are about as well; 0 for none
 */
export function tellingOf(
  { entry, rows }: Unknowns,
  equations: readonly ScatterEquation[],
  noise: number,
): Telling {
  const reals: number[] = [];
  const realAt = new Map<string, number>();
  const realPlace = (key: string, deviation: number) => {
    const place = realAt.get(key) ?? reals.push(deviation) - 1;
    realAt.set(key, place);
    return place;
  };
  const noisePlace = (i: number, j: number) =>
    realPlace(`${i},${j}`, noise * GRAIN ** 2 * (i === j ? Math.SQRT2 : 1));
  const add = (terms: Map<number, number>, place: number, factor: number) =>
    terms.set(place, (terms.get(place) ?? 0) + factor);
  const told = equations.map(({ terms, right, error, cut }): Equation => {
    const [whole, real] = [new Map<number, number>(), new Map<number, number>()];
    let rest = rows === undefined ? right : 0;
    if (rows !== undefined) add(whole, rows.place, -right);
    for (const { i, j, factor } of terms) {
      const [a, b] = [Math.min(i, j), Math.max(i, j)];
      const { constant, unknown } = entry(a, b);
      rest -= factor * constant;
      if (unknown !== undefined) add(whole, unknown.place, factor * unknown.factor);
      if (noise > 0) add(real, noisePlace(a, b), factor * (rows?.about ?? 1));
    }
    if (cut !== undefined)
      add(real, realPlace(`${cut.component}`, cut.deviation), cut.factor * (rows?.about ?? 1));
    return { whole, real, right: rest, deviation: error * (rows?.about ?? 1) };
  });
  return { equations: told, reals };
}
