/** The suites of `npm run compare:learners`, in the order of the report. */

import type { Report } from '../../instrument/report/document.ts';
import { type BenchData, reportOf } from '../../instrument/report.ts';
import type { Suite } from '../../instrument/unit.ts';
import { LEARNER_AUDITS } from '../audits.ts';
import { accuracySuite } from './accuracy.ts';
import { auditsSuite } from './audited.ts';
import { clustersSuite } from './clusters.ts';
import { featuresSuite } from './features.ts';
import { regressionSuite } from './regression.ts';
import {
  accuracyHighlights,
  accuracyReport,
  auditsHighlights,
  auditsReport,
  clustersReport,
  featuresHighlights,
  featuresReport,
  regressionReport,
} from './report.ts';

export const LEARNERS_SUITES: readonly Suite[] = [
  accuracySuite({ highlights: accuracyHighlights, report: accuracyReport }),
  regressionSuite({ highlights: () => [], report: regressionReport }),
  clustersSuite({ highlights: () => [], report: clustersReport }),
  auditsSuite(LEARNER_AUDITS, {
    description: 'attacks on every learner and on a broken twin of it',
    quickShare: 1 / 4,
    highlights: auditsHighlights,
    report: auditsReport,
  }),
  // Last, as it takes longest.
  featuresSuite({ highlights: featuresHighlights, report: featuresReport }),
];

export function learnersReport(data: BenchData): Report {
  return reportOf(data, LEARNERS_SUITES, {
    title: 'Eigenveil: learners under differential privacy, and the features that serve them',
    introduction: [
      'What is stated below was computed from the samples in `report.json`. Noise comes from seeds that anybody can repeat: these are experiments on public data, not releases.',
    ],
  });
}
