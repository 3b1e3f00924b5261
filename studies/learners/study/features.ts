/**
 * Which features serve a private learner best, at one ε in all: raw ones, an exact projection, or a private one?
 *
 * Fixed before any sample was taken: eight data sets, ε from 0.1 to 10, twenty splits, PCA and DCA, a forest and logistic regression by SGD, both with
 * the settings of settings.ts; a private projection takes half of ε (of the forest's δ all, of SGD's half); margin, level and verdicts of
 * privacy/inference.ts. The exact projection is no option, as nothing covers what it tells of the rows: it shows what noise on the projection costs.
 */

import type { RandomSource } from '@eigenveil/privacy';
import { generator, predictableRandomness, seedOf, shuffled } from '@eigenveil/testbed/random';
import { count, distinct, type Figure, least, mean, most, spread, where } from '../../instrument/figure.ts';
import { inSeries } from '../../instrument/results.ts';
import { type ChartOf, defineStudy } from '../../instrument/study.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { dataSetsOf, rowsOf } from '../../privacy/data.ts';
import type { Row } from '../../privacy/methods/method.ts';
import type { Budget } from '../../privacy/methods/stage.ts';
import { DECIDED, decidedOf, overDataSets, VERDICT_COUNTS } from '../compared.ts';
import { classificationForest } from '../forests.ts';
import { logisticModel } from '../models.ts';
import type { FeatureRange } from '../private-tree.ts';
import { projection } from '../projection.ts';
import { privateDescent } from '../sgd.ts';
import { picked, splitOf } from './data.ts';
import { DESCENT, DP_DELTA, EPSILON_TITLES, forestShape, STUDY_EPSILONS } from './settings.ts';

const LEARNERS = ['forest', 'SGD'] as const;
type LearnerName = (typeof LEARNERS)[number];
const ARMS = ['raw', 'exact PCA', 'private PCA', 'exact DCA', 'private DCA'] as const;
/** Rows that a projection and a learner take: what keeps the study within half an hour. */
const MOST_LEARNT = 1000;
const PAIRS = [
  ...['private PCA', 'private DCA', 'exact PCA', 'exact DCA'].map((of) => ({ of, against: 'raw' })),
  ...['PCA', 'DCA'].map((method) => ({ of: `private ${method}`, against: `exact ${method}` })),
];

const caseOf = (learner: LearnerName, of: string) => ({
  of: 'decided',
  where: { level: 'case', learner, of, against: 'raw' },
});
const difference = (learner: LearnerName, of: string, against: string, figure: Figure) => ({
  of: 'decided',
  where: { level: 'mean', learner, of, against, epsilon: 1 },
  figure,
});
const isOption = ({ of, against }: Tidy) => against === 'raw' && String(of).startsWith('private');
const ofOptions = (level: 'case' | 'mean') => ({
  of: 'decided',
  where: (record: Tidy) => record.level === level && isOption(record),
});

const overEpsilon = (learner: LearnerName): ChartOf => ({
  caption: `Accuracy of a private ${learner} over ε in all, mean over data sets`,
  of: 'overall',
  where: { learner },
  mark: 'line',
  x: { column: 'epsilon', scale: 'log' },
  y: { figure: mean('accuracy'), title: 'accuracy, %' },
  colour: 'arm',
});

export const features = defineStudy({
  id: 'learners/features',
  plan: async (asked) => {
    const { sets, omissions } = await dataSetsOf(asked, {
      what: 'features',
      quickSets: ['iris', 'breast_cancer'],
    });
    const seeds = asked.scale === 'quick' ? 3 : 20;
    const cases = sets.flatMap(({ name: dataset, features, rows, labels }) => {
      const size = { rows: rows.length, features, classes: Math.max(...labels) + 1 };
      const fixed = { dpDelta: DP_DELTA, mostLearnt: MOST_LEARNT };
      return STUDY_EPSILONS.map((epsilon) => ({ dataset, epsilon, seeds, ...size, ...fixed }));
    });
    return { cases, omissions };
  },
  titleOf: ({ dataset, epsilon }) => `features, ${dataset}, ε = ${epsilon}`,
  expectedSeconds: (of) => of.seeds * (0.1 + 1e-7 * of.rows * of.features * of.classes),
  async measure({ dataset, epsilon, seeds, classes }, { own }): Promise<Tidy[]> {
    const records: Tidy[] = [];
    const data = await rowsOf(dataset, own);
    for (let seed = 0; seed < seeds; seed += 1) {
      const { test, train } = splitOf(dataset, data.labels, seed, 'class');
      const next = generator(seedOf(`learners features ${dataset} ${seed}`));
      const some = shuffled(train, next).slice(0, MOST_LEARNT);
      const [rows, labels] = [picked(data.rows, some), picked(data.labels, some)];
      for (const learner of LEARNERS) {
        for (const arm of ARMS) {
          const name = `learners features ${dataset} ${epsilon} ${learner} ${arm} ${seed}`;
          const source = predictableRandomness(name);
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
          const right = test.filter((row) => predict(reduce(data.rows[row]!)) === data.labels[row]).length;
          const accuracy = Number(((100 * right) / test.length).toFixed(4));
          records.push({ seed, learner, arm, accuracy });
        }
      }
      // Lets an interruption be heard.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return inSeries(records);
  },
  columns: {
    dataset: { title: 'data set' },
    arm: { title: 'features' },
    epsilon: { title: 'ε in all', values: EPSILON_TITLES },
  },
  frames: {
    decided: (records) => decidedOf(records, { by: ['learner'], scores: ['accuracy'], pairs: PAIRS }),
    overall: (records) => overDataSets(records, ['learner', 'arm', 'epsilon'], ['accuracy']),
  },
  tables: {
    decided: {
      caption:
        'What the samples decide: the mean over data sets at each ε with its 95 % interval, not corrected, and its corrected verdict; and numbers of cases',
      of: 'decided',
      rows: ['learner', 'of', 'against'],
      ...DECIDED,
    },
    options: {
      caption: 'A private projection beside raw features: numbers of cases',
      of: 'decided',
      where: isOption,
      rows: ['learner', 'of'],
      cells: VERDICT_COUNTS,
    },
    accuracy: {
      caption: '{learner}: accuracy in percent, mean ± standard deviation over splits',
      each: ['learner'],
      rows: ['dataset', 'arm'],
      across: { column: 'epsilon', cell: spread('accuracy', { digits: 1 }) },
    },
  },
  charts: {
    'features-forest': { ...overEpsilon('forest'), isKept: true },
    'features-sgd': overEpsilon('SGD'),
  },
  facts: {
    sets: { figure: distinct('dataset') },
    cases: { ...caseOf('forest', 'exact DCA'), figure: count },
    ahead: { ...caseOf('forest', 'exact DCA'), figure: where({ verdict: 'ahead' }, count) },
    behind: { ...caseOf('forest', 'exact DCA'), figure: where({ verdict: 'behind' }, count) },
    gain: difference('forest', 'exact DCA', 'raw', mean('difference', { digits: 1 })),
    loss: difference('forest', 'private DCA', 'exact DCA', (records) =>
      mean('loss', { digits: 1 })(records.map((record) => ({ loss: -Number(record.difference) }))),
    ),
    gainOfDescent: {
      ...difference('SGD', 'exact DCA', 'raw', mean('difference', { digits: 1, signed: true })),
      where: { level: 'mean', learner: 'SGD', of: 'exact DCA', against: 'raw', epsilon: 0.1 },
    },
    aheadOfRaw: { ...ofOptions('case'), figure: where({ verdict: 'ahead' }, count) },
    casesOfOptions: { ...ofOptions('case'), figure: count },
    decidedMeans: { ...ofOptions('mean'), figure: where(({ verdict }) => verdict !== 'open', count) },
    best: { ...ofOptions('mean'), figure: most('difference', { digits: 1, signed: true }) },
    worst: { ...ofOptions('mean'), figure: least('difference', { digits: 1, signed: true }) },
  },
  holds: {
    rawServesBest: (fact) =>
      fact('decidedMeans') === 0 && fact('best') < 0 && fact('aheadOfRaw') < 0.05 * fact('casesOfOptions'),
    directionsHelp: (fact) => fact('ahead') > fact('cases') / 2 && fact('behind') === 0 && fact('gain') > 0,
    noiseCostsMore: (fact) => fact('loss') > fact('gain'),
  },
  words: new URL('features.md', import.meta.url),
});

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
    const ranges = new Array<FeatureRange>(k).fill({ least: -1, largest: 1 });
    const setting = { ...forestShape(k), ranges, classes, epsilon };
    return classificationForest(source, rows, labels, setting).predict;
  }
  const short = (row: Row) => row.map((x) => x / Math.sqrt(k));
  const lot = DESCENT.rate * rows.length;
  const setting = { ...DESCENT, lot, epsilon, dpDelta };
  const { predict } = privateDescent(source, rows.map(short), labels, logisticModel(k, classes), setting);
  return (row) => predict(short(row));
}
