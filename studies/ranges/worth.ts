/**
 * The worth of private ranges, at one ε in all: captured variance and F1 of PCA and DCA after ranges that are private, true, documented, or widely guessed.
 *
 * Fixed before any sample was taken: eight data sets, two components or, of more than 20 features, four; ε from 0.1 to 10, shares of 5 to 50 % of it for the ranges and half of δ, one stage and two, seeds,
 * ranges and margins. True minima and maxima are no option, as nothing covers what they tell of the rows; documented ranges are those of privacy/data.ts,
 * which nobody may have. A wide guess is symmetric, the power of ten that is at least ten times the largest documented magnitude: it is the outer
 * domain of the histograms, too. Where a release is too noisy for the rows, its budget is spent and the wide guess stays.
 *
 * Captured variance is the share of the variance of all training rows, each feature divided by its true range, that a linear map of the reduced rows explains, in
 * percent of what as many best components explain. So arms with ranges of their own are measured alike, and clipping counts.
 */

import { normal, predictableRandomness } from '@eigenveil/testbed/random';
import { distinct, mean, only, spread } from '../instrument/figure.ts';
import type { OwnData, Range } from '../instrument/own-data.ts';
import { inSeries } from '../instrument/results.ts';
import { type ChartOf, defineStudy, type TableOf } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';
import { DECIDED, decidedOf, overDataSets } from '../learners/compared.ts';
import { privateComponents } from '../learners/projection.ts';
import { EPSILON_TITLES, STUDY_EPSILONS } from '../learners/study/settings.ts';
import { classifiedComponents } from '../privacy/classification.ts';
import { dataSetsOf, type LaboratoryData, loadUnscaledData, RANGES, scale } from '../privacy/data.ts';
import { heldOut, type Labelled, scoresOf, type Trial } from '../privacy/held-out.ts';
import { type Row, times } from '../privacy/methods/index.ts';
import { uniform } from './draws.ts';
import { explained, standardised } from './explained.ts';
import { privateRanges, type Stages } from './private-ranges.ts';

const KINDS = ['pca', 'dca'] as const;
type Kind = (typeof KINDS)[number];
export const SHARES = [0.05, 0.1, 0.25, 0.5] as const;
const STAGES: readonly Stages[] = ['one stage', 'coarse, then fine'];
export const UTILITY_DELTA = 1e-5;
/** A DCA task refuses the noise of a larger ε, below a deviation of 1: of a larger one the rest is left unspent, by all arms alike. */
const MOST_FOR_DCA = 8;

interface PrivateArm {
  readonly stages: Stages;
  readonly share: number;
}
const armName = ({ stages, share }: PrivateArm): string => `${stages}, ${100 * share} %`;
const PRIVATE_ARMS: readonly PrivateArm[] = STAGES.flatMap((stages) =>
  SHARES.map((share) => ({ stages, share })),
);
const GIVEN = ['true', 'documented', 'wide guess'] as const;
/** As many directions that nobody computed: what is left without any task. */
const RANDOM = 'random directions';

/** The share that is judged, fixed beforehand; tables have all. */
const JUDGED_SHARE = 0.25;
const [ONE, TWO] = STAGES.map((stages) => armName({ stages, share: JUDGED_SHARE })) as [string, string];
const PAIRS = [
  ...['wide guess', 'true', 'documented'].map((against) => ({ of: ONE, against })),
  { of: TWO, against: ONE },
];
/** The document shows these, in this order. */
const SHOWN = ['true', 'documented', 'one stage, 50 %', ONE, 'coarse, then fine, 50 %', 'wide guess', RANDOM];
const DRAWN = [...GIVEN, ONE, TWO, RANDOM] as readonly unknown[];

const SCORES = {
  captured: { title: 'captured variance, % of the best', digits: 2 },
  f1: { title: 'weighted F1, %', digits: 4 },
} as const;
type Score = keyof typeof SCORES;

const isArm = ({ kind }: Tidy): boolean => kind !== undefined;
const overall = (score: Score): TableOf => ({
  caption: `{kind}, ${SCORES[score].title}: mean over data sets`,
  of: 'overall',
  each: ['kind'],
  rows: ['arm'],
  across: { column: 'epsilon', cell: mean(score, { digits: 1 }) },
});
const detail = (score: Score): TableOf => ({
  caption: `{dataset}, {kind}: ${SCORES[score].title}, mean ± standard deviation over splits`,
  each: ['dataset', 'kind'],
  where: isArm,
  rows: ['arm'],
  across: { column: 'epsilon', cell: spread(score, { digits: 1 }) },
});
const picture = (score: Score): ChartOf => ({
  caption: `{kind}: ${SCORES[score].title}, over ε in all, mean over data sets`,
  of: 'overall',
  where: ({ arm }) => DRAWN.includes(arm),
  each: ['kind'],
  mark: 'line',
  x: { column: 'epsilon', title: 'ε in all', scale: 'log' },
  y: { figure: mean(score), title: SCORES[score].title },
  colour: 'arm',
});

const captured = (arm: string, epsilon: number) => ({
  of: 'overall',
  where: { kind: 'pca', arm, epsilon },
  figure: mean('captured', { digits: 1 }),
});
const difference = (of: string, against: string, where: Tidy, digits = 1) => ({
  of: 'decided',
  where: { level: 'mean', kind: 'pca', score: 'captured', of, against, epsilon: 10, ...where },
  figure: mean('difference', { digits }),
});
const overWideGuess = difference(ONE, 'wide guess', {});
/** The distance by which private ranges lie behind documented ones. */
const behindDocumented = (epsilons: readonly number[], of: (values: readonly number[]) => number) => ({
  of: 'decided',
  where: ({ level, kind, score, against, epsilon }: Tidy) =>
    level === 'mean' &&
    kind === 'pca' &&
    score === 'captured' &&
    against === 'documented' &&
    epsilons.includes(Number(epsilon)),
  figure: (records: readonly Tidy[]) =>
    mean('behind', { digits: 0 })(
      records.length === 0
        ? []
        : [{ behind: of(records.map((record) => Math.abs(Number(record.difference)))) }],
    ),
});

type WorthCase = {
  readonly dataset: string;
  readonly epsilon: number;
  readonly rows: number;
  readonly features: number;
  readonly seeds: number;
  readonly dpDelta: number;
};

export const worth = defineStudy<WorthCase>({
  id: 'ranges/worth',
  plan: async (asked) => {
    const { sets, omissions } = await dataSetsOf(asked, { what: 'private ranges', quickSets: ['pima'] });
    const seeds = asked.scale === 'quick' ? 2 : 10;
    const cases = sets.flatMap(({ name: dataset, features, rows }) => {
      const fixed = { rows: rows.length, features, seeds, dpDelta: UTILITY_DELTA };
      return STUDY_EPSILONS.map((epsilon) => ({ dataset, epsilon, ...fixed }));
    });
    return { cases, omissions };
  },
  titleOf: ({ dataset, epsilon }) => `ranges, ${dataset}, ε = ${epsilon}`,
  expectedSeconds: ({ seeds, rows, features }) => seeds * (0.5 + 2e-7 * rows * features ** 2),
  measure,
  columns: {
    dataset: { title: 'data set' },
    kind: { title: 'method', values: { pca: 'PCA', dca: 'DCA' } },
    score: { values: { f1: 'F1' } },
    arm: { title: 'ranges' },
    epsilon: { values: EPSILON_TITLES },
  },
  frames: {
    decided: (records) =>
      decidedOf(records.filter(isArm), { by: ['kind'], scores: Object.keys(SCORES), pairs: PAIRS }),
    overall: (records) =>
      overDataSets(records.filter(isArm), ['kind', 'arm', 'epsilon'], Object.keys(SCORES)),
    shown: (records) => {
      const means = overDataSets(
        records.filter(({ kind }) => kind === 'pca'),
        ['arm', 'epsilon'],
        ['captured'],
      );
      return SHOWN.flatMap((arm) => means.filter((record) => record.arm === arm));
    },
  },
  tables: {
    refused: {
      caption: 'Splits in percent in which the noise left no range',
      where: ({ refused }) => refused !== undefined,
      rows: ['dataset', 'rows', 'features', 'arm'],
      across: { column: 'epsilon', cell: mean('refused', { percent: true, digits: 0 }) },
    },
    captured: overall('captured'),
    f1: overall('f1'),
    shown: {
      caption: 'PCA, captured variance in percent of the best, mean over data sets',
      of: 'shown',
      rows: ['arm'],
      across: { column: 'epsilon', cell: mean('captured', { digits: 1 }) },
    },
    decided: {
      caption:
        'What the samples decide: the mean over data sets at each ε with its 95 % interval, not corrected, and its corrected verdict; and numbers of cases',
      of: 'decided',
      rows: ['kind', 'score', 'of', 'against'],
      ...DECIDED,
    },
    capturedOfSets: detail('captured'),
    f1OfSets: detail('f1'),
  },
  charts: { 'ranges-captured': picture('captured'), 'ranges-f1': picture('f1') },
  facts: {
    sets: { figure: distinct('dataset') },
    privateAt1: captured(ONE, 1),
    privateAt10: captured(ONE, 10),
    guessedAt1: captured('wide guess', 1),
    guessedAt10: captured('wide guess', 10),
    trueAt1: captured('true', 1),
    trueAt10: captured('true', 10),
    randomAt10: captured(RANDOM, 10),
    leastBehind: behindDocumented([0.5, 1, 3], (values) => Math.min(...values)),
    mostBehind: behindDocumented([0.5, 1, 3], (values) => Math.max(...values)),
    behindAt10: behindDocumented([10], ([value]) => value!),
    behindVerdict: { ...difference(ONE, 'documented', {}), figure: only('verdict') },
    gain: overWideGuess,
    gainFrom: { ...overWideGuess, figure: mean('low', { digits: 0 }) },
    gainTo: { ...overWideGuess, figure: mean('high', { digits: 0 }) },
    gainOfDca: difference(ONE, 'wide guess', { kind: 'dca' }),
    gainOfF1: difference(ONE, 'wide guess', { kind: 'dca', score: 'f1' }, 0),
    stages: difference(TWO, ONE, { score: 'f1', epsilon: 3 }),
  },
  holds: {
    guessIsWorthNothing: (fact) => Math.abs(fact('guessedAt10') - fact('randomAt10')) < 2,
    shareIsWorthIt: (fact) => fact('gainFrom') > 0 && fact('gain') > 20,
    statedIsBest: (fact) => fact('leastBehind') > 10 && fact('privateAt1') < fact('guessedAt1') + 2,
  },
  words: new URL('worth.md', import.meta.url),
});

/** One rule for all: a symmetric guess of the order of magnitude. */
export function wideGuess([least, largest]: Range): Range {
  const magnitude = 10 ** Math.ceil(Math.log10(10 * Math.max(Math.abs(least), Math.abs(largest))) - 1e-9);
  return [-magnitude, magnitude];
}

function trueRanges(rows: readonly Row[]): Range[] {
  return rows[0]!.map((_, j) => {
    const column = rows.map((row) => row[j]!);
    return [Math.min(...column), Math.max(...column)] as const;
  });
}

/** The total of all ε and δ. */
export const splitBudget = (epsilon: number, share: number) => ({
  ranges: { epsilon: share * epsilon, dpDelta: UTILITY_DELTA / 2 },
  projection: { epsilon: (1 - share) * epsilon, dpDelta: UTILITY_DELTA / 2 },
});

async function* measure(
  { dataset, epsilon, seeds }: WorthCase,
  { own }: { readonly own?: OwnData },
): AsyncGenerator<Tidy> {
  const { data, documented } = await rowsAndRanges(dataset, own);
  const outer = documented.map(wideGuess);
  const refused = new Map<PrivateArm, number>(PRIVATE_ARMS.map((arm) => [arm, 0]));
  const trials: (Trial & { readonly record: Tidy })[] = [];
  for (let seed = 0; seed < seeds; seed += 1) {
    const { train, learn, test, classes } = heldOut(data, seed);
    const given = { true: trueRanges(train.rows), documented, 'wide guess': outer };
    const frame = train.rows.map((row) => scale(row, given.true));
    const k = classifiedComponents(data.features);
    const score = (arm: string, kind: Kind, ranges: readonly Range[], components: readonly Row[]) => {
      const along = (of: readonly Row[]) => of.map((row) => times(components, scale(row, ranges)));
      const share = explained(frame, along(train.rows));
      const record = { seed, kind, arm, captured: Number((100 * share).toFixed(SCORES.captured.digits)) };
      trials.push({ record, ...trialOf(learn, test, along) });
    };
    const run = (arm: string, ranges: readonly Range[], budget: { epsilon: number; dpDelta: number }) => {
      const rows = train.rows.map((row) => scale(row, ranges));
      for (const kind of KINDS) {
        const source = predictableRandomness(`ranges ${dataset} ${epsilon} ${arm} ${kind} ${seed}`);
        const { scales } = privateComponents(source, rows, train.labels, {
          ...budget,
          epsilon: kind === 'dca' ? Math.min(MOST_FOR_DCA, budget.epsilon) : budget.epsilon,
          kind,
          classes,
        });
        const components = scales.slice(0, k).map(({ w }) => w);
        score(arm, kind, ranges, components);
      }
    };
    for (const arm of GIVEN) run(arm, given[arm], { epsilon, dpDelta: UTILITY_DELTA });
    for (const arm of PRIVATE_ARMS) {
      const budget = splitBudget(epsilon, arm.share);
      const found = privateRanges(train.rows, outer, {
        stages: arm.stages,
        budget: budget.ranges,
        seed: `ranges ${dataset} ${epsilon} ${armName(arm)} ${seed}`,
      });
      refused.set(arm, refused.get(arm)! + Number(found.refused));
      run(armName(arm), found.ranges, budget.projection);
    }
    for (const kind of KINDS) {
      const next = uniform(`ranges ${dataset} ${epsilon} ${kind} ${seed} random`);
      const count = kind === 'dca' ? Math.min(k, classes - 1) : k;
      score(RANDOM, kind, documented, randomDirections(next, count, data.features));
    }
    // Lets an interruption be heard.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const scores = await scoresOf(trials);
  yield* inSeries(trials.map(({ record }, i) => ({ ...record, f1: scores[i]!.f1 })));
  for (const [arm, count] of refused) yield { arm: armName(arm), refused: count / seeds };
}

/** Values as they are, with the ranges that are stated of them. */
async function rowsAndRanges(
  dataset: string,
  own: OwnData | undefined,
): Promise<{ readonly data: LaboratoryData; readonly documented: readonly Range[] }> {
  if (own !== undefined) return { data: { ...own, features: own.ranges.length }, documented: own.ranges };
  const data = await loadUnscaledData(dataset);
  if (data === undefined) throw new Error(`the data set ${dataset} has gone`);
  return { data, documented: RANGES[dataset]!.ranges };
}

/** Directions that are uniform on the sphere, each by itself; their lengths differ. */
const randomDirections = (next: () => number, count: number, features: number): number[][] =>
  Array.from({ length: count }, () => Array.from({ length: features }, () => normal(next)));

/** Reduced features have mean 0 and variance 1, so that the SVM does not see how wide a range was. */
function trialOf(learn: Labelled, test: Labelled, along: (rows: readonly Row[]) => readonly Row[]): Trial {
  const scaled = standardised(along(learn.rows));
  const reduced = (of: Labelled): Labelled => ({ rows: along(of.rows).map(scaled), labels: of.labels });
  return { learn: reduced(learn), test: reduced(test) };
}
