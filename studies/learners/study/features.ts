/**
 * Which features serve a private learner best, at one ε in all: raw ones, an exact projection, or a private one?
 *
 * Fixed before any sample was taken: eight data sets, ε from 0.1 to 10, twenty splits, PCA and DCA, a forest and logistic regression by SGD, both with
 * the settings of settings.ts; a private projection takes half of ε (of the forest's δ all, of SGD's half); margin, level and verdicts of
 * comparison/inference.ts. The exact projection is no option, as nothing covers what it tells of the rows: it shows what noise on the projection costs.
 */

import { CLASS_WEIGHTS, SCATTER_WEIGHTS } from '@eigenveil/methods';
import { noisePlan, type RandomSource, type StageTask, sampleNoise } from '@eigenveil/privacy';
import { generator, predictableRandomness, seedOf, shuffled } from '@eigenveil/testbed/random';
import type { Measurement, Suite, Unit, UnitResult } from '../../instrument/unit.ts';
import { type LaboratoryData, loadLaboratoryData } from '../../privacy/data.ts';
import type { Row } from '../../privacy/methods/index.ts';
import {
  add,
  centredScatter,
  eigenpairs,
  fromUpperTriangle,
  scaled,
  secondMoment,
  squareOf,
  sumOfRows,
  times,
  upperTriangle,
} from '../../privacy/methods/matrix.ts';
import { planDataSets } from '../../privacy/plan.ts';
import { classificationForest } from '../classification-forest.ts';
import { logisticModel } from '../models.ts';
import type { FeatureRange } from '../private-tree.ts';
import { privateDescent } from '../sgd.ts';
import { picked, splitOf } from './data.ts';
import { DESCENT, DP_DELTA, forestShape, STUDY_EPSILONS } from './settings.ts';

const NAME = 'features';
export const LEARNERS = ['forest', 'SGD'] as const;
export type LearnerName = (typeof LEARNERS)[number];
export const ARMS = ['raw', 'exact PCA', 'private PCA', 'exact DCA', 'private DCA'] as const;
export type Arm = (typeof ARMS)[number];
const MOST_COMPONENTS = 4;
/** Rows that a projection and a learner take: what keeps the study within half an hour. */
const MOST_LEARNT = 1000;
const FRACTION_BITS = 16;
const UNIT = 2 ** FRACTION_BITS;
/** Of a projected feature, in deviations; what lies beyond counts as its end. */
const REACH = 3;

export const featureSeries = (learner: LearnerName, arm: Arm): string => `${learner} ${arm}`;
export const findFeatures = (measurements: readonly Measurement[], dataset: string, epsilon: number) =>
  measurements.find(({ id }) => id === `${NAME}/${dataset}/${epsilon}`);

export function featuresSuite(reporting: Pick<Suite, 'highlights' | 'report'>): Suite {
  return {
    name: NAME,
    description: 'raw features, exact and private projections before a private learner',
    plan: (scale) =>
      planDataSets(scale, { what: 'features', quickSets: ['iris', 'breast_cancer'] }, (data) =>
        STUDY_EPSILONS.map((epsilon) => unitOf(data, epsilon, scale === 'quick' ? 3 : 20)),
      ),
    ...reporting,
  };
}

function unitOf(data: LaboratoryData, epsilon: number, seeds: number): Unit {
  const { name: dataset, features, rows, labels } = data;
  return {
    id: `${NAME}/${dataset}/${epsilon}`,
    title: `features, ${dataset}, ε = ${epsilon}`,
    parameters: { dataset, epsilon, seeds, dpDelta: DP_DELTA, mostLearnt: MOST_LEARNT, version: 1 },
    expectedSeconds: seeds * (0.1 + 1e-7 * rows.length * features * (Math.max(...labels) + 1)),
    measure: () => measure(dataset, epsilon, seeds),
  };
}

async function measure(dataset: string, epsilon: number, seeds: number): Promise<UnitResult> {
  const data = await loadLaboratoryData(dataset);
  if (data === undefined) throw new Error(`the data set ${dataset} has gone`);
  const classes = Math.max(...data.labels) + 1;
  const series: Record<string, { unit: 'points'; samples: number[] }> = {};
  for (let seed = 0; seed < seeds; seed += 1) {
    const { test, train } = splitOf(dataset, data.labels, seed, 'class');
    const next = generator(seedOf(`learners features ${dataset} ${seed}`));
    const split = { test, train: shuffled(train, next).slice(0, MOST_LEARNT) };
    const [rows, labels] = [picked(data.rows, split.train), picked(data.labels, split.train)];
    for (const learner of LEARNERS) {
      for (const arm of ARMS) {
        const source = predictableRandomness(
          `learners features ${dataset} ${epsilon} ${learner} ${arm} ${seed}`,
        );
        const projects = arm.startsWith('private');
        const shareOfDelta = learner === 'forest' ? 1 : 1 / 2;
        const reduce =
          arm === 'raw'
            ? (row: Row) => row.map((x) => x * Math.sqrt(data.features))
            : projection(source, rows, labels, {
                kind: arm.endsWith('PCA') ? 'pca' : 'dca',
                classes,
                epsilon: projects ? epsilon / 2 : Infinity,
                dpDelta: DP_DELTA * shareOfDelta,
              });
        const predict = learnt(source, learner, rows.map(reduce), labels, {
          classes,
          epsilon: projects ? epsilon / 2 : epsilon,
          dpDelta: projects ? DP_DELTA * shareOfDelta : DP_DELTA,
        });
        const right = split.test.filter(
          (row) => predict(reduce(data.rows[row]!)) === data.labels[row],
        ).length;
        const name = featureSeries(learner, arm);
        series[name] ??= { unit: 'points', samples: [] };
        series[name].samples.push(Number(((100 * right) / split.test.length).toFixed(4)));
      }
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { series, facts: { rows: data.rows.length, features: data.features, classes } };
}

interface Budget {
  readonly epsilon: number;
  readonly dpDelta: number;
}

/** Rows with features in [−1, 1]. The number of rows of a lot is taken as public: it sets a step's length, nothing else. */
function learnt(
  source: RandomSource,
  learner: LearnerName,
  rows: readonly Row[],
  labels: readonly number[],
  { classes, epsilon, dpDelta }: Budget & { readonly classes: number },
): (row: Row) => number {
  const k = rows[0]!.length;
  if (learner === 'forest') {
    const range: FeatureRange = { least: -1, largest: 1 };
    const ranges = new Array<FeatureRange>(k).fill(range);
    return classificationForest(source, rows, labels, { ...forestShape(k), ranges, classes, epsilon })
      .predict;
  }
  const short = (row: Row) => row.map((x) => x / Math.sqrt(k));
  const lot = DESCENT.rate * rows.length;
  const { predict } = privateDescent(source, rows.map(short), labels, logisticModel(k, classes), {
    ...DESCENT,
    lot,
    epsilon,
    dpDelta,
  });
  return (row) => predict(short(row));
}

export interface ProjectionOf extends Budget {
  readonly kind: 'pca' | 'dca';
  readonly classes: number;
}

/** Components, the mean of the rows, and their deviation along each component: as far as noise lets them be known. */
export interface Components {
  readonly scales: readonly { readonly w: readonly number[]; readonly deviation: number }[];
  readonly mean: readonly number[];
}

/** Components from the statistics of a task, with the noise of both servers, or exact for ε = Infinity; mean and deviations of the same statistics. */
export function privateComponents(
  source: RandomSource,
  rows: readonly Row[],
  labels: readonly number[],
  of: ProjectionOf,
): Components {
  const d = rows[0]!.length;
  const members = of.kind === 'pca' ? 1 : of.classes;
  const integers = rows.map((row) => row.map((x) => Math.trunc(x * UNIT) + 0));
  const task = taskOf(d, members, of);
  const exact = [
    ...upperTriangle(secondMoment(integers, d)),
    ...Array.from({ length: members }, (_, c) => {
      const own = of.kind === 'pca' ? integers : integers.filter((_row, i) => labels[i] === c);
      return [...sumOfRows(own, d), own.length];
    }).flat(),
  ];
  const plan = of.epsilon === Infinity ? undefined : noisePlan(task);
  const noises = plan === undefined ? [] : [sampleNoise(source, task, plan), sampleNoise(source, task, plan)];
  const noisy = exact.map((value, i) => noises.reduce((sum, noise) => sum + Number(noise[i]!), value));
  const triangle = (d * (d + 1)) / 2;
  const R = scaled(fromUpperTriangle(noisy.slice(0, triangle), d), UNIT ** -2);
  const sums = Array.from({ length: members }, (_, c) => {
    const at = triangle + c * (d + 1);
    return { V: noisy.slice(at, at + d).map((x) => x / UNIT), M: noisy[at + d]! };
  }).filter(({ M }) => M >= 1);
  const Q = Math.max(
    1,
    sums.reduce((sum, { M }) => sum + M, 0),
  );
  const V = sums.reduce((total, sum) => total.map((x, i) => x + sum.V[i]!), new Array<number>(d).fill(0));
  const total = centredScatter(R, V, Q);
  const noiseOfR = plan === undefined ? 0 : plan.deviations.R / UNIT ** 2;
  const components =
    of.kind === 'pca'
      ? eigenpairs(total)
          .slice(0, Math.min(MOST_COMPONENTS, d - 1))
          .map(({ vector }) => vector)
      : discriminants(
          sums.reduce((S, { V: sum, M }) => centredScatter(S, sum, M), R),
          total,
          // About what noise of that deviation adds to an eigenvalue, and a hundredth of a row's length at least.
          Math.max(Q / 100, 2 * noiseOfR * Math.sqrt(d)),
        ).slice(0, Math.min(MOST_COMPONENTS, of.classes - 1));
  const mean = V.map((x) => x / Q);
  const scales = components.map((w) => {
    const variance = w.reduce((sum, x, i) => sum + x * times(total, w)[i]!, 0) / Q;
    return { w, deviation: Math.sqrt(Math.min(1, Math.max(1e-4, variance))) };
  });
  return { scales, mean };
}

/** Rows along these components, so that three deviations become 1. */
export function projection(
  source: RandomSource,
  rows: readonly Row[],
  labels: readonly number[],
  of: ProjectionOf,
): (row: Row) => number[] {
  const { scales, mean } = privateComponents(source, rows, labels, of);
  return (row) =>
    scales.map(({ w, deviation }) => {
      const along = w.reduce((sum, x, i) => sum + x * (row[i]! - mean[i]!), 0);
      return Math.min(1, Math.max(-1, along / (REACH * deviation)));
    });
}

/** Of S̄ against S_W + ρI, unit vectors; what noise made negative in S_W counts as 0. */
function discriminants(
  within: readonly (readonly number[])[],
  total: readonly (readonly number[])[],
  ridge: number,
): number[][] {
  const d = within.length;
  const roots = eigenpairs(within).map(({ value, vector }) => ({
    factor: 1 / Math.sqrt(Math.max(0, value) + ridge),
    vector,
  }));
  const whitening = roots.reduce(
    (sum, { factor, vector }) =>
      add(
        sum,
        squareOf(d, (i, j) => factor * vector[i]! * vector[j]!),
      ),
    squareOf(d, () => 0),
  );
  const turned = whitening.map((row) => times(total, row));
  const product = squareOf(d, (i, j) => turned[i]!.reduce((sum, x, l) => sum + x * whitening[l]![j]!, 0));
  return eigenpairs(squareOf(d, (i, j) => (product[i]![j]! + product[j]![i]!) / 2)).map(({ vector }) => {
    const w = times(whitening, vector);
    const length = Math.hypot(...w);
    return w.map((x) => x / length);
  });
}

function taskOf(features: number, classes: number, of: Budget & { readonly kind: 'pca' | 'dca' }): StageTask {
  return {
    weights: of.kind === 'pca' ? SCATTER_WEIGHTS : CLASS_WEIGHTS,
    collectsR: true,
    features,
    classes: [classes],
    fractionBits: FRACTION_BITS,
    maximumOwners: 1,
    setting: {
      epsilon: of.epsilon,
      delta: of.dpDelta,
      neighbours: 'add-remove',
      clippingNorm: 1,
      noise: 'servers',
      honestOwners: null,
      dataIndependentRanges: true,
    },
  };
}
