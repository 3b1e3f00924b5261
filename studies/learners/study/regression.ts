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
import { aggregated, type Learner, sampled } from '../sample-and-aggregate.ts';
import { SMOOTH_NOISES } from '../smooth-noise.ts';
import { picked, type SourceName, splitOf, tableOfCase, tablesOfRun } from './data.ts';
import { BOOSTING, DP_DELTA, EPSILON_TITLES, LIBRARY, STUDY_EPSILONS, shapeFor, told } from './settings.ts';

const REGRESSED: readonly SourceName[] = ['boston', 'taxi fares'];
/** m, and what is taken where it is not varied. */
const PARTS: readonly number[] = [3, 11, 31, 61];
const SHOWN_PARTS = 31;
/** Answers that are asked for, and that one ε has to do for where it is that of all. */
const ANSWERS = 50;
/** Boosting exactly on all of a long table would take too long: a run learns on this number of rows. */
const MOST_LEARNT = 1500;
const AGGREGATED = ['forest', 'boosted'] as const;
/** Each noise of the median, and what its table says of it. */
const NOISES: Readonly<Record<keyof typeof SMOOTH_NOISES, string>> = {
  derived: '1/(1 + z⁴), constants derived here: (ε, 0)',
  printed: '1/(1 + z⁴), printed constants: (ε, 0)',
  printedLaplace: 'Laplace, printed constants: (ε, δ)',
  thesisLaplace: 'Laplace, S/ε with β = ε: no promise',
};
const NOISE_NAMES = Object.keys(NOISES) as (keyof typeof NOISES)[];
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
const aggregatedOf = (
  source: SourceName,
  of: { readonly epsilon: number; readonly parts?: number; readonly noise?: keyof typeof NOISES },
  digits = 2,
) =>
  R2Of(
    source,
    'boosted, sample and aggregate',
    { parts: SHOWN_PARTS, answers: 'each', noise: 'derived', ...of },
    digits,
  );
/** R² of each noise at ε = 1 for each answer, on Boston. */
const BY_NOISE = Object.fromEntries(
  NOISE_NAMES.map((noise) => [`${noise}At1`, aggregatedOf('boston', { epsilon: 1, noise })]),
);

export const regression = defineStudy({
  id: 'learners/regression',
  learnsNumbers: true,
  plan: async (asked) => {
    const { sizes, omissions } = await tablesOfRun(asked, REGRESSED, {
      what: 'regression',
      learnt: 'number',
    });
    const seeds = asked.scale === 'quick' ? 2 : 20;
    const fixed = {
      seeds,
      epsilons: STUDY_EPSILONS.join(' '),
      samples: PARTS.join(' '),
      asked: ANSWERS,
      dpDelta: DP_DELTA,
    };
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
        const name = `${learner}, sample and aggregate`;
        for (const parts of PARTS.filter((parts) => parts <= train.length)) {
          const sampling = { learner: learners[learner], parts };
          // All noises are on the answers of the same samples.
          const exact = sampled(random(`sample ${learner} ${parts}`), rows, targets, questions, sampling);
          const withNoise = (noise: keyof typeof NOISES, epsilon: number, times: number) =>
            aggregated(random(`aggregate ${learner} ${parts} ${noise} ${epsilon} ${times}`), exact, {
              ...{ target: table.target, noise: SMOOTH_NOISES[noise] },
              ...{ epsilon: times * epsilon, dpDelta: times * DP_DELTA },
            });
          score(name, withNoise('derived', Infinity, 1), { parts, epsilon: 'none' });
          for (const epsilon of parts === SHOWN_PARTS ? STUDY_EPSILONS : [1]) {
            for (const noise of NOISE_NAMES) {
              // `each`: ε for each answer, as in the thesis. `all`: for all of them together.
              for (const [answers, times] of [
                ['all', 1],
                ['each', ANSWERS],
              ] as const)
                score(name, withNoise(noise, epsilon, times), { parts, noise, answers, epsilon });
            }
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
    noise: { values: NOISES },
    answers: { title: 'ε is for' },
    epsilon: { title: 'ε', values: EPSILON_TITLES },
    parts: { values: Object.fromEntries(PARTS.map((parts) => [parts, `${parts} samples`])) },
  },
  tables: {
    epsilons: {
      caption: `{source}, over ε, ${SHOWN_PARTS} samples: R² / log₁₀ MSE`,
      each: ['source'],
      where: ({ parts = SHOWN_PARTS }) => parts === SHOWN_PARTS,
      rows: ['learner', 'noise', 'answers'],
      across: { column: 'epsilon', cell: errors },
    },
    samples: {
      caption: '{source}, over the number of samples, ε = 1: R² / log₁₀ MSE',
      each: ['source'],
      where: ({ parts, epsilon }) => parts !== undefined && (epsilon === 1 || epsilon === 'none'),
      rows: ['learner', 'noise', 'answers', 'epsilon'],
      across: { column: 'parts', cell: errors },
    },
  },
  facts: {
    bostonAggregated: aggregatedOf('boston', { epsilon: 3 }),
    bostonPlain: R2Of('boston', 'plain boosted', {}),
    faresAggregated: aggregatedOf('taxi fares', { epsilon: 3 }),
    faresPlain: R2Of('taxi fares', 'plain boosted', {}),
    fewSamples: aggregatedOf('boston', { epsilon: 1, parts: 3 }, 1),
    manySamples: aggregatedOf('boston', { epsilon: 1, parts: 61 }),
    ...BY_NOISE,
    bostonMedian: R2Of('boston', 'boosted, sample and aggregate', { parts: SHOWN_PARTS, epsilon: 'none' }),
    bostonForest: R2Of('boston', 'forest', { epsilon: 10 }),
    faresForest: R2Of('taxi fares', 'forest', { epsilon: 10 }),
    bostonForestPlain: R2Of('boston', 'forest', { epsilon: 'none' }),
    faresForestPlain: R2Of('taxi fares', 'forest', { epsilon: 'none' }),
    bestForAll: {
      // The noise of the thesis keeps no ε.
      where: ({ answers, noise }) => answers === 'all' && noise !== 'thesisLaplace',
      figure: (records) => {
        const means = [
          ...Map.groupBy(records, ({ source, learner, parts, noise, epsilon }) =>
            [source, learner, parts, noise, epsilon].join(),
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
    noiseDecides: (fact) =>
      fact('thesisLaplaceAt1') > fact('derivedAt1') &&
      fact('derivedAt1') > Math.max(fact('printedAt1'), fact('printedLaplaceAt1')),
    thesisComesNear: (fact) => fact('thesisLaplaceAt1') > fact('bostonMedian') - 0.05,
    samplesHelp: (fact) => fact('manySamples') > fact('fewSamples'),
  },
  words: new URL('regression.md', import.meta.url),
});
