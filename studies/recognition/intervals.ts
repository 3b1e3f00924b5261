/** Intervals of 95 % with people as units, and what they decide against a margin that was fixed beforehand. */

import jstat from '@eigenveil/testbed/goodness/jstat';
import { generator, seedOf } from '@eigenveil/testbed/random';
import { quantile } from '../instrument/statistics.ts';

export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** People. */
  readonly n: number;
}

const LEVEL = 0.05;

/** Clopper and Pearson (1934). `hits` may be a fraction where ties were broken evenly: the bounds are those of the whole numbers beside it. */
export function shareOf(hits: number, n: number): Interval {
  const [less, more] = [Math.floor(hits), Math.ceil(hits)];
  return {
    value: hits / n,
    low: less === 0 ? 0 : jstat.beta.inv(LEVEL / 2, less, n - less + 1),
    high: more === n ? 1 : jstat.beta.inv(1 - LEVEL / 2, more + 1, n - more),
    n,
  };
}

const RESAMPLES = 1000;

/** Percentiles over people drawn with replacement (Efron 1979). `statistic` takes their indices, of which some come more than once. */
export function bootstrapped(
  n: number,
  seed: string,
  statistic: (people: readonly number[]) => number,
  resamples = RESAMPLES,
): Interval {
  const next = generator(seedOf(seed));
  const everyone = Array.from({ length: n }, (_, i) => i);
  const values = Array.from({ length: resamples }, () =>
    statistic(everyone.map(() => Math.floor(next() * n))),
  );
  return {
    value: statistic(everyone),
    low: quantile(values, LEVEL / 2),
    high: quantile(values, 1 - LEVEL / 2),
    n,
  };
}

export type Verdict = 'gives away' | 'nothing seen' | 'undecided';

/** Points of a rate, or of variance explained, that count as nothing. Fixed before any attack ran. */
const MARGIN = 0.05;

/** Against what a guess has: more than the margin above it for certain, less for certain, or neither. */
export function verdictOf({ low, high }: Pick<Interval, 'low' | 'high'>, chance: number): Verdict {
  if (low > chance + MARGIN) return 'gives away';
  return high < chance + MARGIN ? 'nothing seen' : 'undecided';
}
