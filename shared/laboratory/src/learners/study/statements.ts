/** What the samples of the question about features decide: projections beside raw features, case by case and over data sets. */
import type { Measurement } from '@eigenveil/bench/unit';
import { RANGES } from '../../comparison/data.ts';
import {
  type Difference,
  meanOf,
  pairedDifference,
  type Verdict,
  verdictsOf,
} from '../../comparison/inference.ts';
import { type Arm, featureSeries, findFeatures, LEARNERS, type LearnerName } from './features.ts';
import { STUDY_EPSILONS } from './settings.ts';

export interface Comparison {
  readonly learner: LearnerName;
  readonly of: Arm;
  readonly against: Arm;
}

export const COMPARISONS: readonly Comparison[] = LEARNERS.flatMap((learner) => [
  { learner, of: 'private PCA', against: 'raw' } as const,
  { learner, of: 'private DCA', against: 'raw' } as const,
  { learner, of: 'exact PCA', against: 'raw' } as const,
  { learner, of: 'exact DCA', against: 'raw' } as const,
  { learner, of: 'private PCA', against: 'exact PCA' } as const,
  { learner, of: 'private DCA', against: 'exact DCA' } as const,
]);

export interface Decided extends Comparison {
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

/** Splits are the samples of a case, paired; data sets those of a mean. Each comparison is a family, of cases and of means. */
export function decidedOf(measurements: readonly Measurement[]): Decided[] {
  return COMPARISONS.map((comparison) => {
    const found = STUDY_EPSILONS.flatMap((epsilon) =>
      Object.keys(RANGES).flatMap((dataset) => {
        const unit = findFeatures(measurements, dataset, epsilon);
        const samples = (arm: Arm) => unit?.series[featureSeries(comparison.learner, arm)]?.samples ?? [];
        const difference = pairedDifference(samples(comparison.of), samples(comparison.against));
        return difference === undefined ? [] : [{ dataset, epsilon, difference }];
      }),
    );
    const verdicts = verdictsOf(found.map(({ difference }) => [difference]));
    const means = STUDY_EPSILONS.flatMap((epsilon) => {
      const own = found.filter((it) => it.epsilon === epsilon).map(({ difference }) => difference.mean);
      const difference = meanOf(own);
      return difference === undefined ? [] : [{ epsilon, difference }];
    });
    const overall = verdictsOf(means.map(({ difference }) => [difference]));
    return {
      ...comparison,
      cases: found.map(({ dataset, epsilon }, i) => ({ dataset, epsilon, verdict: verdicts[i]! })),
      means: means.map((mean, i) => ({ ...mean, verdict: overall[i]! })),
    };
  });
}
