/** What the samples decide about private ranges: case by case, and over data sets. Margin, level and verdicts are those of comparison/inference.ts. */
import type { Measurement } from '../instrument/unit.ts';
import { STUDY_EPSILONS } from '../learners/study/settings.ts';
import { type Decision, decide } from '../privacy/paired.ts';
import { armName, findRanges, KINDS, type Kind, SCORES, type Score, seriesOf } from './utility.ts';

/** The share that is judged, fixed beforehand; tables have all. */
export const JUDGED_SHARE = 0.25;
const ONE = armName({ stages: 'one stage', share: JUDGED_SHARE });
const TWO = armName({ stages: 'coarse, then fine', share: JUDGED_SHARE });

export interface Comparison {
  readonly kind: Kind;
  readonly score: Score;
  readonly of: string;
  readonly against: string;
}

export const COMPARISONS: readonly Comparison[] = KINDS.flatMap((kind) =>
  SCORES.flatMap((score) =>
    [
      { of: ONE, against: 'wide guess' },
      { of: ONE, against: 'true' },
      { of: ONE, against: 'documented' },
      { of: TWO, against: ONE },
    ].map((pair) => ({ kind, score, ...pair })),
  ),
);

export type Decided = Comparison & Decision;

export function decidedOf(measurements: readonly Measurement[]): Decided[] {
  return COMPARISONS.map((comparison) => ({
    ...comparison,
    ...decide(STUDY_EPSILONS, (dataset, epsilon) => {
      const unit = findRanges(measurements, dataset, epsilon);
      const samples = (arm: string) =>
        unit?.series[seriesOf(arm, comparison.kind, comparison.score)]?.samples ?? [];
      return [samples(comparison.of), samples(comparison.against)];
    }),
  }));
}
