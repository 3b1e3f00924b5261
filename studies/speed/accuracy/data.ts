/** Data sets of the accuracy benchmark: rows in memory with each feature in [−1, 1]. */
import { type Draft, draftTask } from '@eigenveil/data-user';
import { readFileBytes, readRows } from '@eigenveil/statistics';
import { generator, seedOf } from '@eigenveil/testbed/random';
import type { OwnData } from '../../instrument/own-data.ts';
import { dataFile } from '../decompositions.ts';
import { stratifiedSplit } from './splits.ts';

export interface DataSet {
  readonly name: string;
  readonly features: Draft['features'];
  readonly labelling: Draft['labellings'][number];
  /** The values in the file's units. */
  readonly raw: readonly (readonly number[])[];
  /** The raw rows on [−1, 1], not rounded. */
  readonly scaled: readonly (readonly number[])[];
  /** Class indices. */
  readonly labels: readonly number[];
}

/** Larger data sets are cut down to about this number of rows: search by cross-validation takes the square of them. */
export const MOST_ROWS = 1000;

/** The rows of a data set, or undefined where `dataFile` does not find it. Ranges are those of the whole file. */
export async function loadDataSet(name: string): Promise<DataSet | undefined> {
  const file = await dataFile(name);
  if (file === undefined) return undefined;
  const { features, labellings } = await draftTask(file, { method: 'dca', labels: ['label'], ignore: [] });
  const all: Labelled[] = [];
  for await (const { values, classes } of readRows(readFileBytes(file), { features, labellings }))
    all.push({ values, label: classes[0]! });
  return dataSetOf(name, { features, labelling: labellings[0]! }, all);
}

/** The user's own rows, on the ranges that came with them. */
export function ownDataSet({ name, columns, ranges, rows, labels, classes }: OwnData): DataSet {
  const features = columns.map((column, i) => ({ name: column, min: ranges[i]![0], max: ranges[i]![1] }));
  const clip = (value: number, i: number) => Math.min(ranges[i]![1], Math.max(ranges[i]![0], value));
  return dataSetOf(
    name,
    { features, labelling: { column: 'label', classes: [...classes] } },
    rows.map((row, i) => ({ values: row.map(clip), label: labels[i]! })),
  );
}

interface Labelled {
  readonly values: readonly number[];
  readonly label: number;
}

function dataSetOf(
  name: string,
  { features, labelling }: Pick<DataSet, 'features' | 'labelling'>,
  all: readonly Labelled[],
): DataSet {
  const rows = sample(name, all);
  const raw = rows.map(({ values }) => values);
  return {
    name,
    features,
    labelling,
    raw,
    scaled: raw.map((row) => row.map((value, i) => scaleCell(features[i]!, value))),
    labels: rows.map(({ label }) => label),
  };
}

function sample<Row extends { readonly label: number }>(name: string, rows: readonly Row[]): readonly Row[] {
  if (rows.length <= MOST_ROWS) return rows;
  const labels = rows.map(({ label }) => label);
  const { test } = stratifiedSplit(labels, MOST_ROWS / rows.length, generator(seedOf(`${name} sample`)));
  return test.map((row) => rows[row]!);
}

/** Where x lies in its feature's range, as the discretiser maps it before it rounds. */
function scaleCell({ min, max }: { readonly min: number; readonly max: number }, x: number): number {
  return min === max ? 0 : (x - min - (max - x)) / (max - min);
}
