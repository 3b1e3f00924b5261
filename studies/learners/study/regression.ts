/** Squared error and R² of learners of numbers, over ε and over the number of samples: private forest, and sample and aggregate of forests and of boosted trees. */

import { predictableRandomness } from '@eigenveil/testbed/random';
import { RandomForestRegression } from 'ml-random-forest';
import type { Measurement, Scale, Suite, Unit, UnitResult } from '../../instrument/unit.ts';
import { boostedTrees } from '../boosted-trees.ts';
import { regressionForest } from '../regression-forest.ts';
import { type Learner, sampleAndAggregate } from '../sample-and-aggregate.ts';
import { plan } from './accuracy.ts';
import { picked, type SourceName, splitOf, type Table } from './data.ts';
import { BOOSTING, deeperShape, forestShape, STUDY_EPSILONS } from './settings.ts';

const NAME = 'regression';
export const REGRESSED: readonly SourceName[] = ['boston', 'taxi fares'];
/** m, and what is taken where it is not varied. */
export const PARTS: readonly number[] = [3, 11, 31, 61];
export const SHOWN_PARTS = 31;
/** Answers that are asked for, and that one ε has to do for where it is that of all. */
export const ANSWERS = 50;
/** Of a run: what boosting exactly on all of a long table would take. */
const MOST_LEARNT = 1500;

export const findRegression = (measurements: readonly Measurement[], source: SourceName) =>
  measurements.find(({ id }) => id === `${NAME}/${source}`);

export const AGGREGATED = ['forest', 'boosted'] as const;
export const privateForest = (epsilon: number): string => `forest ${epsilon}`;
/** `each`: ε for each answer, as in the thesis. `all`: for all of them together. */
export const aggregated = (
  learner: (typeof AGGREGATED)[number],
  parts: number,
  epsilon: number,
  of: 'each' | 'all',
): string => `aggregate ${learner} ${parts} ${epsilon} ${of}`;

export function regressionSuite(reporting: Pick<Suite, 'highlights' | 'report'>): Suite {
  return {
    name: NAME,
    description: 'MSE and R² of forests and of sample and aggregate',
    plan: (scale) => plan(REGRESSED, 'regression', (source, table) => unitOf(source, table, scale)),
    ...reporting,
  };
}

function unitOf(source: SourceName, table: Table, scale: Scale): Unit {
  const seeds = scale === 'quick' ? 2 : 20;
  return {
    id: `${NAME}/${source}`,
    title: `numbers, ${source}`,
    parameters: {
      source,
      seeds,
      epsilons: STUDY_EPSILONS.join(' '),
      parts: PARTS.join(' '),
      answers: ANSWERS,
      version: 1,
    },
    expectedSeconds: seeds * 3,
    measure: () => measure(source, table, seeds),
  };
}

async function measure(source: SourceName, table: Table, seeds: number): Promise<UnitResult> {
  const series: Record<string, { unit: 'count'; samples: number[] }> = {};
  const push = (name: string, value: number) => {
    series[name] ??= { unit: 'count', samples: [] };
    series[name].samples.push(Number(value.toPrecision(6)));
  };
  const features = table.ranges.length;
  const shape = table.rows.length > 1000 ? deeperShape(features) : forestShape(features);
  const setting = { ...shape, ranges: table.ranges, target: table.target };
  const learners: Readonly<Record<(typeof AGGREGATED)[number], Learner>> = {
    forest: (source, rows, targets) =>
      regressionForest(source, rows, targets, { ...setting, dealing: 'shared', trees: 4, epsilon: Infinity })
        .predict,
    boosted: (_source, rows, targets) => boostedTrees(rows, targets, BOOSTING),
  };
  for (let seed = 0; seed < seeds; seed += 1) {
    const { train: all, test } = splitOf(source, table.targets, seed, 'row');
    const train = all.slice(0, MOST_LEARNT);
    const asked = test.slice(0, ANSWERS);
    const [rows, targets] = [picked(table.rows, train), picked(table.targets, train)];
    const [questions, truth] = [picked(table.rows, asked), picked(table.targets, asked)];
    const mean = truth.reduce((a, b) => a + b) / truth.length;
    const variance = truth.reduce((sum, y) => sum + (y - mean) ** 2, 0) / truth.length;
    const score = (name: string, answers: readonly number[]) => {
      const error = truth.reduce((sum, y, i) => sum + (y - answers[i]!) ** 2, 0) / truth.length;
      push(`${name} MSE`, error);
      push(`${name} R2`, 1 - error / variance);
    };
    const random = (name: string) => predictableRandomness(`learners regression ${source} ${name} ${seed}`);
    for (const epsilon of [...STUDY_EPSILONS, Infinity]) {
      const name = privateForest(epsilon);
      const { predict } = regressionForest(random(name), rows, targets, { ...setting, epsilon });
      score(name, questions.map(predict));
    }
    for (const learner of AGGREGATED) {
      const cases = [
        ...STUDY_EPSILONS.map((epsilon) => ({ parts: SHOWN_PARTS, epsilon })),
        ...PARTS.map((parts) => ({ parts, epsilon: Infinity })),
        ...PARTS.filter((parts) => parts !== SHOWN_PARTS).map((parts) => ({ parts, epsilon: 1 })),
      ];
      for (const { parts, epsilon } of cases) {
        const way = { learner: learners[learner], parts, target: table.target };
        for (const of of epsilon === Infinity ? (['all'] as const) : (['each', 'all'] as const)) {
          const name = aggregated(learner, parts, epsilon, of);
          const total = of === 'each' ? epsilon * ANSWERS : epsilon;
          score(name, sampleAndAggregate(random(name), rows, targets, questions, { ...way, epsilon: total }));
        }
      }
      const plainly = learners[learner](random(`plain ${learner}`), rows, targets);
      score(`plain ${learner}`, questions.map(plainly));
    }
    const library = new RandomForestRegression({
      seed,
      nEstimators: 10,
      maxFeatures: Math.ceil(features / 2),
      replacement: false,
      useSampleBagging: true,
      noOOB: true,
      selectionMethod: 'mean',
      treeOptions: { maxDepth: 6 },
    });
    const some = train.slice(0, 250);
    library.train(
      some.map((row) => [...table.rows[row]!]),
      picked(table.targets, some),
    );
    score('library', library.predict(questions.map((row) => [...row])));
    score(
      'mean',
      truth.map(() => targets.reduce((a, b) => a + b) / targets.length),
    );
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { series, facts: { rows: table.rows.length, features } };
}
