/**
 * Forecasts what the floor will cost: its noise is drawn a few times over the sample's own statistics, at the
 * sample's number of rows and at as many as all owners may bring.
 */
import { type FlatResult, flatResult, methodOf } from '@eigenveil/methods';
import { isOf } from '@eigenveil/platform';
import { keyedRandomness } from '@eigenveil/privacy';
import {
  correlationOf,
  generalisedEigen,
  type Pencil,
  PROJECTION_CODES,
  pencil,
  resultInClear,
  totalScatter,
  undividedVariances,
} from '@eigenveil/projection/portable';
import {
  drawNoise,
  flatten,
  noisedStatistics,
  type Statistics,
  unflatten,
} from '@eigenveil/statistics/owner';
import { floorOf, type Program, programOf, type TaskProposal } from '@eigenveil/task';

type Matrix = readonly (readonly number[])[];

export interface FloorForecast {
  /**
   * The whole that a part is of: the variance, what distinguishes classes, or the variance of what is
   * predicted.
   */
  readonly of: 'variance' | 'separation' | 'target';
  /** The part of it that the exact result has in the sample: all of separation. */
  readonly exact: number;
  /**
   * The part that is left with the floor, on average; null where it may end with ERR_NOT_POSITIVE_DEFINITE.
   */
  readonly floor: readonly { readonly rows: number; readonly part: number | null }[];
}

/** The number of draws; fewer do for a large matrix. */
const DRAWS = 8;
const DRAWS_OF_LARGE = 3;
const LARGE = 60;
const SERVERS = ['csp', 'dataUser'] as const;
/** Draws are those of any other run, so that a draft says the same each time. */
const KEY = new Uint8Array(32);

/**
 * Says whether a task's floor can be forecast: it has one, no noise for differential privacy beside it, and
 * the grains that it follows from.
 */
export function hasForecast(task: TaskProposal): boolean {
  const areDeclared = task.features.every(({ min, max, grain }) => min === max || grain !== undefined);
  return areDeclared && task.differentialPrivacy === null && floorOf(task) !== undefined;
}

/**
 * Returns what is left with the floor, at the sample's number of rows and at as many as all owners may bring.
 * @param count how many draws of both servers' noise it is a mean of
 * @param partOf given the statistics with noise and without
 * @param signs of a task with `sketch`: Ω
 * @throws but ends of a result by its numbers, which give null
 */
export function partsWithFloor(
  task: TaskProposal,
  {
    statistics,
    rows,
    count,
  }: { readonly statistics: Statistics; readonly rows: number; readonly count: number },
  partOf: (noised: Statistics, exact: Statistics) => number,
  signs?: Int32Array,
): FloorForecast['floor'] {
  const source = keyedRandomness(KEY);
  const draws = Array.from({ length: count }, () =>
    SERVERS.map((server) => drawNoise(task, server, source, signs)),
  );
  const values = flatten(task, statistics);
  return [1, task.maximumOwners].map((times) => {
    const many = values.map((value) => value * BigInt(times));
    const exact = unflatten(task, many);
    const parts = draws.map((noises) => orNull(() => partOf(noisedStatistics(task, many, noises), exact)));
    return { rows: rows * times, part: meanOf(parts) };
  });
}

/**
 * Forecasts the floor; undefined for a sketch, where there is no floor, or noise for differential privacy
 * beside it, without grains, and where the sample has no result.
 */
export function forecastFloor(
  task: TaskProposal,
  { statistics, rows }: { readonly statistics: Statistics; readonly rows: number },
): FloorForecast | undefined {
  if (task.sketch !== undefined || !hasForecast(task)) return undefined;
  const count = task.features.length > LARGE ? DRAWS_OF_LARGE : DRAWS;
  try {
    const floor = partsWithFloor(task, { statistics, rows, count }, (noised, many) =>
      partOfResult(task, many)(resultOf(task, noised)),
    );
    const exact = { ...task, exact: true };
    return { of: ofMethod(task), exact: partOfResult(task, statistics)(resultOf(exact, statistics)), floor };
  } catch (error) {
    if (isOf(PROJECTION_CODES, error)) return undefined;
    throw error;
  }
}

function ofMethod(task: TaskProposal): FloorForecast['of'] {
  const { result, decomposes } = methodOf(task);
  if (result === 'regression') return 'target';
  return decomposes === 'pencil' ? 'separation' : 'variance';
}

/** Makes the program of a sample; elsewhere it is said whether the sample has the rank for it. */
export function programFor(task: TaskProposal): Program {
  return { ...programOf(task), minimumOwners: 1, allowFullRank: true };
}

/** Returns the result that the statistics of a sample have. */
export const resultOf = (task: TaskProposal, statistics: Statistics): FlatResult =>
  flatResult(resultInClear(programFor(task), statistics));

/** Returns a function that says what a result has of these exact statistics; not a number where these have nothing. */
export function partOfResult(task: TaskProposal, statistics: Statistics): (result: FlatResult) => number {
  const { result, decomposes, sums } = methodOf(task);
  const total = sums(task).R ? totalScatter(statistics, task.fractionBits) : [];
  if (result === 'regression')
    return ({ regression }) => {
      const w = [...regression!.weights, -1];
      return 1 - form(total, w, w) / total.at(-1)!.at(-1)!;
    };
  if (decomposes === 'pencil') {
    const exact = pencil(programFor({ ...task, exact: true }), statistics);
    const { values } = generalisedEigen(exact.A, exact.B!);
    return ({ vectors }) => criterion(exact, vectors) / sum(values.slice(0, vectors.length));
  }
  // A result of a correlation matrix has vectors of features as they are.
  const ofCorrelation = decomposes === 'correlation';
  const scales = ofCorrelation ? undividedVariances(total).map(Math.sqrt) : total.map(() => 1);
  const A = ofCorrelation ? correlationOf(total) : total;
  return ({ vectors }) => {
    const scaled = vectors.map((vector) => vector.map((entry, i) => entry * scales[i]!));
    return criterion({ A }, scaled) / sum(A.map((row, i) => row[i]!));
  };
}

function orNull(part: () => number): number | null {
  try {
    return part();
  } catch (error) {
    if (isOf(PROJECTION_CODES, error)) return null;
    throw error;
  }
}

function meanOf(parts: readonly (number | null)[]): number | null {
  return parts.reduce<number | null>(
    (sum, part) => (sum === null || part === null ? null : sum + part / parts.length),
    0,
  );
}

/** Says it in words, in one line. */
export function describeFloor(task: TaskProposal, forecast: FloorForecast | undefined): string[] {
  if (forecast === undefined) return [];
  const { components } = task;
  const { of, exact, floor } = forecast;
  const [own, all] = floor.map(({ part }) => (part === null ? 'perhaps no result' : percent(part)));
  const points = `${own} with as many rows as the sample has (${rowsOf(floor[0])}), and ${all} with one such sample from each owner (${rowsOf(floor[1])})`;
  if (of === 'variance')
    return [
      `the floor: in the sample ${components} components capture ${percent(exact)} of the variance${methodOf(task).decomposes === 'correlation' ? ' of standardised features' : ''}; with noise of both servers ${points}`,
    ];
  if (of === 'target')
    return [
      `the floor: in the sample a regression explains ${percent(exact)} of the variance; with noise of both servers ${points}`,
    ];
  return [
    `the floor: of what distinguishes the classes of the sample, components with noise of both servers keep ${points}`,
  ];
}

const rowsOf = (point: FloorForecast['floor'][number] | undefined) => point?.rows.toLocaleString('en-US');

function percent(part: number): string {
  return `${(100 * part).toFixed(1)} %`;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** aᵀ S b. */
function form(matrix: Matrix, a: readonly number[], b: readonly number[]): number {
  return sum(matrix.map((row, i) => a[i]! * sum(row.map((entry, j) => entry * b[j]!))));
}

/**
 * Returns what the span of the vectors has of the pencil, or of A beside the unit matrix: the sum of its
 * eigenvalues in there.
 */
function criterion({ A, B }: Pencil, vectors: Matrix): number {
  const unit = () => vectors[0]!.map((_, i) => vectors[0]!.map((__, j) => Number(i === j)));
  const within = (matrix: Matrix) => vectors.map((a) => vectors.map((b) => form(matrix, a, b)));
  return sum(generalisedEigen(within(A), within(B ?? unit())).values);
}
