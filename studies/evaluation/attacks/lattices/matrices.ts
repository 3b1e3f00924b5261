/** A task over two-valued features, by the real protocols, and what its reader makes of it: all entries of the scatter matrix jointly. */
import { type FlatResult, methodOf } from '@eigenveil/methods';
import { betweenClassScatter } from '@eigenveil/projection';
import type { Statistics } from '@eigenveil/statistics';
import { type Floor, floorOf, type Task } from '@eigenveil/task';
import type { Draws } from '../../draws.ts';
import { pooledStatistics } from '../../released.ts';
import type { Scene, SceneRow } from '../../scene.ts';
import { type Population, populationOf } from '../tasks/population.ts';
import { planted, realResult, withFloor } from './floor.ts';
import { type Asked, equationsOf } from './methods.ts';
import { readWhole, type Telling } from './reader.ts';
import { foundRows, leastMultiple } from './rows.ts';
import {
  countsUnknown,
  GRAIN,
  scatterAndRowsUnknown,
  scatterUnknown,
  tellingOf,
  type Unknowns,
} from './scatter.ts';
import { type Scored, scoreOf } from './scoring.ts';
import { drawnRows, type TwoValued, twoValuedTask, type Wanted } from './two-valued.ts';

export interface MatrixTask extends Wanted {
  readonly rows: number;
  /** The number of rows that have both of two features; T, where no mean is told; or T and the number of rows. */
  readonly unknown: 'counts' | 'T' | 'T and Q';
}

/** Equations are right to so many bits of the trace, or of Q·d where no spectrum tells that. */
const ERROR_BITS = {
  garbled: { pca: 21, dca: 24, lda: 28, ridge: 27 },
  rotated: { pca: 33, dca: 36, lda: 36, ridge: 0 },
} as const;
/** The bits of the error with a floor. */
const FLOORED_ERROR_BITS = 22;
/** Fraction bits of a mean by `garbled`. */
export const MEAN_BITS = 24;

/** Rows of one run, and what the attacker knows beforehand. */
export interface Drawn {
  readonly task: Task;
  readonly rows: readonly SceneRow[];
  readonly statistics: Statistics;
  /** The statistics that a floor's task is computed from. */
  readonly noised?: Statistics;
  readonly population: Population;
}

export function drawnTask(scene: Scene, { task, rowsOf }: TwoValued, count: number, draws: Draws): Drawn {
  const rows = rowsOf(drawnRows(scene, count, draws));
  const statistics = { ...pooledStatistics(task, [rows]), owners: BigInt(task.minimumOwners) };
  return { task, rows, statistics, population: populationOf(task, rowsOf(scene.publicSample)) };
}

export const drawnOf = (scene: Scene, wanted: MatrixTask, draws: Draws): Drawn =>
  drawnTask(scene, twoValuedTask(scene, wanted), wanted.rows, draws.of('rows'));

/** Draws rows, runs the task, and reads its result. @param low deviation of noise that is planted in an exact task, in products of grains */
export async function matrixRun(scene: Scene, wanted: MatrixTask, draws: Draws, low = 0): Promise<Scored> {
  const { unknown } = wanted;
  const drawn = drawnOf(scene, wanted, draws);
  const computed = low > 0 ? planted(drawn, low, draws.of('noise')) : drawn;
  const result = await realResult(computed, draws.of('floor'));
  const noised = withFloor(drawn, draws.of('floor'));
  const noise = floorOf(drawn.task)?.deviation ?? low;
  const found = rowsOf(drawn, result, unknown, noise);
  const unknowns = unknownsOf(drawn, found, unknown);
  const telling = tellingOfResult(unknowns, result, { ...drawn, noised }, noise);
  const reading = readWhole(unknowns.expected, [telling]);
  const whole = unknown === 'T and Q' ? withoutDivisor(reading.whole, drawn.task) : reading.whole;
  return scoreOf({ ...reading, whole }, truthOf(drawn, unknown));
}

/** The declared number of rows, or the least that fits the mean; for T and Q the middle of what the task allows. */
function rowsOf(
  { task, rows }: Drawn,
  { mean, sampleCount, classCounts }: FlatResult,
  unknown: MatrixTask['unknown'],
  noise: number,
) {
  const most = task.maximumOwners * task.maximumSamplesPerOwner;
  // The attacker shall know it all the same where noise hides it.
  if (noise > 0) return rows.length;
  if (unknown === 'T and Q') return most / 2;
  const counted = sampleCount ?? classCounts?.[0]?.reduce((sum, count) => sum + count, 0);
  if (counted !== undefined) return counted;
  const held = mean!.map((value) => (value + 1) / GRAIN);
  return foundRows({ grains: held, cut: 2 ** -MEAN_BITS / GRAIN, noise: 0 }, most);
}

function unknownsOf(
  { population, rows: members }: Drawn,
  rows: number,
  unknown: MatrixTask['unknown'],
): Unknowns {
  const known = { population, rows, singles: singlesOf(members) };
  switch (unknown) {
    case 'counts':
      return countsUnknown(known);
    case 'T':
      return scatterUnknown(known);
    case 'T and Q':
      return scatterAndRowsUnknown(known, rows / 2);
  }
}

/** T, with Q behind it: what they have in common is nothing that equations tell. */
function withoutDivisor(
  whole: readonly number[],
  { features: { length: d }, maximumOwners, maximumSamplesPerOwner }: Task,
): number[] {
  const diagonal = Array.from({ length: d }, (_, i) => i * d - (i * (i - 1)) / 2);
  const most = maximumOwners * maximumSamplesPerOwner;
  const { T, Q } = leastMultiple(whole.slice(0, -1), whole.at(-1)!, diagonal, most);
  return [...T, Q];
}

/** The number of rows that have each feature. The mean tells it, and who knows it without one reads noisy tasks no better than with it. */
export const singlesOf = (rows: readonly SceneRow[]): number[] =>
  rows[0]!.values.map((_, i) => rows.filter(({ values }) => values[i] === 1).length);

/** The number of rows that have both of two features. */
export const countsOf = (rows: readonly SceneRow[]): number[][] =>
  rows[0]!.values.map((_, i) =>
    rows[0]!.values.map((__, j) => rows.filter(({ values }) => values[i] === 1 && values[j] === 1).length),
  );

type Told = Pick<Drawn, 'task' | 'statistics' | 'rows' | 'noised'>;

/**
 * @param noise deviation of one server's, in products of grains: of the task's floor where nothing else is said
 * @param row of S̄, whose equations are taken alone
 */
export function tellingOfResult(
  unknowns: Unknowns,
  result: FlatResult,
  told: Told,
  noise = floorOf(told.task)?.deviation ?? 0,
  row?: number,
): Telling {
  const all = equationsOf(result, askedOf(result, told));
  return tellingOf(
    unknowns,
    row === undefined ? all : all.filter(({ terms }) => terms.every(({ i }) => i === row)),
    noise,
  );
}

/** The material of equations beside the result. */
export function askedOf({ spectrum }: FlatResult, { task, statistics, rows, noised }: Told): Asked {
  const { method, twoParty, features } = task;
  const floor = floorOf(task);
  if (
    method.kind === 'histogram' ||
    method.kind === 'moments' ||
    method.kind === 'mdr' ||
    method.kind === 'pcr' ||
    (twoParty !== 'garbled' && twoParty !== 'rotated')
  )
    throw new RangeError(
      '"task" expected one of linear equations for a scatter matrix by a private protocol',
    );
  const trace = spectrum?.reduce((sum, value) => sum + value, 0) ?? rows.length * features.length;
  return {
    method: withRidge(method, floor),
    ...betweenOf(task, statistics, noised),
    error: trace * 2 ** -(floor ? FLOORED_ERROR_BITS : ERROR_BITS[twoParty][method.kind]),
    cut:
      floor && !(methodOf({ method }).decomposes === 'correlation')
        ? 2 ** -floor.released.scatter * ROUNDED
        : 0,
  };
}

/** Deviation of what rounding subtracts, in units of the last place. */
const ROUNDED = 1 / Math.sqrt(12);

/** The matrix that must be positive definite has the floor's part of its diagonal, of features that are all as coarse. */
function withRidge(method: Task['method'], floor: Floor | undefined): Task['method'] {
  if (method.kind !== 'lda' && method.kind !== 'dca' && method.kind !== 'ridge') return method;
  return { ...method, ridge: method.ridge + (floor?.ridge[0] ?? 0) };
}

/** S_B, by sums of classes that the attacker may know, and with their noise, which it may know as well. */
function betweenOf(
  task: Task,
  statistics: Statistics,
  noised?: Statistics,
): Pick<Asked, 'between' | 'noised'> {
  if (task.labellings.length === 0) return {};
  const between = betweenClassScatter(statistics, 0, task.fractionBits);
  const sums = noised?.noisedSums;
  if (sums === undefined) return { between };
  const labellings = statistics.labellings.map((classes, l) =>
    classes.map(({ M }, k) => ({ M, V: sums[l]![k]! })),
  );
  const floor = floorOf(task)!;
  return { between, noised: betweenClassScatter({ ...statistics, labellings }, 0, floor.sumFractionBits) };
}

function truthOf({ rows }: Drawn, unknown: MatrixTask['unknown']): number[] {
  const [counts, singles, Q] = [countsOf(rows), singlesOf(rows), rows.length];
  const upper = counts.flatMap((row, i) =>
    unknown === 'counts'
      ? row.slice(i + 1)
      : row.slice(i).map((n, j) => Q * n - singles[i]! * singles[i + j]!),
  );
  return unknown === 'T and Q' ? [...upper, Q] : upper;
}
