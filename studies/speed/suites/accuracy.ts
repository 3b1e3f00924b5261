/** Weighted F1 of an SVM on encrypted, clear and no projection: `npm run bench -- --only accuracy`. */

import type { Omission, Plan, Scale, Suite, Unit } from '../../instrument/unit.ts';
import { type Setting, scoreArms } from '../accuracy/arms.ts';
import { loadDataSet, MOST_ROWS } from '../accuracy/data.ts';
import { accuracyHighlights, reportAccuracy } from '../accuracy/report.ts';
import { dataFile } from '../decompositions.ts';

interface Case {
  readonly dataset: string;
  readonly method: Setting['method'];
  /** The last is the published number, or, where that would be all features that vary, one less. */
  readonly components: readonly number[];
  readonly splits: number;
  /** Of one split. */
  readonly seconds: number;
}

type Protocol = Omit<Setting, 'method' | 'components' | 'split'>;

const powers = (...exponents: readonly number[]) => exponents.map((exponent) => 2 ** exponent);

const FULL: Protocol = {
  testShare: 0.3,
  folds: 3,
  grid: { costs: powers(-1, 1, 3, 5, 7), gammas: powers(-7, -5, -3, -1, 1) },
  owners: 10,
  keyBits: 2048,
  ridge: 1,
};
const QUICK: Protocol = { ...FULL, grid: { costs: powers(-1, 3), gammas: powers(-5, -2) } };

const FULL_CASES: readonly Case[] = [
  { dataset: 'pima', method: 'pca', components: [1, 2, 4, 7], splits: 10, seconds: 6 },
  { dataset: 'pima', method: 'dca', components: [1], splits: 10, seconds: 3 },
  { dataset: 'breast_cancer_10', method: 'pca', components: [1, 2, 4, 8], splits: 10, seconds: 5 },
  { dataset: 'breast_cancer_10', method: 'dca', components: [1], splits: 10, seconds: 2 },
  { dataset: 'australian', method: 'pca', components: [1, 2, 4, 8], splits: 10, seconds: 6 },
  { dataset: 'australian', method: 'dca', components: [1], splits: 10, seconds: 3 },
  { dataset: 'german', method: 'pca', components: [1, 2, 4, 8, 15], splits: 5, seconds: 15 },
  { dataset: 'german', method: 'dca', components: [1], splits: 5, seconds: 5 },
  { dataset: 'ionosphere', method: 'pca', components: [1, 2, 4, 8, 15], splits: 5, seconds: 15 },
  { dataset: 'ionosphere', method: 'dca', components: [1], splits: 5, seconds: 5 },
  { dataset: 'synthetic50', method: 'pca', components: [1, 2, 4, 8, 15], splits: 5, seconds: 40 },
  { dataset: 'synthetic50', method: 'dca', components: [1, 2], splits: 5, seconds: 14 },
  { dataset: 'iris', method: 'pca', components: [1, 2, 3], splits: 10, seconds: 3 },
  { dataset: 'iris', method: 'dca', components: [1, 2], splits: 10, seconds: 2 },
];
const QUICK_CASES: readonly Case[] = [
  { dataset: 'pima', method: 'pca', components: [2, 7], splits: 2, seconds: 3 },
  { dataset: 'pima', method: 'dca', components: [1], splits: 2, seconds: 2 },
  { dataset: 'iris', method: 'pca', components: [1, 3], splits: 2, seconds: 2 },
];

export const accuracy: Suite = {
  name: 'accuracy',
  description:
    'weighted F1 of an SVM on the encrypted projection, on the same in the clear and without projection',
  plan,
  highlights: accuracyHighlights,
  report: reportAccuracy,
};

async function plan(scale: Scale): Promise<Plan> {
  const [cases, protocol] = scale === 'full' ? [FULL_CASES, FULL] : [QUICK_CASES, QUICK];
  const missing = new Set<string>();
  for (const dataset of new Set(cases.map((it) => it.dataset)))
    if ((await dataFile(dataset)) === undefined) missing.add(dataset);
  return {
    units: cases
      .filter(({ dataset }) => !missing.has(dataset))
      .flatMap((it) => Array.from({ length: it.splits }, (_, i) => unitOf(it, protocol, i + 1))),
    omissions: [...missing].map(
      (dataset): Omission => ({
        what: `accuracy on ${dataset}`,
        why: 'the data set is not bundled and not in the folder EIGENVEIL_DATA',
      }),
    ),
  };
}

function unitOf({ dataset, method, components, seconds }: Case, protocol: Protocol, split: number): Unit {
  const { grid, ...rest } = protocol;
  return {
    id: `accuracy/${dataset}/${method}/${split}`,
    title: `accuracy: ${method.toUpperCase()} of ${dataset}, split ${split}`,
    parameters: {
      dataset,
      method,
      split,
      components: components.join(' '),
      ...rest,
      costs: grid.costs.join(' '),
      gammas: grid.gammas.join(' '),
      mostRows: MOST_ROWS,
    },
    expectedSeconds: seconds,
    measure: async (note) => {
      const data = await loadDataSet(dataset);
      if (data === undefined) throw new Error(`the data set ${dataset} has gone`);
      return scoreArms(data, { ...protocol, method, components, split }, note);
    },
  };
}
