/** Whole matrices from results without noise, method by method, and the same tasks with the floor. */
import type { ClaimId, Effort, Setting, Unworded } from '../../experiment.ts';
import type { Scene } from '../../scene.ts';
import { RELEASES } from './floor.ts';
import { type MatrixTask, matrixRun } from './matrices.ts';
import { COMMON, found, notFound } from './scoring.ts';
import { tooFewDivided } from './two-valued.ts';

interface Case {
  readonly id: string;
  readonly claims: readonly ClaimId[];
  readonly task: MatrixTask;
  /** The changes in a full run. */
  readonly full?: Partial<MatrixTask>;
  /** The most components that need no consent, which a floor must stand. */
  readonly most?: Readonly<Record<Effort, number>>;
}

const PCA = { kind: 'pca' } as const;
const CORRELATION = { kind: 'pca', scale: 'correlation' } as const;
const LDA = { kind: 'lda', ridge: 1 } as const;
const DCA = { kind: 'dca', form: 'standard', ridge: 1, signalRidge: 0 } as const;
const BOOK = { kind: 'dca', form: 'book', ridge: 1, signalRidge: 0.1 } as const;
const RIDGE = { kind: 'ridge', ridge: 1 } as const;

type Asked = Pick<MatrixTask, 'features' | 'components' | 'outputs'> & Partial<MatrixTask>;
const by =
  (twoParty: MatrixTask['twoParty']) =>
  (method: MatrixTask['method'], asked: Asked): MatrixTask => ({
    ...{ method, twoParty, rows: 110, unknown: 'counts' },
    ...asked,
  });
const [garbled, rotated] = [by('garbled'), by('rotated')];

const CASES: readonly Case[] = [
  {
    id: 'pca-rotated-mean',
    claims: ['S-103', 'S-104', 'S-105', 'S-107'],
    task: rotated(PCA, { features: 8, components: 2, outputs: ['mean'] }),
    full: { features: 10 },
    most: { quick: 3, full: 4 },
  },
  {
    id: 'pca-rotated',
    claims: ['S-105'],
    task: rotated(PCA, { features: 7, components: 3, outputs: [], unknown: 'T' }),
    full: { features: 10, components: 4 },
    most: { quick: 5, full: 8 },
  },
  {
    id: 'pca-garbled-mean',
    claims: ['S-106', 'S-107'],
    task: garbled(PCA, { features: 5, components: 1, outputs: ['mean'] }),
    full: { features: 10, components: 4 },
    most: { quick: 2, full: 5 },
  },
  {
    id: 'pca-garbled',
    claims: ['S-106', 'S-113'],
    task: garbled(PCA, { features: 5, components: 3, outputs: [], rows: 80, unknown: 'T and Q' }),
    full: { features: 10, components: 5, rows: 60 },
    most: { quick: 4, full: 9 },
  },
  {
    id: 'correlation',
    claims: ['S-103'],
    task: garbled(CORRELATION, { features: 5, components: 1, outputs: ['mean', 'sampleCount'] }),
    full: { features: 10, components: 4 },
    most: { quick: 2, full: 5 },
  },
  {
    id: 'lda',
    claims: ['S-114'],
    task: rotated(LDA, { features: 5, components: 1, outputs: ['mean'] }),
    full: { features: 10 },
  },
  {
    id: 'lda-garbled',
    claims: ['S-114'],
    task: garbled(LDA, { features: 5, components: 1, outputs: ['mean', 'classCounts'] }),
  },
  { id: 'dca', claims: ['S-114'], task: rotated(DCA, { features: 5, components: 1, outputs: ['mean'] }) },
  {
    id: 'dca-book',
    claims: ['S-114'],
    task: rotated(BOOK, { features: 5, components: 1, outputs: ['mean'] }),
  },
  {
    id: 'ridge',
    claims: ['S-671'],
    task: garbled(RIDGE, { features: 6, components: 0, outputs: ['mean', 'sampleCount'] }),
    full: { features: 8 },
  },
];

const ofTask = ({ task, full }: Case) => ({
  ...COMMON,
  omits: (scene: Scene) => tooFewDivided(scene, full?.features ?? task.features, task.rows),
});

const taskOf = ({ task, full }: Case, { effort }: Setting): MatrixTask =>
  effort === 'full' ? { ...task, ...full } : task;

const factsOfTask = ({ features, components, rows }: MatrixTask) => ({ features, components, rows });

/** Without noise: known leaks. */
const leaks = CASES.map(
  (own): Unworded => ({
    ...ofTask(own),
    id: `whole-${own.id}`,
    expectation: 'control',
    claims: own.claims,
    run: (setting) => {
      const task = taskOf(own, setting);
      return found(setting, factsOfTask(task), (draws) => matrixRun(setting.scene, task, draws));
    },
  }),
);

/** The cases with the floor. */
const promises = CASES.map(
  (own): Unworded => ({
    ...ofTask(own),
    id: `floored-${own.id}`,
    expectation: 'holds',
    claims: ['S-703', 'S-712', ...(own.task.method.kind === 'ridge' ? (['S-715'] as const) : [])],
    run: (setting) => {
      const planned = taskOf(own, setting);
      const components = own.most?.[setting.effort] ?? planned.components;
      // Also where the task tells no sums of rows the attacker has them.
      const task: MatrixTask = { ...planned, components, unknown: 'counts', releases: RELEASES };
      return notFound(setting, factsOfTask(task), (draws) => matrixRun(setting.scene, task, draws));
    },
  }),
);

export const MATRICES: readonly Unworded[] = [...leaks, ...promises];
