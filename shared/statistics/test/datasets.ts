/** The bundled data sets and tasks over them, and sums computed the slow and obvious way. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { MethodParameters } from '@eigenveil/methods';
import type { StatisticsTask } from '@eigenveil/task';
import type { ClassSums, Statistics } from '../src/index.ts';

export const DATASETS = ['pima', 'breast_cancer', 'ionosphere', 'iris'] as const;

export interface Dataset {
  readonly path: string;
  readonly names: readonly string[];
  readonly rows: readonly (readonly number[])[];
  readonly labels: readonly string[];
}

export function loadDataset(name: (typeof DATASETS)[number]): Dataset {
  const path = fileURLToPath(new URL(`../../../data/${name}.csv`, import.meta.url));
  const [header, ...lines] = readFileSync(path, 'utf8').trim().split('\n');
  const cells = lines.map((line) => line.split(','));
  return {
    path,
    names: header!.split(',').slice(0, -1),
    rows: cells.map((row) => row.slice(0, -1).map(Number)),
    labels: cells.map((row) => row.at(-1)!),
  };
}

export function taskFor(
  dataset: Dataset,
  method: MethodParameters,
  overrides: Partial<StatisticsTask> = {},
): StatisticsTask {
  const classes = [...new Set(dataset.labels)].sort();
  const labelling = { column: 'label', classes };
  const labellings = method.kind === 'pca' ? [] : [labelling];
  return {
    method,
    features: dataset.names.map((name, i) => {
      const column = dataset.rows.map((row) => row[i]!);
      return { name, min: Math.min(...column), max: Math.max(...column) };
    }),
    labellings,
    fractionBits: 14,
    maximumOwners: 100,
    maximumSamplesPerOwner: 10_000,
    keyBits: 2048,
    statisticalSecurityBits: 40,
    ...overrides,
  };
}

/** A task over made-up features f0, f1, … in [-1, 1]. */
export function syntheticTask(
  dimension: number,
  method: MethodParameters,
  overrides: Partial<StatisticsTask> = {},
): StatisticsTask {
  const labelling = (column: string, count: number) => ({
    column,
    classes: Array.from({ length: count }, (_, k) => `${k}`),
  });
  const labellings = {
    pca: [],
    dca: [labelling('label', 3)],
    lda: [labelling('label', 3)],
    mdr: [labelling('utility', 3), labelling('privacy', 2)],
    ridge: [],
    pcr: [],
    moments: [],
    histogram: [],
  };
  return {
    method,
    features: Array.from({ length: dimension }, (_, i) => ({ name: `f${i}`, min: -1, max: 1 })),
    labellings: labellings[method.kind],
    fractionBits: 14,
    maximumOwners: 10,
    maximumSamplesPerOwner: 100_000,
    keyBits: 2048,
    statisticalSecurityBits: 40,
    ...overrides,
  };
}

export const METHODS = {
  pca: { kind: 'pca' },
  dca: { kind: 'dca', form: 'standard', ridge: 0.1, signalRidge: 0 },
  lda: { kind: 'lda', ridge: 0.1 },
  mdr: { kind: 'mdr', ridge: 0.1 },
} as const satisfies Record<string, MethodParameters>;

/** One integer at a time: sums of products by their definition. */
export function naiveStatistics(
  task: StatisticsTask,
  rows: readonly (readonly number[])[],
  classes: readonly (readonly number[])[],
): Statistics {
  const d = task.features.length;
  const x = rows.map((row) => row.map(BigInt));
  const sum = (terms: readonly bigint[]): bigint => terms.reduce((total, term) => total + term, 0n);
  const sumsOf = (members: readonly (readonly bigint[])[]): ClassSums => ({
    V: Array.from({ length: d }, (_, i) => sum(members.map((row) => row[i]!))),
    M: BigInt(members.length),
  });
  const R: bigint[] = [];
  for (let i = 0; i < d && task.method.kind !== 'mdr'; i++) {
    for (let j = i; j < d; j++) R.push(sum(x.map((row) => row[i]! * row[j]!)));
  }
  const labellings =
    task.labellings.length === 0
      ? [[sumsOf(x)]]
      : task.labellings.map((labelling, l) =>
          labelling.classes.map((_, k) => sumsOf(x.filter((_row, n) => classes[n]![l] === k))),
        );
  return { R, labellings, owners: 1n };
}
