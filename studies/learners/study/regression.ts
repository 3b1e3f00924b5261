/** Squared error and R² of learners of numbers, over ε and over the number of samples: private forest, and sample and aggregate of forests and of boosted trees. */

import { mean as meanOf } from '@eigenveil/testbed/goodness/mean';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { RandomForestRegression } from 'ml-random-forest';
import { beside, type Figure, mean, spread } from '../../instrument/figure.ts';
import { inSeries } from '../../instrument/results.ts';
import { defineStudy } from '../../instrument/study.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { boostedTrees } from '../boosted-trees.ts';
import { regressionForest } from '../forests.ts';
import { type Learner, sampleAndAggregate } from '../sample-and-aggregate.ts';
import { picked, type SourceName, splitOf, tableOfCase, tablesOfRun } from './data.ts';
import { BOOSTING, EPSILON_TITLES, LIBRARY, STUDY_EPSILONS, shapeFor, told } from './settings.ts';

const REGRESSED: readonly SourceName[] = ['boston', 'taxi fares'];
/** m, and what is taken where it is not varied. */
const PARTS: readonly number[] = [3, 11, 31, 61];
const SHOWN_PARTS = 31;
/** Answers that are asked for, and that one ε has to do for where it is that of all. */
const ANSWERS = 50;
/** Boosting exactly on all of a long table would take too long: a run learns on so many rows. */
const MOST_LEARNT = 1500;
const AGGREGATED = ['forest', 'boosted'] as const;
const FOREST_IN_THE_CLEAR = { dealing: 'shared', trees: 4, epsilon: Infinity } as const;

const logOfMean: Figure = (records) => {
  const { value, text } = mean('MSE')(records);
  const log = value && Math.log10(value);
  return log === undefined ? { value, text } : { value: log, text: log.toFixed(2) };
};
const errors = beside(' / ', spread('R2', { digits: 2 }), logOfMean);

const R2Of = (source: SourceName, learner: string, of: Tidy, digits = 2) => ({
  where: { source, learner, ...of },
  figure: mean('R2', { digits }),
});
const aggregated = (source: SourceName, epsilon: number) =>
  R2Of(source, 'boosted, sample and aggregate', { parts: SHOWN_PARTS, answers: 'each', epsilon });
const boostedWith = (parts: number, digits: number) =>
  R2Of('boston', 'boosted, sample and aggregate', { parts, answers: 'each', epsilon: 1 }, digits);

export const regression = defineStudy({
  id: 'learners/regression',
  learnsNumbers: true,
  plan: async (asked) => {
    const { sizes, omissions } = await tablesOfRun(asked, REGRESSED, {
      what: 'regression',
      learnt: 'number',
    });
    const seeds = asked.scale === 'quick' ? 2 : 20;
    const fixed = { seeds, epsilons: STUDY_EPSILONS.join(' '), samples: PARTS.join(' '), asked: ANSWERS };
    return { cases: sizes.map((size) => ({ ...size, ...fixed })), omissions };
  },
  titleOf: ({ source }) => `numbers, ${source}`,
  expectedSeconds: ({ seeds }) => seeds * 3,
  async measure({ source, seeds }, { own }): Promise<Tidy[]> {
    const table = await tableOfCase(source, own, 'number');
    const features = table.ranges.length;
    const setting = { ...shapeFor(table), ranges: table.ranges, target: table.target };
    const learners: Readonly<Record<(typeof AGGREGATED)[number], Learner>> = {
      forest: (random, rows, targets) =>
        regressionForest(random, rows, targets, { ...setting, ...FOREST_IN_THE_CLEAR }).predict,
      boosted: (_random, rows, targets) => boostedTrees(rows, targets, BOOSTING),
    };
    const records: Tidy[] = [];
    for (let seed = 0; seed < seeds; seed += 1) {
      const { train: all, test } = splitOf(source, table.targets, seed, 'row');
      const train = all.slice(0, MOST_LEARNT);
      const asked = test.slice(0, ANSWERS);
      const [rows, targets] = [picked(table.rows, train), picked(table.targets, train)];
      const [questions, truth] = [picked(table.rows, asked), picked(table.targets, asked)];
      const centre = meanOf(truth);
      const variance = meanOf(truth.map((y) => (y - centre) ** 2));
      const score = (learner: string, answers: readonly number[], of: Tidy) => {
        const error = meanOf(truth.map((y, i) => (y - answers[i]!) ** 2));
        const rounded = (value: number) => Number(value.toPrecision(6));
        records.push({ seed, learner, ...of, MSE: rounded(error), R2: rounded(1 - error / variance) });
      };
      const random = (name: string) => predictableRandomness(`learners regression ${source} ${name} ${seed}`);
      for (const epsilon of [...STUDY_EPSILONS, Infinity]) {
        const own = random(`forest ${epsilon}`);
        const { predict } = regressionForest(own, rows, targets, { ...setting, epsilon });
        score('forest', questions.map(predict), { epsilon: told(epsilon) });
      }
      for (const learner of AGGREGATED) {
        for (const { parts, epsilon } of aggregates(train.length)) {
          const way = { learner: learners[learner], parts, target: table.target };
          // `each`: ε for each answer, as in the thesis. `all`: for all of them together.
          for (const answers of epsilon === Infinity ? ['all'] : ['all', 'each']) {
            const source = random(`aggregate ${learner} ${parts} ${epsilon} ${answers}`);
            const total = answers === 'each' ? epsilon * ANSWERS : epsilon;
            const found = sampleAndAggregate(source, rows, targets, questions, { ...way, epsilon: total });
            const of = { parts, answers, epsilon: told(epsilon) };
            score(`${learner}, sample and aggregate`, found, of);
          }
        }
      }
      for (const learner of AGGREGATED) {
        const plainly = learners[learner](random(`plain ${learner}`), rows, targets);
        score(`plain ${learner}`, questions.map(plainly), { epsilon: 'none' });
      }
      const library = new RandomForestRegression({
        ...LIBRARY,
        seed,
        maxFeatures: Math.ceil(features / 2),
        selectionMethod: 'mean',
      });
      const copies = (of: readonly (readonly number[])[]) => of.map((row) => [...row]);
      library.train(copies(rows.slice(0, 250)), targets.slice(0, 250));
      score('library', library.predict(copies(questions)), { epsilon: 'none' });
      const average = new Array<number>(truth.length).fill(meanOf(targets));
      score('mean', average, { epsilon: 'none' });
      // Lets an interruption be heard.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return inSeries(records);
  },
  columns: {
    answers: { title: 'ε is for' },
    epsilon: { title: 'ε', values: EPSILON_TITLES },
    parts: { values: Object.fromEntries(PARTS.map((parts) => [parts, `${parts} samples`])) },
  },
  tables: {
    epsilons: {
      caption: `{source}, over ε, ${SHOWN_PARTS} samples: R² / log₁₀ MSE`,
      each: ['source'],
      where: ({ parts = SHOWN_PARTS }) => parts === SHOWN_PARTS,
      rows: ['learner', 'answers'],
      across: { column: 'epsilon', cell: errors },
    },
    samples: {
      caption: '{source}, over the number of samples, ε = 1: R² / log₁₀ MSE',
      each: ['source'],
      where: ({ parts, epsilon }) => parts !== undefined && (epsilon === 1 || epsilon === 'none'),
      rows: ['learner', 'answers', 'epsilon'],
      across: { column: 'parts', cell: errors },
    },
  },
  facts: {
    bostonAggregated: aggregated('boston', 3),
    bostonPlain: R2Of('boston', 'plain boosted', {}),
    faresAggregated: aggregated('taxi fares', 3),
    faresPlain: R2Of('taxi fares', 'plain boosted', {}),
    fewSamples: boostedWith(3, 1),
    manySamples: boostedWith(61, 2),
    bostonForest: R2Of('boston', 'forest', { epsilon: 10 }),
    faresForest: R2Of('taxi fares', 'forest', { epsilon: 10 }),
    bostonForestPlain: R2Of('boston', 'forest', { epsilon: 'none' }),
    faresForestPlain: R2Of('taxi fares', 'forest', { epsilon: 'none' }),
    bestForAll: {
      where: ({ answers, epsilon }) => answers === 'all' && epsilon !== 'none',
      figure: (records) => {
        const means = [
          ...Map.groupBy(records, ({ source, learner, parts, epsilon }) =>
            [source, learner, parts, epsilon].join(),
          ).values(),
        ].map((group) => mean('R2')(group).value!);
        return means.length === 0 ? mean('R2')([]) : mean('R2', { digits: 1 })([{ R2: Math.max(...means) }]);
      },
    },
  },
  holds: {
    forAllIsWorthless: (fact) => fact('bestForAll') < 0,
    eachComesNear: (fact) => fact('faresAggregated') > fact('faresPlain') - 0.05,
    forestIsWeak: (fact) =>
      Math.min(fact('bostonForest'), fact('faresForest')) > 0 &&
      fact('bostonForest') < fact('bostonForestPlain') / 2 &&
      fact('faresForest') < fact('faresForestPlain') / 2,
    samplesHelp: (fact) => fact('manySamples') > fact('fewSamples'),
  },
  words: new URL('regression.md', import.meta.url),
});

/** Parts and ε of what is asked of sample and aggregate. A part has a row at least. */
function aggregates(rows: number): { readonly parts: number; readonly epsilon: number }[] {
  return PARTS.filter((parts) => parts <= rows).flatMap((parts) =>
    [...(parts === SHOWN_PARTS ? STUDY_EPSILONS : [1]), Infinity].map((epsilon) => ({ parts, epsilon })),
  );
}
