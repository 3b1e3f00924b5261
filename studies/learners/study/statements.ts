/** What the samples of the question about features decide: projections beside raw features, case by case and over data sets. */
import type { Measurement } from '../../instrument/unit.ts';
import { type Decision, decide } from '../../privacy/paired.ts';
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

export type Decided = Comparison & Decision;

export function decidedOf(measurements: readonly Measurement[]): Decided[] {
  return COMPARISONS.map((comparison) => ({
    ...comparison,
    ...decide(STUDY_EPSILONS, (dataset, epsilon) => {
      const unit = findFeatures(measurements, dataset, epsilon);
      const samples = (arm: Arm) => unit?.series[featureSeries(comparison.learner, arm)]?.samples ?? [];
      return [samples(comparison.of), samples(comparison.against)];
    }),
  }));
}
