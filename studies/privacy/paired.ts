/** Verdicts of paired comparisons on the same splits: case by case, and over data sets. */
import { chosenOf, samplesOf } from '../instrument/figure.ts';
import type { Tidy } from '../instrument/tidy.ts';
import { type Difference, intervalOf, meanOf, pairedDifference, verdictsOf } from './inference.ts';

/** What is compared: a column of some records, with that of others that stand in the same order, split by split. */
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
  const found = [
    ...Map.groupBy(records, ({ dataset, epsilon }) => JSON.stringify([dataset, epsilon])).values(),
  ].flatMap((some) => {
    const [own, others] = [of, against].map((chosen) => samplesOf(chosenOf(some, chosen), column));
    if (own!.length === 0 || others!.length === 0) return [];
    const difference = pairedDifference(own!, others!);
    if (difference === undefined) return [];
    return [{ dataset: String(some[0]!.dataset), epsilon: Number(some[0]!.epsilon), difference }];
  });
  const { cases, means } = judged(found);
  return {
    cases: cases.map(({ difference, ...rest }) => ({ ...rest, ...inColumns(difference) })),
    means: means.map(({ difference, ...rest }) => ({ ...rest, ...inColumns(difference) })),
  };
}

/** A difference with its interval, as columns of a record. */
export function inColumns(difference: Difference) {
  const [low, high] = intervalOf(difference);
  return { difference: difference.mean, low, high };
}

interface Found {
  readonly dataset: string;
  readonly epsilon: number;
  readonly difference: Difference;
}

function judged(found: readonly Found[]) {
  const verdicts = verdictsOf(found.map(({ difference }) => [difference]));
  const cases = found.map((it, i) => ({ ...it, verdict: verdicts[i]! }));
  const means = [...Map.groupBy(cases, ({ epsilon }) => epsilon)].flatMap(([epsilon, own]) => {
    const difference = meanOf(own.map((it) => it.difference.mean));
    if (difference === undefined) return [];
    const setsAhead = own.filter(({ verdict }) => verdict === 'ahead').length;
    return [{ epsilon, difference, sets: own.length, setsAhead }];
  });
  const overall = verdictsOf(means.map(({ difference }) => [difference]));
  return { cases, means: means.map((mean, i) => ({ ...mean, verdict: overall[i]! })) };
}
