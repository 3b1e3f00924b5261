/**
 * The worth of reduced rows once something covers them: an SVM learns on what is published, and is scored on rows that were held out.
 *
 * Every way spends (ε, δ) in all, on the projection and on the rows, for rows of which one may be replaced with its class. With Eigenveil's projection half of
 * both goes into it; random directions look at no row and leave all of it to the rows. Rows that are published as they are spend nothing and
 * are covered by nothing.
 */
import { predictableRandomness } from '@eigenveil/testbed/random';
import { type Figure, least, most, within } from '../instrument/figure.ts';
import { defineStudy } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';
import { classifiedComponents } from './classification.ts';
import { dataSetsOf, type LaboratoryData, rowsOf } from './data.ts';
import { COST, heldOut, type Labelled, scores, scoresOf, type Trial } from './held-out.ts';
import { decided } from './inference.ts';
import { boundedRow, type Row, randomDirections, times } from './methods/index.ts';
import type { Budget } from './methods/stage.ts';
import { noisyRows, projectionOf, syntheticRows } from './reduced-rows.ts';
import { DP_DELTA, DRAFTED_NORM, EPSILON_TITLES, EPSILONS, settingOf } from './setting.ts';

/** Rows that are published, and the projection that reduces them. Anyone who has seen no row names the most frequent class. */
const WAYS = {
  bare: 'rows as they are, Eigenveil’s projection',
  noisy: 'noisy rows, Eigenveil’s projection',
  synthetic: 'synthetic rows, Eigenveil’s projection',
  'random bare': 'rows as they are, random directions',
  'random noisy': 'noisy rows, random directions',
  'random synthetic': 'synthetic rows, random directions',
  majority: 'no row, always the most frequent class',
} as const;
type Way = keyof typeof WAYS;
const COVERED: readonly Way[] = ['noisy', 'synthetic', 'random noisy', 'random synthetic'];
const QUICK_SETS: readonly string[] = ['iris', 'breast_cancer'];

interface Published extends Trial {
  readonly seed: number;
  readonly published: Way;
}

function trialsOf(
  data: LaboratoryData,
  { components, epsilon }: { readonly components: number; readonly epsilon: number },
  seed: number,
): Published[] {
  const { name: dataset } = data;
  const split = heldOut(data, seed);
  const source = (way: string) => predictableRandomness(`publishing ${dataset} ${epsilon} ${way} ${seed}`);
  const each = (of: Labelled, change: (row: Row) => Row): Labelled => ({ ...of, rows: of.rows.map(change) });
  const clipped = (of: Labelled) => each(of, (row) => boundedRow(row, DRAFTED_NORM, 1));
  const [train, learn, test] = [clipped(split.train), clipped(split.learn), clipped(split.test)];
  const ways = (prefix: '' | 'random ', projection: readonly Row[], left: Budget): Published[] => {
    const reduced = (of: Labelled) => each(of, (row) => times(projection, row));
    const noisy = noisyRows(source(`${prefix}noisy`), reduced(learn), split.classes, left);
    const synthetic = syntheticRows(source(`${prefix}synthetic`), reduced(train), {
      classes: split.classes,
      count: learn.rows.length,
      ...left,
    });
    const published = (way: 'bare' | 'noisy' | 'synthetic', rows: Labelled | undefined): Published => ({
      ...{ seed, published: `${prefix}${way}` },
      ...{ learn: rows, test: reduced(test) },
    });
    return [published('bare', reduced(learn)), published('noisy', noisy), published('synthetic', synthetic)];
  };
  const half = { epsilon: epsilon / 2, dpDelta: DP_DELTA / 2 };
  const random = randomDirections.run(
    source('random'),
    [train.rows],
    settingOf(randomDirections, components, epsilon),
  )!;
  return [
    ...ways('', projectionOf(source('projection'), train.rows, components, half), half),
    ...ways('random ', random, { epsilon, dpDelta: DP_DELTA }),
    { seed, published: 'majority', learn: constant(train.labels), test },
  ];
}

/** A learner that knows only which class is the most frequent one. */
function constant(labels: readonly number[]): Labelled {
  const counts = [...Map.groupBy(labels, (label) => label)].sort(([, a], [, b]) => b.length - a.length);
  return { rows: [[0]], labels: [counts[0]![0]] };
}

const difference = within('difference', 'low', 'high', { digits: 1, signed: true });
/** A difference, and on how many data sets it is ahead. */
const lead: Figure = (records) => {
  const told = difference(records);
  return told.value === undefined ? told : { ...told, text: `${told.text}; ${records[0]!.setsAhead}` };
};
const leadAtOne = (published: Way) => ({
  of: 'beyondMajority',
  where: { published, epsilon: 1 },
  figure: difference,
});

export const publishing = defineStudy({
  id: 'privacy/publishing',
  plan: async (asked) => {
    const { sets, omissions } = await dataSetsOf(asked, { what: 'published rows', quickSets: QUICK_SETS });
    const cases = sets.flatMap(({ name: dataset, features, rows }) =>
      EPSILONS.map((epsilon) => ({
        ...{ dataset, components: classifiedComponents(features), epsilon },
        seeds: asked.scale === 'quick' ? 5 : 20,
        ...{ features, rows: rows.length, dpDelta: DP_DELTA, cost: COST },
        ways: Object.keys(WAYS).join(', '),
      })),
    );
    return { cases, omissions };
  },
  titleOf: ({ dataset, epsilon }) => `published rows, ${dataset}, ε = ${epsilon}`,
  expectedSeconds: ({ seeds, rows, features }) => 0.2 + seeds * (0.04 + 4e-8 * rows * features),
  async measure({ dataset, seeds, ...choice }, { own }): Promise<Tidy[]> {
    const data = await rowsOf(dataset, own);
    const trials: Published[] = [];
    for (let seed = 0; seed < seeds; seed += 1) {
      trials.push(...trialsOf(data, choice, seed));
      // Lets an interruption be heard.
      await new Promise((resolve) => setImmediate(resolve));
    }
    const scored = await scoresOf(trials);
    return trials.map(({ seed, published }, i) => ({ seed, published, ...scored[i] }));
  },
  columns: {
    epsilon: { title: 'ε', values: EPSILON_TITLES },
    components: { values: { 2: 'k = 2', 4: 'k = 4' } },
    published: { values: WAYS },
  },
  frames: {
    /** Leads of covered ways over the most frequent class, in weighted F1. All cases of a way are one family. */
    beyondMajority: (records) =>
      COVERED.flatMap((published) =>
        decided(records, { column: 'f1', of: { published }, against: { published: 'majority' } }).means.map(
          (mean) => ({ published, ...mean }),
        ),
      ),
  },
  tables: {
    beyondMajority: {
      caption:
        'Weighted F1 less that of the most frequent class, in points: mean over data sets with its 95 % interval; and on how many data sets it is ahead, with Holm’s correction',
      of: 'beyondMajority',
      rows: ['published'],
      across: { column: 'epsilon', cell: lead },
      cells: { 'of sets': most('sets', { digits: 0 }) },
    },
    scores: {
      caption: '{dataset}: weighted F1, mean ± standard deviation over splits, and accuracy in percent',
      each: ['dataset'],
      rows: ['published', 'components'],
      across: { column: 'epsilon', cell: scores },
    },
  },
  facts: {
    sets: { of: 'beyondMajority', figure: most('sets', { digits: 0 }) },
    noisyAhead: {
      of: 'beyondMajority',
      where: ({ published }) => String(published).endsWith('noisy'),
      figure: most('setsAhead', { digits: 0 }),
    },
    syntheticAheadAtTen: {
      of: 'beyondMajority',
      where: ({ published, epsilon }) => epsilon === 10 && String(published).endsWith('synthetic'),
      figure: least('setsAhead', { digits: 0 }),
    },
    syntheticLeadAtOne: leadAtOne('synthetic'),
    randomLeadAtOne: leadAtOne('random synthetic'),
  },
  holds: {
    noisyUseless: (fact) => fact('noisyAhead') === 0,
    syntheticUseful: (fact) => fact('syntheticAheadAtTen') === fact('sets'),
    randomNearlyAsWell: (fact) => Math.abs(fact('syntheticLeadAtOne') - fact('randomLeadAtOne')) < 5,
  },
  words: new URL('publishing.md', import.meta.url),
});
