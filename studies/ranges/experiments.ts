/**
 * The published experiments, theory against experiment: 50 random intervals at N = 1,024, and the mean over all intervals for N = 2^0 … 2^10.
 *
 * Restoration is linear, so that an error does not depend on the counts: what is restored is noise alone. The mean over 10,000 repetitions has a known
 * expectation and a known standard error (moments.ts), with the variance of discrete noise and of both servers. It disagrees where it is farther from it than
 * a normal number is with probability FALSE_ALARM over the number of all cases. Means of so many squares are nearly normal; their tail above is a little longer.
 */

import {
  averageError,
  coefficientCount,
  type Interval,
  intervalError,
  noiseMoments,
  restore,
  type Strategy,
  toNumber,
} from '@eigenveil/release';
import { generator, seedOf } from '@eigenveil/testbed/random';
import type { Measurement, Suite, Unit, UnitResult } from '../instrument/unit.ts';
import { exactSampler, fastSampler } from './draws.ts';
import {
  columnsOf,
  expectedMean,
  formOfAverage,
  formOfInterval,
  meanSquareOverIntervals,
  type QuadraticForm,
} from './moments.ts';
import {
  CONTESTANTS,
  type Contestant,
  EPSILON,
  INTERVALS,
  LARGEST_HEIGHT,
  noiseOf,
  PUBLISHED_REPETITIONS,
  REPETITIONS,
  SERVERS,
} from './settings.ts';

const ONE_BY_ONE = 'intervals';
const AVERAGES = 'averages';

/** One figure of theory and of experiment, in squared rows. */
export interface Case {
  readonly contestant: string;
  /** Which interval, or the number of bins. */
  readonly what: string;
  readonly bins: number;
  readonly length?: number;
  /** Exactly expected. */
  readonly theory: number;
  /** As published: continuous noise of one curator, for the mean over all intervals by the asymptote. Privelet alone. */
  readonly published?: number;
  readonly repetitions: number;
  readonly experiment: number;
  /** The exact standard error of that. */
  readonly error: number;
  /** Of the exact samplers, as many repetitions as published. */
  readonly few: number;
}

/** How many standard errors theory and experiment lie apart. */
export const distanceOf = ({ theory, experiment, error }: Case): number =>
  error === 0 ? (experiment === theory ? 0 : Infinity) : (experiment - theory) / error;

/** The same in every run. */
export function intervalsOf(bins: number): Interval[] {
  const next = generator(seedOf('ranges intervals'));
  return Array.from({ length: INTERVALS }, () => {
    const ends = [0, 0].map(() => Math.floor(next() * (bins + 1)));
    const [from, to] = [Math.min(...ends), Math.max(...ends)];
    return from < to ? { from, to } : { from: Math.min(from, bins - 1), to: Math.min(from, bins - 1) + 1 };
  });
}

export const findIntervals = (measurements: readonly Measurement[], contestant: string) =>
  measurements.find(({ id }) => id === `${ONE_BY_ONE}/${contestant}`);
export const findAverage = (measurements: readonly Measurement[], contestant: string, height: number) =>
  measurements.find(({ id }) => id === `${AVERAGES}/${contestant}/${height}`);

/** Every comparison of a run, from its samples. */
export function casesOf(measurements: readonly Measurement[]): Case[] {
  return CONTESTANTS.flatMap((contestant) => [
    ...intervalCases(measurements, contestant),
    ...averageCases(measurements, contestant),
  ]);
}

export function intervalCases(measurements: readonly Measurement[], { name }: Contestant): Case[] {
  const unit = findIntervals(measurements, name);
  if (unit === undefined) return [];
  const column = (what: string) => unit.series[what]!.samples;
  return intervalsOf(2 ** LARGEST_HEIGHT).map(({ from, to }, i) => ({
    contestant: name,
    what: `${from} to ${to}`,
    bins: 2 ** LARGEST_HEIGHT,
    length: to - from,
    theory: column('theory')[i]!,
    ...(name === 'Privelet' && { published: column('published')[i]! }),
    repetitions: Number(unit.parameters.repetitions),
    experiment: column('experiment')[i]!,
    error: column('error')[i]!,
    few: column('few')[i]!,
  }));
}

export function averageCases(measurements: readonly Measurement[], { name }: Contestant): Case[] {
  return Array.from({ length: LARGEST_HEIGHT + 1 }, (_, height) => height).flatMap((height) => {
    const unit = findAverage(measurements, name, height);
    if (unit === undefined) return [];
    const { theory, experiment, error, few } = unit.facts;
    return [
      {
        contestant: name,
        what: `all, N = ${2 ** height}`,
        bins: 2 ** height,
        theory: Number(theory),
        ...(name === 'Privelet' && { published: publishedAverage(height) }),
        repetitions: Number(unit.parameters.repetitions),
        experiment: Number(experiment),
        error: Number(error),
        few: Number(few),
      },
    ];
  });
}

/** 2 (h + 1)²/ε² times the asymptote. */
const publishedAverage = (height: number): number =>
  ((2 * (height + 1) ** 2) / EPSILON ** 2) * (height / 6 + 1 / 36);

type Reporting = Pick<Suite, 'highlights' | 'report'>;

export function intervalsSuite(reporting: Reporting): Suite {
  return {
    name: ONE_BY_ONE,
    description: '50 random intervals at N = 1,024: exact errors against experiments',
    plan: async (scale) => ({
      units: CONTESTANTS.map((contestant) =>
        intervalsUnit(contestant, scale === 'quick' ? 1000 : REPETITIONS),
      ),
      omissions: [],
    }),
    ...reporting,
  };
}

export function averagesSuite(reporting: Reporting): Suite {
  return {
    name: AVERAGES,
    description: 'the mean over all intervals for N = 1 to 1,024: closed form against experiments',
    plan: async (scale) => ({
      units: CONTESTANTS.flatMap((contestant) =>
        Array.from({ length: (scale === 'quick' ? 6 : LARGEST_HEIGHT) + 1 }, (_, height) =>
          averageUnit(contestant, height, REPETITIONS),
        ),
      ),
      omissions:
        scale === 'quick' ? [{ what: 'means over all intervals, N > 64', why: 'left to the full run' }] : [],
    }),
    ...reporting,
  };
}

const secondsOf = (strategy: Strategy, repetitions: number): number =>
  0.3 + 4e-7 * repetitions * coefficientCount(strategy);

function intervalsUnit(contestant: Contestant, repetitions: number): Unit {
  const { name } = contestant;
  const strategy = contestant.strategyOf(LARGEST_HEIGHT);
  return {
    id: `${ONE_BY_ONE}/${name}`,
    title: `intervals, ${name}`,
    parameters: { contestant: name, fanouts: strategy.fanouts.join(' '), repetitions, version: 1 },
    expectedSeconds: secondsOf(strategy, repetitions),
    measure: async () => {
      const intervals = intervalsOf(strategy.bins);
      const noise = noiseOf(strategy, contestant.noise);
      const moments = noiseMoments(noise, SERVERS);
      const columns = columnsOf(strategy);
      const squares = (counts: readonly number[]) => {
        const prefixes = [0];
        for (const count of counts) prefixes.push(prefixes.at(-1)! + count);
        return intervals.map(({ from, to }) => (prefixes[to]! - prefixes[from]!) ** 2);
      };
      const forms = intervals.map((interval) => formOfInterval(columns, interval));
      const theory = intervals.map(
        (interval) => moments.variance * toNumber(intervalError(strategy, interval)),
      );
      const count = (samples: readonly number[]) => ({ unit: 'count' as const, samples });
      const height = strategy.fanouts.length;
      return {
        series: {
          theory: count(theory),
          published: count(
            intervals.map(
              (interval) =>
                ((2 * (height + 1) ** 2) / EPSILON ** 2) * toNumber(intervalError(strategy, interval)),
            ),
          ),
          experiment: count(await meansOf(strategy, contestant, 'fast', repetitions, squares)),
          error: count(forms.map((form) => expectedMean(form, moments, repetitions).error)),
          few: count(await meansOf(strategy, contestant, 'exact', PUBLISHED_REPETITIONS, squares)),
        },
        facts: {},
      };
    },
  };
}

function averageUnit(contestant: Contestant, height: number, repetitions: number): Unit {
  const { name } = contestant;
  const strategy = contestant.strategyOf(height);
  return {
    id: `${AVERAGES}/${name}/${height}`,
    title: `all intervals, ${name}, N = ${2 ** height}`,
    parameters: { contestant: name, fanouts: strategy.fanouts.join(' '), repetitions, version: 1 },
    expectedSeconds: secondsOf(strategy, repetitions),
    measure: async (): Promise<UnitResult> => {
      const moments = noiseMoments(noiseOf(strategy, contestant.noise), SERVERS);
      const form: QuadraticForm = formOfAverage(strategy, columnsOf(strategy));
      const square = (counts: readonly number[]) => [meanSquareOverIntervals(counts)];
      return {
        series: {},
        facts: {
          theory: moments.variance * toNumber(averageError(strategy, 'ranges')),
          error: expectedMean(form, moments, repetitions).error,
          experiment: (await meansOf(strategy, contestant, 'fast', repetitions, square))[0]!,
          few: (await meansOf(strategy, contestant, 'exact', PUBLISHED_REPETITIONS, square))[0]!,
        },
      };
    },
  };
}

/** The means of what is found in restored noise. */
async function meansOf(
  strategy: Strategy,
  { name, noise: kind }: Contestant,
  draws: 'fast' | 'exact',
  repetitions: number,
  found: (counts: readonly number[]) => readonly number[],
): Promise<number[]> {
  const noise = noiseOf(strategy, kind);
  const sampler = draws === 'fast' ? fastSampler : exactSampler;
  const servers = Array.from({ length: SERVERS }, (_, i) =>
    sampler(noise, `ranges ${name} ${strategy.bins} ${draws} ${i}`),
  );
  const count = coefficientCount(strategy);
  let sums: number[] = [];
  for (let run = 0; run < repetitions; run += 1) {
    const coefficients = Array.from({ length: count }, () => servers.reduce((sum, draw) => sum + draw(), 0));
    const values = found(restore(strategy, coefficients));
    sums = values.map((value, i) => value + (sums[i] ?? 0));
    if (run % 200 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return sums.map((sum) => sum / repetitions);
}
