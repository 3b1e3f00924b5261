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
import type { Comparison } from '@eigenveil/testbed/recognition/error-rates';
import { RANGES } from '../../privacy/data.ts';
import { signedLogarithm } from '../people.ts';
import { normalised } from './comparisons.ts';
import { distancesOf, type Final, learntBy } from './protocol.ts';
import type { Setting } from './settings.ts';
import { projected } from './spaces.ts';
import { preparationBy, statisticsOf, taskOf } from './task.ts';

export const EPSILONS = [1, 3, 5];
export const DP_DELTA = 1e-5;

type Range = readonly [least: number, largest: number];
const times = (count: number, range: Range): Range[] => new Array<Range>(count).fill(range);

/** In the file's units, without a look at its rows. */
const PUBLIC_RANGES: Readonly<Record<string, readonly Range[]>> = {
  wisdm_walk_user: RANGES.wisdm_walk_user!.ranges,
  // Keys are held for up to a second, and follow one another within ten; pressure and size are shares of a screen's scale; then their three means.
  meu_keystroke: [
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
  { dataset, epsilon, source }: { dataset: string; epsilon: number; source: RandomSource },
): Comparison[] | undefined {
  const { logUnit } = setting;
  const ranges = PUBLIC_RANGES[dataset]!.map(
    ([least, largest]): Range => [signedLogarithm(least, logUnit), signedLogarithm(largest, logUnit)],
  );
  const task = taskOf(setting, learn, ranges, {
    epsilon: Math.min(epsilon, EPSILONS.at(-1)!),
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
