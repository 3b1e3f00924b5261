/** Whole matrices from results without noise, method by method, and the same tasks with the floor. */
import { mean } from '@eigenveil/testbed/goodness/mean';
import { Draws } from '../../draws.ts';
import type { ClaimId, Experiment, Setting } from '../../experiment.ts';
import type { Scene } from '../../scene.ts';
import { exactly } from '../in-process/exact.ts';
import { FLOOR_DEVIATION } from './floor.ts';
import { type MatrixTask, matrixRun, type Scored } from './matrices.ts';
import { tooFewDivided } from './two-valued.ts';

/** As many as a verdict among all experiments needs. */
const RUNS = { quick: 24, full: 40 } as const;
const FLOORED_RUNS = { quick: 10, full: 50 } as const;
/** Part of the entries that rounding gets wrong which a run must get right to be an exception: by chance it is a tenth at most. */
const EXCEPTION = 0.5;

/** What all attacks on whole numbers have in common. */
export const COMMON = {
  kind: 'attack',
  attacker: 'recipient',
  secret: 'pooled statistics',
  unit: 'run',
  scenes: ['ionosphere'],
  control: 'the best estimate of the same numbers in real numbers from the same result, rounded',
  baseline: 'as the control',
} as const satisfies Partial<Experiment>;

export const KNOWS =
  'that features have two values, so that the scatter matrix is one of counts; how many rows have each; a public sample';

/** Runs of an attack, one after the other, each with draws of its own. */
export async function scored(
  { effort, seed }: Setting,
  runs: Readonly<Record<Setting['effort'], number>>,
  run: (draws: Draws) => Promise<Scored>,
): Promise<Scored[]> {
  const draws = new Draws(seed);
  const all: Scored[] = [];
  for (let i = 0; i < runs[effort]; i += 1) all.push(await run(draws.of(i)));
  return all;
}

const factsOf = (all: readonly Scored[]) => ({
  'log₂ of lattice points left per entry': Number(mean(all.map(({ pointsLeft }) => pointsLeft)).toFixed(2)),
});

/** Of a known leak: the reader beside rounding, run by run. */
export async function found(
  setting: Setting,
  facts: Readonly<Record<string, number | string>>,
  run: (draws: Draws) => Promise<Scored>,
) {
  const all = await scored(setting, RUNS, run);
  const control = all.map((own) => own.control);
  return {
    kind: 'trials' as const,
    ...{ attack: all.map(({ attack }) => attack), control, paired: true as const, baseline: mean(control) },
    facts: { ...facts, ...factsOf(all) },
  };
}

/** Of a promise: one run in which the reader gets most of what rounding gets wrong refutes it. */
export async function notFound(
  setting: Setting,
  facts: Readonly<Record<string, number | string>>,
  run: (draws: Draws) => Promise<Scored>,
) {
  const all = await scored(setting, FLOORED_RUNS, run);
  const share = (values: readonly number[]) => Number(mean(values).toFixed(3));
  return exactly(
    all.map(({ attack, control }) => attack - control > EXCEPTION * (1 - control)),
    'a matrix of which lattice reduction finds half of what rounding gets wrong',
    {
      facts: {
        ...facts,
        'entries right': share(all.map(({ attack }) => attack)),
        'right by rounding': share(all.map(({ control }) => control)),
        ...factsOf(all),
      },
    },
  );
}

interface Case {
  readonly id: string;
  readonly of: string;
  readonly claims: readonly ClaimId[];
  readonly task: MatrixTask;
}

const PCA = { method: { kind: 'pca' } } as const;
const CORRELATION = { method: { kind: 'pca', scale: 'correlation' } } as const;
const LDA = { method: { kind: 'lda', ridge: 1 } } as const;
const DCA = { method: { kind: 'dca', form: 'standard', ridge: 1, signalRidge: 0 } } as const;
const BOOK = { method: { kind: 'dca', form: 'book', ridge: 1, signalRidge: 0.1 } } as const;
const RIDGE = { method: { kind: 'ridge', ridge: 1 } } as const;

const CASES: readonly Case[] = [
  {
    id: 'pca-rotated-mean',
    of: 'a PCA by `rotated` with mean and spectrum',
    claims: ['S-103', 'S-104', 'S-105', 'S-107'],
    task: {
      ...PCA,
      twoParty: 'rotated',
      features: 8,
      components: 2,
      outputs: ['mean'],
      rows: 110,
      unknown: 'counts',
    },
  },
  {
    id: 'pca-rotated',
    of: 'a PCA by `rotated` with its spectrum alone',
    claims: ['S-105'],
    task: { ...PCA, twoParty: 'rotated', features: 7, components: 3, outputs: [], rows: 110, unknown: 'T' },
  },
  {
    id: 'pca-garbled-mean',
    of: 'a PCA by `garbled` with its mean alone, and the number of rows from that',
    claims: ['S-106', 'S-107'],
    task: {
      ...PCA,
      twoParty: 'garbled',
      features: 6,
      components: 1,
      outputs: ['mean'],
      rows: 110,
      unknown: 'counts',
    },
  },
  {
    id: 'pca-garbled',
    of: 'a PCA by `garbled` that declares nothing, and the number of rows with it',
    claims: ['S-106', 'S-113'],
    task: {
      ...PCA,
      twoParty: 'garbled',
      features: 6,
      components: 4,
      outputs: [],
      rows: 80,
      unknown: 'T and Q',
    },
  },
  {
    id: 'correlation',
    of: 'a PCA of the correlation matrix by `garbled`',
    claims: ['S-103'],
    task: {
      ...CORRELATION,
      twoParty: 'garbled',
      features: 6,
      components: 2,
      outputs: ['mean', 'sampleCount'],
      rows: 110,
      unknown: 'counts',
    },
  },
  {
    id: 'lda',
    of: 'one direction of an LDA by `rotated`',
    claims: ['S-114'],
    task: {
      ...LDA,
      twoParty: 'rotated',
      features: 5,
      components: 1,
      outputs: ['mean'],
      rows: 110,
      unknown: 'counts',
    },
  },
  {
    id: 'lda-garbled',
    of: 'one direction of an LDA by `garbled`',
    claims: ['S-114'],
    task: {
      ...LDA,
      twoParty: 'garbled',
      features: 5,
      components: 1,
      outputs: ['mean', 'classCounts'],
      rows: 110,
      unknown: 'counts',
    },
  },
  {
    id: 'dca',
    of: 'one direction of a DCA by `rotated`',
    claims: ['S-114'],
    task: {
      ...DCA,
      twoParty: 'rotated',
      features: 5,
      components: 1,
      outputs: ['mean'],
      rows: 110,
      unknown: 'counts',
    },
  },
  {
    id: 'dca-book',
    of: "a DCA of the book's form by `garbled`",
    claims: ['S-114'],
    task: {
      ...BOOK,
      twoParty: 'garbled',
      features: 5,
      components: 1,
      outputs: ['mean', 'classCounts'],
      rows: 110,
      unknown: 'counts',
    },
  },
  {
    id: 'ridge',
    of: 'a ridge regression by `garbled`',
    claims: ['S-671'],
    task: {
      ...RIDGE,
      twoParty: 'garbled',
      features: 6,
      components: 0,
      outputs: ['mean', 'sampleCount'],
      rows: 110,
      unknown: 'counts',
    },
  },
];

const ofTask = ({ of, task }: Case) => ({
  ...COMMON,
  knows: 'labellings' in task || task.method.kind !== 'pca' ? `${KNOWS}; sums of classes` : KNOWS,
  omits: (scene: Scene) => tooFewDivided(scene, task.features, task.rows),
  of,
});

const factsOfTask = ({ features, components, rows }: MatrixTask) => ({ features, components, rows });

/** Without noise: known leaks. */
const leaks = CASES.map(
  (own): Experiment => ({
    ...ofTask(own),
    id: `whole-${own.id}`,
    title: `The scatter matrix of two-valued features in whole numbers, from ${own.of} by lattice reduction`,
    expectation: 'control',
    claims: own.claims,
    sees: `the result of a task without a floor, by the real protocol with dealt products or with its circuit in the clear`,
    run: (setting) =>
      found(setting, factsOfTask(own.task), (draws) => matrixRun(setting.scene, own.task, 0, draws)),
  }),
);

/** With the floor. */
const promises = CASES.map(
  (own): Experiment => ({
    ...ofTask(own),
    id: `floored-${own.id}`,
    title: `The same from ${own.of}, with the noise of one server on the scatter matrix`,
    expectation: 'holds',
    claims: ['S-703'],
    sees: `the result of a task over statistics with Gaussian noise of ${FLOOR_DEVIATION.toFixed(2)} products of grains, as it would be without the other server's noise, which the attacker knows`,
    run: (setting) =>
      notFound(setting, factsOfTask(own.task), (draws) =>
        matrixRun(setting.scene, own.task, FLOOR_DEVIATION, draws),
      ),
  }),
);

export const MATRICES: readonly Experiment[] = [...leaks, ...promises];
