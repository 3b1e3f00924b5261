/** The suites of `npm run compare:ranges`, in the order of the report. */

import type { Report, Section } from '../instrument/report/document.ts';
import { type BenchData, reportOf } from '../instrument/report.ts';
import type { Measurement, Suite } from '../instrument/unit.ts';
import { AUDITED_EPSILON } from '../learners/audits.ts';
import { auditsSuite, findAudit } from '../learners/study/audited.ts';
import { auditsTable } from '../learners/study/report.ts';
import { text } from '../privacy/report/cells.ts';
import { agreementOf, contradictionsOf } from './agreement.ts';
import { RELEASE_AUDITS } from './audits.ts';
import { averagesSuite, intervalsSuite } from './experiments.ts';
import { quantilesSuite } from './quantiles.ts';
import { agreementHighlights, averagesReport, intervalsReport } from './report/experiments.ts';
import { quantilesHighlights, quantilesReport } from './report/quantiles.ts';
import { strategiesHighlights, strategiesReport } from './report/theory.ts';
import { rangesHighlights, rangesReport } from './report/utility.ts';
import { strategiesSuite } from './strategies.ts';
import { rangesSuite } from './utility.ts';

export const RANGES_SUITES: readonly Suite[] = [
  // Of both suites together it is said above them, once.
  intervalsSuite({ highlights: () => [], report: intervalsReport }),
  averagesSuite({ highlights: () => [], report: averagesReport }),
  strategiesSuite({ highlights: strategiesHighlights, report: strategiesReport }),
  quantilesSuite({ highlights: quantilesHighlights, report: quantilesReport }),
  auditsSuite(RELEASE_AUDITS, {
    description: 'attacks on the release of histograms and on broken twins of it',
    quickShare: 1,
    highlights: auditsHighlights,
    report: auditsReport,
  }),
  // Last, as it takes longest.
  rangesSuite({ highlights: rangesHighlights, report: rangesReport }),
];

export function rangesReportOf(data: BenchData): Report {
  const disagreements = contradictionsOf(data.measurements);
  return reportOf(data, RANGES_SUITES, {
    title: 'Eigenveil: private histograms, their errors, and the ranges that they give',
    introduction: [
      'What is stated below was computed from the samples in `report.json`. Noise comes from seeds that anybody can repeat: these are experiments, not releases.',
      ...(agreementOf(data.measurements).cases.length === 0 ? [] : agreementHighlights(data.measurements)),
      ...disagreements.map((disagreement) => `**Disagreement.** ${disagreement}`),
    ],
  });
}

/** Where theory and experiment disagree. */
export const contradictions = ({ measurements }: BenchData): string[] => contradictionsOf(measurements);

function auditsHighlights(measurements: readonly Measurement[]): string[] {
  const found = RELEASE_AUDITS.flatMap((audit) => findAudit(measurements, audit) ?? []);
  if (found.length === 0) return [];
  const refuted = found.filter(({ facts }) => Number(facts.honest) > AUDITED_EPSILON);
  const caught = found.filter(({ facts }) => Number(facts.broken) > AUDITED_EPSILON);
  return [
    `Attacks refute ${refuted.length} of ${found.length} claims of ε = ${AUDITED_EPSILON}, and ${caught.length} of ${found.length} broken twins.`,
  ];
}

function auditsReport(measurements: readonly Measurement[]): Section[] {
  if (measurements.length === 0) return [];
  return [
    {
      title: 'Attacks from below',
      blocks: [
        text(
          `Neighbours are told apart by the noisy coefficients with one server's noise, as whoever has the other server's sees them; the ε that the rates prove to be exceeded, by the bounds of Clopper and Pearson, is wrong with probability 2e-4. Every claim is ε = ${AUDITED_EPSILON}. With Laplace noise the event's rates differ by e^ε exactly, so that a figure close to ${AUDITED_EPSILON} shows noise that is not wasted.`,
        ),
        auditsTable('release', RELEASE_AUDITS, measurements),
      ],
    },
  ];
}
