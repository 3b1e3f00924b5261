/** Whole matrices from results without noise, method by method, and the same tasks with the floor. */
import type { ClaimId, Effort, Experiment, Setting } from '../../experiment.ts';
import type { Scene } from '../../scene.ts';
import { FLOOR, RELEASES } from './floor.ts';
import { type MatrixTask, matrixRun } from './matrices.ts';
import { COMMON, found, KNOWS, notFound } from './scoring.ts';
import { tooFewDivided } from './two-valued.ts';

interface Case {
  readonly id: string;
  readonly of: string;
  readonly claims: readonly ClaimId[];
  readonly task: MatrixTask;
  /** In a full run. */
  readonly full?: Partial<MatrixTask>;
  /** The most components that need no consent, which a floor must stand. */
  readonly most?: Readonly<Record<Effort, number>>;
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
    full: { features: 10 },
    most: { quick: 3, full: 4 },
  },
  {
    id: 'pca-rotated',
    of: 'a PCA by `rotated` with its spectrum alone',
    claims: ['S-105'],
    task: { ...PCA, twoParty: 'rotated', features: 7, components: 3, outputs: [], rows: 110, unknown: 'T' },
    full: { features: 10, components: 4 },
    most: { quick: 5, full: 8 },
  },
  {
    id: 'pca-garbled-mean',
    of: 'a PCA by `garbled` with its mean alone, and the number of rows from that',
    claims: ['S-106', 'S-107'],
    task: {
      ...PCA,
      twoParty: 'garbled',
      features: 5,
      components: 1,
      outputs: ['mean'],
      rows: 110,
      unknown: 'counts',
    },
    full: { features: 10, components: 4 },
    most: { quick: 2, full: 5 },
  },
  {
    id: 'pca-garbled',
    of: 'a PCA by `garbled` that declares nothing, and the number of rows with it',
    claims: ['S-106', 'S-113'],
    task: {
      ...PCA,
      twoParty: 'garbled',
      features: 5,
      components: 3,
      outputs: [],
      rows: 80,
      unknown: 'T and Q',
    },
    full: { features: 10, components: 5, rows: 60 },
    most: { quick: 4, full: 9 },
  },
  {
    id: 'correlation',
    of: 'a PCA of the correlation matrix by `garbled`',
    claims: ['S-103'],
    task: {
      ...CORRELATION,
      twoParty: 'garbled',
      features: 5,
      components: 1,
      outputs: ['mean', 'sampleCount'],
      rows: 110,
      unknown: 'counts',
    },
    full: { features: 10, components: 4 },
    most: { quick: 2, full: 5 },
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
    full: { features: 10 },
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
    of: "a DCA of the book's form by `rotated`",
    claims: ['S-114'],
    task: {
      ...BOOK,
      twoParty: 'rotated',
      features: 5,
      components: 1,
      outputs: ['mean'],
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
    full: { features: 8 },
  },
];

const classed: readonly string[] = ['dca', 'lda'];

const ofTask = ({ task, full }: Case) => ({
  ...COMMON,
  knows: classed.includes(task.method.kind)
    ? `${KNOWS}; sums of classes, with and without their noise`
    : KNOWS,
  omits: (scene: Scene) => tooFewDivided(scene, full?.features ?? task.features, task.rows),
});

const taskOf = ({ task, full }: Case, { effort }: Setting): MatrixTask =>
  effort === 'full' ? { ...task, ...full } : task;

const factsOfTask = ({ features, components, rows }: MatrixTask) => ({ features, components, rows });

/** Without noise: known leaks. */
const leaks = CASES.map(
  (own): Experiment => ({
    ...ofTask(own),
    id: `whole-${own.id}`,
    title: `The scatter matrix of two-valued features in whole numbers, from ${own.of} by lattice reduction`,
    expectation: 'control',
    claims: own.claims,
    sees: 'the result of an exact task, by the real protocol with dealt products, or with its circuit in the clear',
    run: (setting) => {
      const task = taskOf(own, setting);
      return found(setting, factsOfTask(task), (draws) => matrixRun(setting.scene, task, draws));
    },
  }),
);

/** With the floor. */
const promises = CASES.map(
  (own): Experiment => ({
    ...ofTask(own),
    id: `floored-${own.id}`,
    title: `The same from ${own.of}, with the floor, and as many components as need no consent`,
    expectation: 'holds',
    claims: ['S-703', 'S-712', ...(own.task.method.kind === 'ridge' ? (['S-715'] as const) : [])],
    sees: `the result of a task with its floor of ${FLOOR} products of grains, by the real protocol, without the data user's noise, which the attacker knows`,
    run: (setting) => {
      const planned = taskOf(own, setting);
      const components = own.most?.[setting.effort] ?? planned.components;
      // Also where the task tells no sums of rows the attacker has them.
      const task: MatrixTask = { ...planned, components, unknown: 'counts', releases: RELEASES };
      return notFound(setting, factsOfTask(task), (draws) => matrixRun(setting.scene, task, draws));
    },
  }),
);

export const MATRICES: readonly Experiment[] = [...leaks, ...promises];
