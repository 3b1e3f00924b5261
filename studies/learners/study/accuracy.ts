/** Accuracy of private forests over ε beside the plain algorithm and a library's forest, on the same splits. */

import { generator, predictableRandomness, seedOf, shuffled } from '@eigenveil/testbed/random';
import { RandomForestClassifier } from 'ml-random-forest';
import { mean, spread } from '../../instrument/figure.ts';
import { defineStudy } from '../../instrument/study.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import type { Split } from '../../speed/accuracy/splits.ts';
import { classificationForest, largestAt } from '../forests.ts';
import { picked, type SourceName, splitOf, type Table, tableOfCase, tablesOfRun } from './data.ts';
import { EPSILON_TITLES, LIBRARY, STUDY_EPSILONS, shapeFor, told } from './settings.ts';

const CLASSIFIED: readonly SourceName[] = ['iris', 'taxi', 'taxi with tip and total'];
/** 100 for comparison with a library that is said to stay behind there. */
const TIMED_EPSILON = 100;
const ACCURACY_EPSILONS: readonly number[] = [...STUDY_EPSILONS, TIMED_EPSILON];
/** Seeds, rows that the library learns on, and rows that it answers. */
const ASKED_OF_LIBRARY = { seeds: 3, learnt: 250, asked: 200 };

/** The forests, by the exponent with which they choose splits. */
const FORESTS = { forest: 'monotone', 'ordinary forest': 'ordinary' } as const;
const LEARNERS: Readonly<Record<keyof typeof FORESTS | 'library' | 'majority', string>> = {
  forest: 'forest, exponent ε/Δ',
  'ordinary forest': 'forest, exponent ε/2Δ',
  library: 'library',
  majority: 'most frequent class',
};

const accuracyOf = (
  source: SourceName,
  epsilon: Tidy[string],
  digits = 0,
  learner: keyof typeof FORESTS = 'forest',
) => ({
  where: { source, learner, epsilon },
  figure: mean('accuracy', { digits }),
});
/** Facts of a source: far beyond any useful ε, without noise, and without learning. */
const glance = (source: SourceName, name: string) => ({
  [`${name}At100`]: accuracyOf(source, TIMED_EPSILON, 1),
  [`${name}Plain`]: accuracyOf(source, 'none', 1),
  [`${name}Majority`]: { where: { source, learner: 'majority' }, figure: mean('accuracy', { digits: 1 }) },
  [`${name}Time`]: { where: { source, learner: 'forest' }, figure: mean('ms', { unit: 'ms' }) },
});

/** Facts of the forest with the ordinary exponent, of a source. */
const ordinary = (source: SourceName, name: string) =>
  Object.fromEntries(
    ([1, 3, 10] as const).map((epsilon) => [
      `${name}OrdinaryAt${epsilon}`,
      accuracyOf(source, epsilon, 0, 'ordinary forest'),
    ]),
  );

export const accuracy = defineStudy({
  id: 'learners/accuracy',
  plan: async (asked) => {
    const { sizes, omissions } = await tablesOfRun(asked, CLASSIFIED, { what: 'accuracy', learnt: 'class' });
    const seeds = asked.scale === 'quick' ? 3 : 20;
    return {
      cases: sizes.map((size) => ({ ...size, seeds, epsilons: ACCURACY_EPSILONS.join(' ') })),
      omissions,
    };
  },
  titleOf: ({ source }) => `forests, ${source}`,
  expectedSeconds: ({ seeds, rows }) => seeds * (0.6 + rows / 1500),
  async *measure({ source, seeds }, { own }): AsyncGenerator<Tidy> {
    const table = await tableOfCase(source, own, 'class');
    const classes = Math.max(...table.targets) + 1;
    const shape = shapeFor(table);
    for (let seed = 0; seed < seeds; seed += 1) {
      const { train, test } = splitOf(source, table.targets, seed, 'class');
      const [rows, labels] = [picked(table.rows, train), picked(table.targets, train)];
      const score = (predict: (row: readonly number[]) => number) =>
        percent(test.filter((row) => predict(table.rows[row]!) === table.targets[row]).length, test.length);
      for (const epsilon of [...ACCURACY_EPSILONS, Infinity]) {
        for (const [learner, exponent] of Object.entries(FORESTS)) {
          // The exponent makes no difference without noise.
          if (epsilon === Infinity && learner !== 'forest') continue;
          const started = performance.now();
          const random = predictableRandomness(`learners accuracy ${source} ${epsilon} ${seed}`);
          const setting = { ...shape, exponent, ranges: table.ranges, classes, epsilon };
          const { predict } = classificationForest(random, rows, labels, setting);
          const ms = Number((performance.now() - started).toFixed(4));
          yield {
            ...{ seed, learner, epsilon: told(epsilon), accuracy: score(predict) },
            ...(epsilon === TIMED_EPSILON && { ms }),
          };
        }
      }
      const plain = { seed, epsilon: 'none' };
      if (seed < ASKED_OF_LIBRARY.seeds)
        yield { ...plain, learner: 'library', accuracy: libraryAccuracy(table, { train, test }, seed) };
      const counts = Array.from({ length: classes }, (_, c) => labels.filter((label) => label === c).length);
      yield { ...plain, learner: 'majority', accuracy: score(() => largestAt(counts)) };
      // Lets an interruption be heard.
      await new Promise((resolve) => setImmediate(resolve));
    }
  },
  columns: {
    source: { title: 'data' },
    learner: { values: LEARNERS },
    epsilon: { values: EPSILON_TITLES },
  },
  tables: {
    forests: {
      caption: 'Accuracy in percent over ε',
      rows: ['source', 'learner'],
      across: { column: 'epsilon', cell: spread('accuracy', { digits: 1 }) },
      cells: {
        [`ms at ε = ${TIMED_EPSILON}`]: spread('ms', { digits: 1 }),
      },
    },
  },
  facts: {
    irisAt01: accuracyOf('iris', 0.1),
    irisAt1: accuracyOf('iris', 1),
    irisAt10: accuracyOf('iris', 10),
    irisWithoutNoise: accuracyOf('iris', 'none'),
    ...ordinary('iris', 'iris'),
    ...ordinary('taxi with tip and total', 'telling'),
    irisAt3: accuracyOf('iris', 3),
    tellingAt1: accuracyOf('taxi with tip and total', 1),
    tellingWithMost: accuracyOf('taxi with tip and total', TIMED_EPSILON),
    taxiAt1: accuracyOf('taxi', 1, 1),
    ...glance('iris', 'iris'),
    ...glance('taxi', 'taxi'),
    ...glance('taxi with tip and total', 'telling'),
  },
  holds: {
    irisLearns: (fact) =>
      fact('irisAt10') > fact('irisAt1') && fact('irisAt10') >= fact('irisWithoutNoise') - 1,
    ordinaryCosts: (fact) =>
      fact('tellingAt1') > fact('tellingOrdinaryAt1') + 5 && fact('irisAt10') > fact('irisOrdinaryAt10') + 2,
    taxiLearnsNothing: (fact) => Math.abs(fact('taxiPlain') - fact('taxiMajority')) < 1,
  },
  words: new URL('accuracy.md', import.meta.url),
});

const percent = (part: number, whole: number): number => Number(((100 * part) / whole).toFixed(4));

function libraryAccuracy(table: Table, { train, test }: Split, seed: number): number {
  const next = generator(seedOf(`learners library ${seed}`));
  const learnt = shuffled(train, next).slice(0, ASKED_OF_LIBRARY.learnt);
  const asked = shuffled(test, next).slice(0, ASKED_OF_LIBRARY.asked);
  const library = new RandomForestClassifier({
    ...LIBRARY,
    seed,
    maxFeatures: Math.ceil(Math.sqrt(table.ranges.length)),
  });
  const rowsOf = (rows: readonly number[]) => rows.map((row) => [...table.rows[row]!]);
  library.train(rowsOf(learnt), picked(table.targets, learnt));
  const answers = library.predict(rowsOf(asked));
  return percent(asked.filter((row, i) => answers[i] === table.targets[row]).length, asked.length);
}
