/**
 * The rules by which the comparison decides, fixed before any sample was taken: a margin, a level, Student's t, Holm's correction, and four verdicts.
 *
 * A difference is that of the mean captured energy of two methods on one data set at one ε: over seeds of noise, given the rows. Seeds say nothing about
 * other data sets; what is said of several data sets takes each of them as one sample (`meanOf` over data sets).
 *
 * Three one-sided questions are asked of each difference Δ, each at level LEVEL/2:
 * - Δ > 0: ahead;
 * - Δ > −MARGIN: not behind by more than the margin (non-inferiority). It follows from the first;
 * - Δ < 0: behind, unless the second holds, too.
 * Where none is answered with yes the verdict is "open": too few samples, not equality.
 *
 * The cases of one statement are a family. Each of the three questions is corrected over it (Holm, "A simple sequentially rejective multiple test
 * procedure", 1979), so that one wrong answer to it among all cases has at most that probability, whatever depends on what. A single case has a wrong
 * verdict with probability LEVEL at most; a family has one with 3/2 LEVEL at most, since another case may be wrong in each question.
 */

import jstat from '@eigenveil/testbed/goodness/jstat';
import { chosenOf, samplesOf } from '../instrument/figure.ts';
import { momentsOf } from '../instrument/statistics.ts';
import type { Tidy } from '../instrument/tidy.ts';

/** Points of captured energy that count as no loss. */
export const MARGIN = 1;
/** The probability of a wrong verdict of a single case, in either direction. */
export const LEVEL = 0.05;

/** The verdicts, in the order of reports. */
export const VERDICTS = ['ahead', 'not behind', 'open', 'behind'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** An estimated difference with its standard error and the degrees of freedom of that. */
export interface Difference {
  readonly mean: number;
  readonly error: number;
  readonly freedom: number;
}

/** The mean of paired differences, or of data sets, with the t distribution. Undefined with less than two samples: no spread, no judgement. */
export function meanOf(samples: readonly number[]): Difference | undefined {
  const moments = momentsOf(samples);
  if (moments?.deviation === undefined) return undefined;
  const { mean, deviation } = moments;
  return { mean, error: deviation / Math.sqrt(samples.length), freedom: samples.length - 1 };
}

/** The difference of two independent means (Welch, Biometrika 34, 1947). Undefined with less than two samples on a side. */
export function differenceOf(samples: readonly number[], others: readonly number[]): Difference | undefined {
  const [a, b] = [meanOf(samples), meanOf(others)];
  if (a === undefined || b === undefined) return undefined;
  const squares = a.error ** 2 + b.error ** 2;
  const freedom = squares ** 2 / (a.error ** 4 / a.freedom + b.error ** 4 / b.freedom);
  return {
    mean: a.mean - b.mean,
    error: Math.sqrt(squares),
    freedom: squares === 0 ? a.freedom + b.freedom : freedom,
  };
}

/** The difference of two methods that had the same rows, dealt alike, seed by seed. Undefined with less than two pairs. */
export function pairedDifference(
  samples: readonly number[],
  others: readonly number[],
): Difference | undefined {
  if (samples.length !== others.length) {
    throw new RangeError(`"others" expected ${samples.length} samples, got ${others.length}`);
  }
  return meanOf(samples.map((sample, i) => sample - others[i]!));
}

/** The interval of level 1 − LEVEL for a single difference, not corrected. */
export function intervalOf({ mean, error, freedom }: Difference): readonly [low: number, high: number] {
  const reach = error === 0 ? 0 : jstat.studentt.inv(1 - LEVEL / 2, freedom) * error;
  return [mean - reach, mean + reach];
}

/** The probability of such a difference, or a larger one, if the true one were `bound`. */
export function pAbove({ mean, error, freedom }: Difference, bound: number): number {
  // The lower tail, since 1 less a number near 1 has no digits.
  const t = (bound - mean) / error;
  if (error === 0) return mean > bound ? 0 : 1;
  return jstat.studentt.cdf(t, freedom);
}

const pBelow = ({ mean, ...rest }: Difference, bound: number): number =>
  pAbove({ mean: -mean, ...rest }, -bound);

/** p-values, each so enlarged that those up to a level can be taken as shown together with that probability of an error. In the order given. */
export function holm(pValues: readonly number[]): number[] {
  const order = pValues.map((_, i) => i).sort((a, b) => pValues[a]! - pValues[b]!);
  const adjusted = new Array<number>(pValues.length);
  let largest = 0;
  order.forEach((i, rank) => {
    largest = Math.max(largest, Math.min(1, (pValues.length - rank) * pValues[i]!));
    adjusted[i] = largest;
  });
  return adjusted;
}

/**
 * One verdict for each case of a family. A case is one difference, or one for each of several settings, such as numbers of sites: ahead, or not behind,
 * is then what is so in all of them, and behind what is so in any (Bonferroni's correction over settings).
 */
export function verdictsOf(family: readonly (readonly Difference[])[]): Verdict[] {
  const everywhere = (bound: number) =>
    holm(family.map((settings) => Math.max(...settings.map((it) => pAbove(it, bound)))));
  const [ahead, notBehind] = [everywhere(0), everywhere(-MARGIN)];
  const behind = holm(
    family.map((settings) => Math.min(1, settings.length * Math.min(...settings.map((it) => pBelow(it, 0))))),
  );
  const shown = (p: number | undefined) => p !== undefined && p <= LEVEL / 2;
  return family.map((_, i) => {
    if (shown(ahead[i])) return 'ahead';
    if (shown(notBehind[i])) return 'not behind';
    return shown(behind[i]) ? 'behind' : 'open';
  });
}

/** The worst verdict of all cases: a single "behind" decides, and one that is open leaves all open. Without cases it is open. */
export function worstOf(verdicts: readonly Verdict[]): Verdict {
  return VERDICTS.findLast((verdict) => verdicts.includes(verdict)) ?? 'open';
}

/** Gives each member of a family its verdict. */
export function judged<T extends object>(
  family: readonly T[],
  settingsOf: (it: T) => readonly Difference[],
): (T & { readonly verdict: Verdict })[] {
  const verdicts = verdictsOf(family.map(settingsOf));
  return family.map((it, i) => ({ ...it, verdict: verdicts[i]! }));
}

/** A difference with its interval, as columns of a record. */
export function inColumns(difference: Difference) {
  const [low, high] = intervalOf(difference);
  return { difference: difference.mean, low, high };
}

/** A column of some records is compared with that of others, which stand in the same order, split by split. */
interface PairedComparison {
  readonly column: string;
  readonly of: Tidy;
  readonly against: Tidy;
}

/**
 * Decides a comparison. Splits are the samples of a case, paired; data sets those of a mean. A comparison is a family, of cases and of means.
 * @returns records of a frame: `cases` of each data set and ε, `means` over data sets at each ε, with 95 % intervals that are not corrected
 */
export function decided(
  records: readonly Tidy[],
  { column, of, against }: PairedComparison,
): { readonly cases: readonly Tidy[]; readonly means: readonly Tidy[] } {
  const groups = Map.groupBy(records, ({ dataset, epsilon }) => JSON.stringify([dataset, epsilon]));
  const found = [...groups.values()].flatMap((some) => {
    const [own, others] = [of, against].map((chosen) => samplesOf(chosenOf(some, chosen), column));
    if (own!.length === 0 || others!.length === 0) return [];
    const difference = pairedDifference(own!, others!);
    const { dataset, epsilon } = some[0]!;
    return difference === undefined ? [] : [{ dataset: dataset!, epsilon: epsilon!, difference }];
  });
  const cases = judged(found, ({ difference }) => [difference]);
  const means = [...Map.groupBy(cases, ({ epsilon }) => epsilon)].flatMap(([epsilon, own]) => {
    const difference = meanOf(own.map((it) => it.difference.mean));
    const setsAhead = own.filter(({ verdict }) => verdict === 'ahead').length;
    return difference === undefined ? [] : [{ epsilon, difference, sets: own.length, setsAhead }];
  });
  const meansJudged = judged(means, ({ difference }) => [difference]);
  return {
    cases: cases.map(({ difference, ...rest }) => ({ ...rest, ...inColumns(difference) })),
    means: meansJudged.map(({ difference, ...rest }) => ({ ...rest, ...inColumns(difference) })),
  };
}
