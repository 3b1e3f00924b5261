/** Statistics of rows for tests, from made-up integers and from the bundled data sets. */

import { readFileSync } from 'node:fs';
import { type MethodParameters, methodOf } from '@eigenveil/methods';
import { Discretiser, type Statistics, StatisticsAccumulator } from '@eigenveil/statistics';
import type { Program, StatisticsTask } from '@eigenveil/task';

export const DATASETS = ['pima', 'breast_cancer', 'ionosphere', 'iris'] as const;

type Rows = readonly (readonly number[])[];

export const METHODS = {
  pca: { kind: 'pca' },
  dca: { kind: 'dca', form: 'standard', ridge: 0.5, signalRidge: 0 },
  lda: { kind: 'lda', ridge: 0.5 },
  mdr: { kind: 'mdr', ridge: 0.5 },
} as const satisfies Record<string, MethodParameters>;

export function programFor(
  method: MethodParameters,
  featureCount: number,
  overrides: Partial<Program> = {},
): Program {
  const classCounts = [3, 2].slice(0, methodOf({ method }).labellings);
  return {
    method,
    featureCount,
    classCounts,
    components: featureCount,
    fractionBits: 14,
    outputs: [],
    minimumOwners: 1,
    allowFullRank: true,
    twoValued: 0,
    ...overrides,
  };
}

/** Sums rows of integers; classes per row and labelling, none for PCA. */
export function sum(program: Program, rows: Rows, classes: Rows = []): Statistics {
  const accumulator = new StatisticsAccumulator({
    method: program.method,
    features: Array.from({ length: program.featureCount }, (_, i) => ({ name: `f${i}`, min: -1, max: 1 })),
    labellings: program.classCounts.map((count, l) => ({
      column: `label${l}`,
      classes: Array.from({ length: count }, (_, k) => `${k}`),
    })),
    fractionBits: program.fractionBits,
    maximumOwners: 1,
    maximumSamplesPerOwner: 1_000_000,
    keyBits: 2048,
    statisticalSecurityBits: 40,
  });
  rows.forEach((row, n) => {
    accumulator.add(row, classes[n] ?? []);
  });
  return accumulator.statistics();
}

export interface Prepared {
  readonly program: Program;
  readonly statistics: Statistics;
  /** Rows in [-1, 1] before they were rounded, and the same after. */
  readonly scaled: number[][];
  readonly rounded: number[][];
  /** Per row and labelling; MDR's privacy label splits the first feature at its median. */
  readonly classes: number[][];
}

export function prepare(
  name: (typeof DATASETS)[number],
  method: MethodParameters,
  fractionBits = 14,
): Prepared {
  const text = readFileSync(new URL(`../../../data/${name}.csv`, import.meta.url), 'utf8');
  const [header, ...lines] = text.trim().split('\n');
  const cells = lines.map((line) => line.split(','));
  const rows = cells.map((row) => row.slice(0, -1).map(Number));
  const labels = cells.map((row) => row.at(-1)!);
  const names = header!.split(',').slice(0, -1);
  const features: StatisticsTask['features'] = names.map((column, i) => {
    const values = rows.map((row) => row[i]!);
    return { name: column, min: Math.min(...values), max: Math.max(...values) };
  });
  const discretiser = new Discretiser({ features, fractionBits });
  const integers = rows.map((row) => discretiser.discretise(row));
  const utility = [...new Set(labels)].sort();
  const median = rows.map((row) => row[0]!).sort((a, b) => a - b)[rows.length >> 1]!;
  const { labellings } = methodOf({ method });
  const classes = rows.map((row, n) =>
    [utility.indexOf(labels[n]!), row[0]! < median ? 0 : 1].slice(0, labellings),
  );
  const classCounts = [utility.length, 2].slice(0, labellings);
  const program = programFor(method, names.length, { classCounts, fractionBits });
  return {
    program,
    statistics: sum(program, integers, classes),
    scaled: rows.map((row) =>
      row.map((x, i) => {
        const { min, max } = features[i]!;
        return min === max ? 0 : (2 * x - min - max) / (max - min);
      }),
    ),
    rounded: integers.map((row) => row.map((cell) => cell / 2 ** fractionBits)),
    classes,
  };
}
