/** The suites of `npm run compare:privacy`, in the order of the report. */

import type { Report } from '../instrument/report/document.ts';
import { type BenchData, reportOf } from '../instrument/report.ts';
import type { Suite } from '../instrument/unit.ts';
import { attackSuite } from './attack.ts';
import { classificationSuite } from './classification.ts';
import { publishingSuite } from './publishing.ts';
import { attackHighlights, attackReport } from './report/attack.ts';
import { classificationReport } from './report/classification.ts';
import { publishingHighlights, publishingReport } from './report/publishing.ts';
import { utilityHighlights, utilityReport } from './report/utility.ts';
import { utilitySuite } from './utility.ts';

export const PRIVACY_SUITES: readonly Suite[] = [
  utilitySuite({ highlights: utilityHighlights, report: utilityReport }),
  // Scores say little beside the captured energy: most of these classes are told apart by any few directions.
  classificationSuite({ highlights: () => [], report: classificationReport }),
  publishingSuite({ highlights: publishingHighlights, report: publishingReport }),
  attackSuite({ highlights: attackHighlights, report: attackReport }),
];

export function privacyReport(data: BenchData): Report {
  return reportOf(data, PRIVACY_SUITES, {
    title: 'Eigenveil: methods of private PCA side by side',
    introduction: [
      'What is stated below was computed from the samples in `report.json`, which the run wrote beside this page. Noise comes from seeds that anybody can repeat: these are experiments on public data, not releases.',
    ],
  });
}
