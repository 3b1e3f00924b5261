/**
 * What private ranges are worth, at one ε in all: captured variance and F1 of PCA and DCA after ranges that are private, true, documented, or widely guessed.
 *
 * Fixed before any sample was taken: eight data sets, two components or, of more than 20 features, four; ε from 0.1 to 10, shares of 5 to 50 % of it for the ranges and half of δ, one stage and two, seeds,
 * ranges and margins. True minima and maxima are no option, as nothing covers what they tell of the rows; documented ranges are those of comparison/data.ts,
 * which nobody may have. A wide guess is symmetric, the power of ten that is at least ten times the largest documented magnitude: it is the outer
 * domain of the histograms, too. Where a release is too noisy for the rows, its budget is spent and the wide guess stays.
 *
 * Captured variance is the share of the variance of all training rows, each feature divided by its true range, that a linear map of the reduced rows explains, in
 * percent of what as many best components explain. So arms with ranges of their own are measured alike, and clipping counts.
 */

import { predictableRandomness } from '@eigenveil/testbed/random';
import type { Range } from '../instrument/own-data.ts';
import type { Measurement, Suite, Unit, UnitResult } from '../instrument/unit.ts';
import { privateComponents } from '../learners/study/features.ts';
import { STUDY_EPSILONS } from '../learners/study/settings.ts';
import { classifiedComponents } from '../privacy/classification.ts';
import { type LaboratoryData, loadUnscaledData, RANGES } from '../privacy/data.ts';
import { heldOut, type Labelled, scored, scoreSeries, type Trial } from '../privacy/held-out.ts';
import { planDataSets } from '../privacy/plan.ts';
import { uniform } from './draws.ts';
import { explained, standardised } from './explained.ts';
import { privateRanges, type Stages } from './private-ranges.ts';

const NAME = 'ranges';
export const KINDS = ['pca', 'dca'] as const;
export type Kind = (typeof KINDS)[number];
export const SHARES = [0.05, 0.1, 0.25, 0.5] as const;
const STAGES: readonly Stages[] = ['one stage', 'coarse, then fine'];
export const UTILITY_DELTA = 1e-5;
/** A DCA task refuses the noise of a larger ε, below a deviation of 1: of a larger one the rest is left unspent, by all arms alike. */
export const MOST_FOR_DCA = 8;

export interface PrivateArm {
  readonly stages: Stages;
  readonly share: number;
}
export const armName = ({ stages, share }: PrivateArm): string => `${stages}, ${100 * share} %`;
export const PRIVATE_ARMS: readonly PrivateArm[] = STAGES.flatMap((stages) =>
  SHARES.map((share) => ({ stages, share })),
);
export const GIVEN = ['true', 'documented', 'wide guess'] as const;
type Given = (typeof GIVEN)[number];
/** As many directions that nobody computed: what is left without any task. */
export const RANDOM = 'random directions';
export const ARM_NAMES: readonly string[] = [...GIVEN, ...PRIVATE_ARMS.map(armName), RANDOM];

export const SCORES = ['captured', 'F1'] as const;
export type Score = (typeof SCORES)[number];
export const seriesOf = (arm: string, kind: Kind, score: Score): string =>
  score === 'F1' ? scoreSeries(`${arm} ${kind}`, 'F1') : `${arm} ${kind} captured`;
export const refusedFact = (arm: PrivateArm): string => `refused ${armName(arm)}`;
export const findRanges = (measurements: readonly Measurement[], dataset: string, epsilon: number) =>
  measurements.find(({ id }) => id === `${NAME}/${dataset}/${epsilon}`);

export function rangesSuite(reporting: Pick<Suite, 'highlights' | 'report'>): Suite {
  return {
    name: NAME,
    description:
      'private ranges before a projection, at one ε in all, beside true, documented and guessed ones',
    plan: (scale) =>
      planDataSets(scale, { what: 'private ranges', quickSets: ['pima'] }, (data) =>
        STUDY_EPSILONS.map((epsilon) => unitOf(data, epsilon, scale === 'quick' ? 2 : 10)),
      ),
    ...reporting,
  };
}

function unitOf({ name: dataset, features, rows }: LaboratoryData, epsilon: number, seeds: number): Unit {
  return {
    id: `${NAME}/${dataset}/${epsilon}`,
    title: `ranges, ${dataset}, ε = ${epsilon}`,
    parameters: { dataset, epsilon, seeds, dpDelta: UTILITY_DELTA, version: 1 },
    expectedSeconds: seeds * (0.5 + 2e-7 * rows.length * features ** 2),
    measure: () => measure(dataset, epsilon, seeds),
  };
}

/** One rule for all: a symmetric guess of the order of magnitude. */
export function wideGuess([least, largest]: Range): Range {
  const magnitude = 10 ** Math.ceil(Math.log10(10 * Math.max(Math.abs(least), Math.abs(largest))) - 1e-9);
  return [-magnitude, magnitude];
}

export function trueRanges(rows: readonly (readonly number[])[]): Range[] {
  return rows[0]!.map((_, j) => {
    const column = rows.map((row) => row[j]!);
    return [Math.min(...column), Math.max(...column)] as const;
  });
}

/** Into the unit ball; a feature without a range is 0. */
export const scaledBy = (row: readonly number[], ranges: readonly Range[]): number[] =>
  ranges.map(([least, largest], j) => {
    if (largest <= least) return 0;
    const inside = Math.min(largest, Math.max(least, row[j]!));
    return (inside - least - (largest - inside)) / (largest - least) / Math.sqrt(ranges.length);
  });

/** In all ε and δ. */
export const splitBudget = (epsilon: number, share: number) => ({
  ranges: { epsilon: share * epsilon, dpDelta: UTILITY_DELTA / 2 },
  projection: { epsilon: (1 - share) * epsilon, dpDelta: UTILITY_DELTA / 2 },
});

async function measure(dataset: string, epsilon: number, seeds: number): Promise<UnitResult> {
  const data = await loadUnscaledData(dataset);
  if (data === undefined) throw new Error(`the data set ${dataset} has gone`);
  const documented = RANGES[dataset]!.ranges;
  const outer = documented.map(wideGuess);
  const series: Record<string, { unit: 'points'; samples: number[] }> = {};
  const refused: Record<string, number> = {};
  const trials: Trial[] = [];
  for (let seed = 0; seed < seeds; seed += 1) {
    const { train, learn, test, classes } = heldOut(data, seed);
    const given: Readonly<Record<Given, readonly Range[]>> = {
      true: trueRanges(train.rows),
      documented,
      'wide guess': outer,
    };
    const frame = train.rows.map((row) => scaledBy(row, given.true));
    const k = classifiedComponents(data.features);
    const score = (arm: string, kind: Kind, ranges: readonly Range[], components: Directions) => {
      const along = (of: readonly (readonly number[])[]) =>
        of.map((row) => reducedBy(components, scaledBy(row, ranges)));
      const name = seriesOf(arm, kind, 'captured');
      series[name] ??= { unit: 'points', samples: [] };
      series[name].samples.push(Number((100 * explained(frame, along(train.rows))).toFixed(2)));
      trials.push(trialOf(`${arm} ${kind}`, learn, test, along));
    };
    const run = (arm: string, ranges: readonly Range[], budget: { epsilon: number; dpDelta: number }) => {
      const rows = train.rows.map((row) => scaledBy(row, ranges));
      for (const kind of KINDS) {
        const source = predictableRandomness(`ranges ${dataset} ${epsilon} ${arm} ${kind} ${seed}`);
        const { scales } = privateComponents(source, rows, train.labels, {
          ...budget,
          epsilon: kind === 'dca' ? Math.min(MOST_FOR_DCA, budget.epsilon) : budget.epsilon,
          kind,
          classes,
        });
        score(
          arm,
          kind,
          ranges,
          scales.slice(0, k).map(({ w }) => w),
        );
      }
    };
    for (const kind of KINDS) {
      const next = uniform(`ranges ${dataset} ${epsilon} ${kind} ${seed} random`);
      const count = kind === 'dca' ? Math.min(k, classes - 1) : k;
      score(RANDOM, kind, documented, randomDirections(next, count, data.features));
    }
    for (const arm of GIVEN) run(arm, given[arm], { epsilon, dpDelta: UTILITY_DELTA });
    for (const arm of PRIVATE_ARMS) {
      const budget = splitBudget(epsilon, arm.share);
      const found = privateRanges(train.rows, outer, {
        stages: arm.stages,
        budget: budget.ranges,
        seed: `ranges ${dataset} ${epsilon} ${armName(arm)} ${seed}`,
      });
      refused[refusedFact(arm)] = (refused[refusedFact(arm)] ?? 0) + Number(found.refused);
      run(armName(arm), found.ranges, budget.projection);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { series: scores } = await scored(trials);
  return {
    series: {
      ...series,
      ...Object.fromEntries(Object.entries(scores).filter(([name]) => name.endsWith(' F1'))),
    },
    facts: { ...refused, rows: data.rows.length, features: data.features },
  };
}

type Directions = readonly (readonly number[])[];

const reducedBy = (directions: Directions, row: readonly number[]): number[] =>
  directions.map((w) => w.reduce((sum, x, i) => sum + x * row[i]!, 0));

/** Uniform on the sphere, each by itself, but for their lengths. */
const randomDirections = (next: () => number, count: number, features: number): number[][] =>
  Array.from({ length: count }, () =>
    Array.from({ length: features }, () => Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next())),
  );

/** Reduced features have mean 0 and variance 1, so that the SVM does not see how wide a range was. */
function trialOf(
  name: string,
  learn: Labelled,
  test: Labelled,
  along: (rows: Labelled['rows']) => readonly (readonly number[])[],
): Trial {
  const [first, second] = [along(learn.rows), along(test.rows)];
  const scale = standardised(first);
  return {
    name,
    learn: { rows: first.map(scale), labels: learn.labels },
    test: { rows: second.map(scale), labels: test.labels },
  };
}
