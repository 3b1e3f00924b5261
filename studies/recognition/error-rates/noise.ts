/**
 * PCA and DCA under differential privacy: the statistics of the task with the noise of both servers, drawn as the protocol draws it, and its public shift.
 * Rows are protected, not people: all rows of a person together have no promise, and the template has none at all. Ranges come from what features are,
 * since what is taken from rows would be outside of the promise. Settings are those of the arm without noise, which validation chose on the same rows:
 * that choice is not paid for.
 */

import { isOf } from '@eigenveil/platform';
import { defaultClippingNorm, type RandomSource, sampleNoise } from '@eigenveil/privacy';
import { decompose, PROJECTION_CODES } from '@eigenveil/projection';
import { addStatistics, flatten, unflatten } from '@eigenveil/statistics';
import { noisePlanOf, programOf, shiftOf, stageTaskOf, type Task } from '@eigenveil/task';
import { mean as meanOf } from '@eigenveil/testbed/goodness/mean';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { type Comparison, equalErrorRates } from '@eigenveil/testbed/recognition/error-rates';
import { only } from '../../instrument/figure.ts';
import type { Range } from '../../instrument/own-data.ts';
import { defineStudy } from '../../instrument/study.ts';
import type { Scale, Tidy } from '../../instrument/tidy.ts';
import { RANGES } from '../../privacy/data.ts';
import { COLUMNS, ofBothSets, overWindows, RATE, ratesIn } from '../figures.ts';
import { KEYS, signedLogarithm, WALK } from '../people.ts';
import { normalised } from '../scoring/comparisons.ts';
import { distancesOf, type Final, learntBy } from '../scoring/protocol.ts';
import { type Setting, settingText } from '../scoring/settings.ts';
import { projected } from '../scoring/spaces.ts';
import { preparationBy, statisticsOf, taskOf } from '../scoring/task.ts';
import { chosenFor, type OfPeople, planFor } from './chosen.ts';

const EPSILONS: Readonly<Record<Scale, readonly number[]>> = { full: [1, 3, 5], quick: [1] };
/** Stated in a task that has no noise. */
const LARGEST_EPSILON = 5;
const DRAWS: Readonly<Record<Scale, number>> = { full: 5, quick: 1 };
const DP_DELTA = 1e-5;

const times = (count: number, range: Range): Range[] => new Array<Range>(count).fill(range);

/** In the file's units, without a look at its rows. */
const PUBLIC_RANGES: Readonly<Record<string, readonly Range[]>> = {
  [WALK]: RANGES[WALK]!.ranges,
  // Keys are held for up to a second, and follow one another within ten; pressure and size are shares of a screen's scale; then their three means.
  [KEYS]: [
    ...times(14, [0, 1000]),
    ...times(13, [0, 10_000]),
    ...times(13, [-1000, 10_000]),
    ...times(14, [0, 1.5]),
    ...times(14, [0, 1]),
    [0, 1000],
    [0, 1.5],
    [0, 1],
  ],
};

/** Without noise for ε = Infinity: what ranges and clipping alone cost. Undefined where the noise leaves nothing to decompose. */
export function noisyScores(
  setting: Setting,
  { learn, test }: Final,
  { ranges: given, epsilon, source }: { ranges: readonly Range[]; epsilon: number; source: RandomSource },
): Comparison[] | undefined {
  const { logUnit } = setting;
  const ranges = given.map(
    ([least, largest]): Range => [signedLogarithm(least, logUnit), signedLogarithm(largest, logUnit)],
  );
  const task = taskOf(setting, learn, ranges, {
    epsilon: Math.min(epsilon, LARGEST_EPSILON),
    delta: DP_DELTA,
    neighbours: 'add-remove',
    clippingNorm: defaultClippingNorm(ranges.length),
    noise: 'servers',
    honestOwners: null,
    dataIndependentRanges: true,
  });
  const statistics = statisticsOf(task, learn, logUnit).reduce(addStatistics);
  const values = flatten(task, statistics);
  const noisy = epsilon === Infinity ? values : withNoise(task, values, source);
  const decomposed = decomposedOrNothing(task, noisy);
  if (decomposed === undefined) return undefined;
  const prepare = preparationBy(task, logUnit);
  const people = learn.map(({ rows }) => rows.map(prepare));
  const space = projected(decomposed, setting.score, people);
  return normalised(distancesOf(learntBy(space, prepare), learn, test), setting);
}

function withNoise(task: Task, values: readonly bigint[], source: RandomSource): bigint[] {
  const stage = stageTaskOf(task)!;
  const plan = noisePlanOf(task)!;
  const [one, other, shift] = [
    sampleNoise(source, stage, plan),
    sampleNoise(source, stage, plan),
    shiftOf(task),
  ];
  return values.map((value, i) => value + one[i]! + other[i]! + shift[i]!);
}

function decomposedOrNothing(task: Task, values: readonly bigint[]) {
  try {
    const { vectors, mean } = decompose(programOf(task), unflatten(task, values));
    return { vectors, mean: mean! };
  } catch (error) {
    if (isOf(PROJECTION_CODES, error)) return undefined;
    throw error;
  }
}

interface Case extends OfPeople {
  readonly epsilons: string;
  readonly draws: number;
  readonly delta: number;
}

export const noise = defineStudy<Case>({
  id: 'recognition/noise',
  plan: (asked) =>
    planFor(asked, 'noise', () => [
      { epsilons: EPSILONS[asked.scale].join(' '), draws: DRAWS[asked.scale], delta: DP_DELTA },
    ]),
  titleOf: ({ dataset }) => dataset,
  expectedSeconds: ({ draws }) => draws,
  async *measure({ dataset, epsilons, draws, ...of }, bench): AsyncGenerator<Tidy> {
    const { final, setting: chosen } = await chosenFor({ dataset, ...of }, bench);
    const ranges = bench.own?.ranges ?? PUBLIC_RANGES[dataset]!;
    for (const method of ['pca', 'dca']) {
      // A whitening would take eigenvalues that noise has made negative.
      const setting = { ...chosen(method), whitened: false };
      for (const epsilon of [...epsilons.split(' ').map(Number), Infinity]) {
        let refused = 0;
        const rates = Array.from({ length: epsilon === Infinity ? 1 : draws }, (_, draw) => {
          const source = predictableRandomness(`${dataset} ${method} ${epsilon} ${draw}`);
          const scores = noisyScores(setting, final, { ranges, epsilon, source });
          if (scores === undefined) refused += 1;
          // Nobody is told from anybody without a projection.
          return scores === undefined ? { perSample: 0.5, overFive: 0.5 } : equalErrorRates(scores);
        });
        const means = {
          perSample: meanOf(rates.map(({ perSample }) => perSample)),
          overFive: meanOf(rates.map(({ overFive }) => overFive)),
        };
        for (const record of ratesIn(means))
          yield {
            method,
            setting: settingText(setting),
            epsilon: epsilon === Infinity ? '∞' : epsilon,
            ...record,
            refused,
          };
      }
    }
  },
  columns: {
    ...COLUMNS,
    epsilon: { title: 'ε' },
    method: { values: { pca: 'PCA', dca: 'DCA' } },
  },
  tables: {
    noise: {
      caption:
        'EER in percent of single rows / over five, means over draws of noise, with a frame for each user',
      rows: ['dataset', 'method', 'epsilon'],
      cells: { EER: overWindows(), 'draws refused': only('refused') },
    },
  },
  facts: ofBothSets({
    atOne: { where: { method: 'dca', epsilon: 1, windows: 1 }, figure: only('eer', RATE) },
    without: { where: { method: 'dca', epsilon: '∞', windows: 1 }, figure: only('eer', RATE) },
  }),
  holds: {
    noiseCosts: (fact) => ['keys', 'walk'].every((set) => fact(`${set}AtOne`) > fact(`${set}Without`)),
    betterThanChance: (fact) => ['keys', 'walk'].every((set) => fact(`${set}AtOne`) < 50),
  },
  words: new URL('noise.md', import.meta.url),
});
