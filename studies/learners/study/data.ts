/** Data sets of the study of learners: rows and targets with public ranges that follow from what a feature is, not from minima and maxima. */

import { CodedError } from '@eigenveil/platform';
import { generator, seedOf, shuffled } from '@eigenveil/testbed/random';
import { STUDY_CODES } from '../../instrument/codes.ts';
import type { OwnData, Range } from '../../instrument/own-data.ts';
import type { Asked, Omission } from '../../instrument/study.ts';
import { readLaboratoryFile } from '../../privacy/data.ts';
import { type Split, stratifiedSplit } from '../../speed/accuracy/splits.ts';
import type { FeatureRange } from '../private-tree.ts';

export interface Table {
  readonly rows: readonly (readonly number[])[];
  /** Class indices, or numbers. */
  readonly targets: readonly number[];
  readonly ranges: readonly FeatureRange[];
  /** The range of targets that are numbers. */
  readonly target: FeatureRange;
}

type Columns = Readonly<Record<string, Range>>;
const rangeOf = ([least, largest]: Range): FeatureRange => ({ least, largest });

/** Passengers of a cab, miles, dollars, hours, days, minutes; green or yellow. */
const TAXI: Columns = {
  passengers: [0, 6],
  distance: [0, 30],
  fare: [0, 100],
  tip: [0, 20],
  tolls: [0, 20],
  total: [0, 150],
  pickup_hour: [0, 24],
  weekday: [0, 6],
  duration_min: [0, 120],
  green: [0, 1],
};
/** Ranges have their documented meaning; thousands of dollars in 1978 stop at 50. `b`, which encodes race, is left out. */
const BOSTON: Columns = {
  crim: [0, 100],
  zn: [0, 100],
  indus: [0, 30],
  chas: [0, 1],
  nox: [0, 1],
  rm: [0, 10],
  age: [0, 100],
  dis: [0, 15],
  rad: [1, 24],
  tax: [0, 800],
  ptratio: [0, 30],
  lstat: [0, 40],
};
const IRIS: Columns = {
  sepal_length: [0, 10],
  sepal_width: [0, 10],
  petal_length: [0, 10],
  petal_width: [0, 10],
};

/** Each source: its file, its columns, those that are left out, the target and its range. */
const SOURCES = {
  iris: ['iris', IRIS, [], 'label', [0, 2]],
  taxi: ['nyc_taxi', TAXI, ['tip', 'total'], 'label', [0, 1]],
  'taxi with tip and total': ['nyc_taxi', TAXI, [], 'label', [0, 1]],
  'taxi fares': ['nyc_taxi', TAXI, ['tip', 'total', 'fare'], 'fare', [0, 100]],
  boston: ['boston', BOSTON, [], 'label', [0, 50]],
} as const;
export type SourceName = keyof typeof SOURCES;

/** Undefined where its file is neither bundled nor in EIGENVEIL_DATA. */
export async function tableOf(name: SourceName): Promise<Table | undefined> {
  const [file, columns, without, target, range] = SOURCES[name];
  const found = await readLaboratoryFile(file);
  if (found === undefined) return undefined;
  const kept = Object.keys(columns).filter((column) => !without.some((name) => name === column));
  const at = (column: string) => {
    const index = found.columns.indexOf(column);
    // Iris has names of its own in some copies; features stand in this order in all.
    return index < 0 ? Object.keys(columns).indexOf(column) : index;
  };
  const cells = found.lines.map((line) => line.map(Number));
  return {
    rows: cells.map((line) => kept.map((column) => line[at(column)]!)),
    targets: cells.map((line) => line[at(target)]!),
    ranges: kept.map((column) => rangeOf(columns[column]!)),
    target: rangeOf(range),
  };
}

/** The user's own rows: their class is learnt, as an index or, where classes are numbers, as the number. */
function ownTable({ rows, ranges, labels, labelRange, classes }: OwnData, learnt: 'class' | 'number'): Table {
  const values = learnt === 'class' ? [...classes.keys()] : classes.map(Number);
  const wrong = (message: string) => new CodedError(STUDY_CODES.ERR_STUDY_DATA, message);
  if (!values.every(Number.isFinite))
    throw wrong(
      'learners/regression learns numbers and expected "--label" to name a column of numbers; learners/accuracy and learners/features learn classes',
    );
  if (learnt === 'number' && labelRange === undefined)
    throw wrong('learners/regression learns "--label" as a number and expected a public range of it, too');
  const [least, largest] = labelRange ?? [0, classes.length - 1];
  return {
    rows,
    targets: labels.map((label) => Math.min(largest, Math.max(least, values[label]!))),
    ranges: ranges.map(rangeOf),
    target: { least, largest },
  };
}

/** The table of a case: the user's own rows, or the source of that name. */
export async function tableOfCase(
  source: string,
  own: OwnData | undefined,
  learnt: 'class' | 'number',
): Promise<Table> {
  const table = own === undefined ? await tableOf(source as SourceName) : ownTable(own, learnt);
  if (table === undefined) throw new Error(`the file of ${source} has gone`);
  return table;
}

/** The tables of a run: the user's own rows, or those of `sources` that are there. `what` names in omissions what is measured. */
export async function tablesOfRun(
  { own }: Asked,
  sources: readonly SourceName[],
  { what, learnt }: { readonly what: string; readonly learnt: 'class' | 'number' },
): Promise<{ readonly sizes: readonly TableSize[]; readonly omissions: readonly Omission[] }> {
  const sizeOf = (source: string, { rows, ranges }: Table) => ({
    ...{ source, rows: rows.length, features: ranges.length },
  });
  if (own !== undefined) return { sizes: [sizeOf(own.name, ownTable(own, learnt))], omissions: [] };
  const sizes: TableSize[] = [];
  const omissions: Omission[] = [];
  for (const source of sources) {
    const table = await tableOf(source);
    if (table !== undefined) sizes.push(sizeOf(source, table));
    else omissions.push({ what: `${what}, ${source}`, why: 'its file is not in the folder EIGENVEIL_DATA' });
  }
  return { sizes, omissions };
}

type TableSize = { readonly source: string; readonly rows: number; readonly features: number };

const TEST_SHARE = 0.3;

/** Splits by class, or at random: alike at one seed, whatever learns on it. */
export function splitOf(name: string, targets: readonly number[], seed: number, by: 'class' | 'row'): Split {
  const next = generator(seedOf(`learners split ${name} ${seed}`));
  if (by === 'class') return stratifiedSplit(targets, TEST_SHARE, next);
  const order = shuffled([...targets.keys()], next);
  const count = Math.round(TEST_SHARE * order.length);
  return { test: order.slice(0, count), train: order.slice(count) };
}

export const picked = <T>(items: readonly T[], rows: readonly number[]): T[] =>
  rows.map((row) => items[row]!);
