/** Verdicts of paired comparisons on the same splits: case by case, and over data sets. */
import { RANGES } from './data.ts';
import { type Difference, meanOf, pairedDifference, type Verdict, verdictsOf } from './inference.ts';

export interface Decision {
  readonly cases: readonly {
    readonly dataset: string;
    readonly epsilon: number;
    readonly verdict: Verdict;
  }[];
  /** Over data sets, at each ε, where at least two were measured. */
  readonly means: readonly {
    readonly epsilon: number;
    readonly difference: Difference;
    readonly verdict: Verdict;
  }[];
}

/** Samples of what is judged and of what it stands against, one for each split; none where nothing was measured. */
export type PairedSamples = readonly [of: readonly number[], against: readonly number[]];

/** Splits are the samples of a case, paired; data sets those of a mean. A comparison is a family, of cases and of means. */
export function decide(
  epsilons: readonly number[],
  samples: (dataset: string, epsilon: number) => PairedSamples,
): Decision {
  const found = epsilons.flatMap((epsilon) =>
    Object.keys(RANGES).flatMap((dataset) => {
      const difference = pairedDifference(...samples(dataset, epsilon));
      return difference === undefined ? [] : [{ dataset, epsilon, difference }];
    }),
  );
  const verdicts = verdictsOf(found.map(({ difference }) => [difference]));
  const means = epsilons.flatMap((epsilon) => {
    const own = found.filter((it) => it.epsilon === epsilon).map(({ difference }) => difference.mean);
    const difference = meanOf(own);
    return difference === undefined ? [] : [{ epsilon, difference }];
  });
  const overall = verdictsOf(means.map(({ difference }) => [difference]));
  return {
    cases: found.map(({ dataset, epsilon }, i) => ({ dataset, epsilon, verdict: verdicts[i]! })),
    means: means.map((mean, i) => ({ ...mean, verdict: overall[i]! })),
  };
}
