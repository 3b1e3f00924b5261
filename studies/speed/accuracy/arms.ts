/** One case of the study of accuracy: a data set, a method and a split, scored without projection and with both projections. */
import { randomBytes } from 'node:crypto';
import { type Components, principalAngles, project } from '@eigenveil/projection';
import { Discretiser, type Statistics, StatisticsAccumulator } from '@eigenveil/statistics';
import { checkTask, newTaskId, type Task, TaskProposal } from '@eigenveil/task';
import { generator, seedOf, shuffled } from '@eigenveil/testbed/random';
import { Thumbprint } from '@eigenveil/wire';
import type { Tidy } from '../../instrument/tidy.ts';
import { decomposeBetweenProcesses } from '../processes.ts';
import { decomposeRows } from './clear.ts';
import type { DataSet } from './data.ts';
import { encryptAndUnblind } from './encrypted.ts';
import { type Split, stratifiedFolds, stratifiedSplit } from './splits.ts';
import { type Grid, searchAll } from './svm.ts';
import { weightedF1 } from './weighted-f1.ts';

type Rows = readonly (readonly number[])[];
type Vectors = Pick<Components, 'vectors'>;

export interface Setting {
  readonly method: 'pca' | 'dca';
  /** Numbers of components to score, ascending; the last is that of the task. */
  readonly components: readonly number[];
  /** The number of the split, from 1. */
  readonly split: number;
  readonly testShare: number;
  readonly folds: number;
  readonly grid: Grid;
  readonly owners: number;
  readonly keyBits: number;
  /** ρ of DCA. */
  readonly ridge: number;
}

/** A record of the split, and the score of each arm: `none`, and for each k `encrypted` and `clear`; the encrypted one says how both differ. */
export async function scoreArms(
  data: DataSet,
  setting: Setting,
  note: (text: string) => void,
): Promise<Tidy[]> {
  const { method, components, owners, ridge } = setting;
  // Both methods have these.
  const next = generator(seedOf(`${data.name} split ${setting.split}`));
  const { train, test } = stratifiedSplit(data.labels, setting.testShare, next);
  const labels = train.map((row) => data.labels[row]!);
  const folds = stratifiedFolds(labels, setting.folds, next);

  const task = taskOf(data, setting, Math.ceil(train.length / owners));
  const discretiser = new Discretiser(task);
  const discrete = data.raw.map((row) => discretiser.discretise(row));
  note('encrypting, adding, blinding');
  const shares = await encryptAndUnblind(
    task,
    statisticsOfOwners(task, discrete, data.labels, shuffled(train, next)),
  );
  note('two-party computation');
  const { decomposition, andGates } = await decomposeBetweenProcesses(task, shares);
  const clear = decomposeRows(
    method,
    train.map((row) => data.scaled[row]!),
    labels,
    ridge,
  );

  note('grid search');
  const scores = await scoresOf(
    data,
    { train, test, folds, grid: setting.grid },
    projections(data, task, discrete, { components, encrypted: decomposition, clear }),
  );
  const choice = ({ cost, gamma }: Score) => `${cost} ${gamma}`;
  const record = (arm: string, k: number) => ({ arm, k, f1: scores.get(`${arm}/${k}`)!.f1 });
  return [
    {
      ...{ trainRows: train.length, testRows: test.length, andGates },
      unconverged: (decomposition.converged ?? []).filter((converged) => !converged).length,
    },
    { arm: 'none', f1: scores.get('none')!.f1 },
    ...components.flatMap((k) => {
      const [encryptedChoice, clearChoice] = ['encrypted', 'clear'].map((arm) =>
        choice(scores.get(`${arm}/${k}`)!),
      );
      return [
        {
          ...record('encrypted', k),
          angle: Math.max(...principalAngles(firstOf(decomposition, k).vectors, firstOf(clear, k).vectors)),
          sameParameters: encryptedChoice === clearChoice ? 'yes' : 'no',
        },
        record('clear', k),
      ];
    }),
  ];
}

function taskOf(
  { features, labelling }: DataSet,
  { method, components, owners, keyBits, ridge }: Setting,
  maximumSamplesPerOwner: number,
): Task {
  const thumbprint = Thumbprint.parse(randomBytes(32).toString('base64url'));
  const proposal = TaskProposal.parse({
    method: method === 'pca' ? { kind: 'pca' } : { kind: 'dca', form: 'standard', ridge, signalRidge: 0 },
    features,
    labellings: method === 'pca' ? [] : [labelling],
    components: components.at(-1),
    minimumOwners: 2,
    maximumOwners: owners,
    maximumSamplesPerOwner,
    keyBits,
    encryption: 'djn', // several times faster than 'standard'
    twoParty: 'garbled',
    exact: true,
    allowFullRank: true,
    deadline: new Date(Date.now() + 3_600_000).toISOString(),
  });
  checkTask(proposal);
  return { ...proposal, protocol: 'eigenveil/1', id: newTaskId(), csp: thumbprint, dataUser: thumbprint };
}

/** The statistics of each owner; rows are dealt out in turn. */
function statisticsOfOwners(
  task: Task,
  discrete: readonly (readonly number[])[],
  labels: readonly number[],
  rows: readonly number[],
): Statistics[] {
  const owners = Array.from({ length: task.maximumOwners }, () => new StatisticsAccumulator(task));
  rows.forEach((row, dealt) => {
    owners[dealt % owners.length]!.add(discrete[row]!, task.method.kind === 'pca' ? [] : [labels[row]!]);
  });
  return owners.map((owner) => owner.statistics());
}

interface Arm {
  readonly name: string;
  readonly rows: Rows;
}

function projections(
  { scaled }: DataSet,
  { fractionBits }: Task,
  discrete: Rows,
  { components, encrypted, clear }: { components: readonly number[]; encrypted: Vectors; clear: Vectors },
): Arm[] {
  // As owners do, who project the rows that they have rounded.
  const rounded = discrete.map((row) => row.map((value) => value / 2 ** fractionBits));
  return [
    { name: 'none', rows: scaled },
    ...components.flatMap((k) => [
      { name: `encrypted/${k}`, rows: project(firstOf(encrypted, k), rounded) },
      { name: `clear/${k}`, rows: project(firstOf(clear, k), scaled) },
    ]),
  ];
}

interface Score {
  /** The F1 score in percent. */
  readonly f1: number;
  readonly cost: number;
  readonly gamma: number;
}

/** Every arm's weighted F1, and its C and γ. */
async function scoresOf(
  { labels }: DataSet,
  { train, test, folds, grid }: Split & { folds: readonly number[]; grid: Grid },
  arms: readonly Arm[],
): Promise<Map<string, Score>> {
  const pick = <T>(from: readonly T[], rows: readonly number[]) => rows.map((row) => from[row]!);
  const outcomes = await searchAll(
    arms.map(({ rows }) => ({
      train: { rows: pick(rows, train), labels: pick(labels, train) },
      test: pick(rows, test),
      folds,
      grid,
    })),
  );
  return new Map(
    arms.map(({ name }, i) => {
      const { predicted, cost, gamma } = outcomes[i]!;
      return [name, { f1: 100 * weightedF1(pick(labels, test), predicted), cost, gamma }];
    }),
  );
}

/** Components descend, so that the first k of a larger projection are the projection with k components. */
function firstOf({ vectors }: Vectors, k: number): { vectors: number[][] } {
  return { vectors: vectors.slice(0, k) };
}
