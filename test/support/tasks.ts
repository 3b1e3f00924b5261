/** Tasks and rows for end-to-end tests: from a bundled data set to proposals, owners' shares of the rows and references. */

import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { draftTask } from '@eigenveil/data-user';
import { METHODS } from '@eigenveil/made-up/tasks';
import { type FlatResult, flatResult, type ProjectionKind } from '@eigenveil/methods';
import { resultInClear } from '@eigenveil/projection';
import {
  addStatistics,
  RowAccumulator,
  readFileBytes,
  readRows,
  type Statistics,
} from '@eigenveil/statistics';
import { programOf, type Task, TaskProposal } from '@eigenveil/task';

/** Rows as an owner holds them: feature values in the file's units and a class index per labelling. */
export interface LabelledRows {
  readonly values: number[][];
  readonly classes: number[][];
}

export interface Example {
  readonly proposal: TaskProposal;
  readonly rows: LabelledRows;
}

export const dataFile = (name: string) => new URL(`../../data/${name}.csv`, import.meta.url).pathname;

/** What test tasks have in common; with short keys, which are refused unless they are asked for. */
function defaults() {
  return {
    components: 2,
    minimumOwners: 2,
    maximumOwners: 10,
    keyBits: 1024,
    allowInsecureKey: true,
    twoParty: 'simulated',
    exact: true,
    allowFullRank: true,
    deadline: new Date(Date.now() + 3_600_000).toISOString(),
  };
}

/** A proposal over made-up features f0, f1, … in [-1, 1]; `classCounts` has an entry per labelling. */
export function madeUpProposal(
  method: ProjectionKind,
  featureCount: number,
  classCounts: readonly number[] = [],
  changes: Record<string, unknown> = {},
): TaskProposal {
  return TaskProposal.parse({
    ...defaults(),
    method: METHODS[method],
    features: Array.from({ length: featureCount }, (_, i) => ({
      name: `f${i}`,
      min: -1,
      max: 1,
      grain: 'cell',
      twoValued: false,
    })),
    labellings: classCounts.map((count, l) => ({
      column: `label${l}`,
      classes: Array.from({ length: count }, (_, k) => `${k}`),
    })),
    maximumSamplesPerOwner: 100,
    ...changes,
  });
}

/** Of a histogram of two features in four bins each. */
export function madeUpHistogram(changes: Record<string, unknown> = {}): TaskProposal {
  return madeUpProposal('pca', 2, [], {
    method: { kind: 'histogram', height: 2, strategy: 'privelet' },
    ...{ components: 0, outputs: [], twoParty: 'linear', exact: false, allowFullRank: false },
    differentialPrivacy: {
      ...{ epsilon: 1, delta: 1e-6, neighbours: 'add-remove', clippingNorm: null },
      dataIndependentRanges: true,
    },
    ...changes,
  });
}

/** A proposal over a whole CSV file with short keys, and the file's rows. */
export async function exampleOf(
  file: string,
  method: ProjectionKind,
  changes: Record<string, unknown> = {},
  labels: readonly string[] = method === 'pca' ? [] : ['label'],
): Promise<Example> {
  const ignore = method === 'pca' ? ['label'] : [];
  const { rows: count, ...draft } = await draftTask(file, { method, labels, ignore });
  const proposal = TaskProposal.parse({
    ...draft,
    ...defaults(),
    maximumSamplesPerOwner: count,
    ...changes,
  });
  const rows: LabelledRows = { values: [], classes: [] };
  for await (const { values, classes } of readRows(readFileBytes(file), proposal, {
    ignoredColumns: ignore,
  })) {
    rows.values.push(values);
    rows.classes.push(classes);
  }
  return { proposal, rows };
}

/**
 * A copy of a CSV file in `folder` in which a numeric column has become a label: 1 from the threshold on, 0 below. Its
 * name gets the suffix _label and it comes last.
 */
export async function labelColumn(
  file: string,
  folder: string,
  column: string,
  threshold: number,
): Promise<string> {
  const table = (await readFile(file, 'utf8'))
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(','));
  const [header, ...rows] = table;
  const index = header!.indexOf(column);
  if (index < 0) throw new Error(`${file} has no column ${column}`);
  const lines = [
    [...header!.toSpliced(index, 1), `${column}_label`],
    ...rows.map((row) => [...row.toSpliced(index, 1), Number(row[index]) >= threshold ? '1' : '0']),
  ];
  const labelled = join(folder, `labelled-${basename(file)}`);
  await writeFile(labelled, `${lines.map((cells) => cells.join(',')).join('\n')}\n`);
  return labelled;
}

/** Every `owners`-th row to the same owner. */
export function split({ values, classes }: LabelledRows, owners: number): LabelledRows[] {
  return Array.from({ length: owners }, (_, owner) => ({
    values: values.filter((_, row) => row % owners === owner),
    classes: classes.filter((_, row) => row % owners === owner),
  }));
}

/** Every class to an owner of its own. */
export function splitByClass({ values, classes }: LabelledRows, count: number): LabelledRows[] {
  return Array.from({ length: count }, (_, k) => ({
    values: values.filter((_row, row) => classes[row]![0] === k),
    classes: classes.filter(([label]) => label === k),
  }));
}

/** What an owner computes from its rows. */
export function summarise(
  task: TaskProposal | Task,
  { values, classes }: LabelledRows,
  signs?: Int32Array,
): Statistics {
  const accumulator = new RowAccumulator(task, signs);
  for (const [i, row] of values.entries()) accumulator.addClassed(row, classes[i]!);
  return accumulator.statistics();
}

/** The clear reference: the sum of all owners' statistics, decomposed, in the form that is signed. */
export function reference(
  task: TaskProposal,
  owners: readonly LabelledRows[],
): { statistics: Statistics; decomposition: FlatResult } {
  const statistics = owners.map((rows) => summarise(task, rows)).reduce(addStatistics);
  return { statistics, decomposition: flatResult(resultInClear(programOf(task), statistics)) };
}
