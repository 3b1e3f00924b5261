/** The report of the study of authentication: what a hurried reader should take away, then every figure with its interval. */

import type { Section } from '../../instrument/report/document.ts';
import type { Measurement } from '../../instrument/unit.ts';
import { type Family, headlineArm, SERVICE_ARM } from './arms.ts';
import { dataSection } from './report/arms.ts';
import { checksSection, noiseSection } from './report/checks.ts';
import { finder, GOALS, sets, TITLES, withInterval } from './report/figures.ts';
import { goalSection } from './report/goals.ts';
import { limitsSection, protocolSection, shapeSection } from './report/method.ts';
import { laterSection, learningSection, lockSection } from './report/service.ts';

export { authenticationTable } from './report/arms.ts';

/** Of a report of nothing else. */
export const authenticationStudy = {
  title: 'Eigenveil: how well people are recognised on reduced rows',
  introduction: [
    'An evaluation of continuous authentication on two public data sets. Everything is seeded: whoever runs it again gets these error rates.',
  ],
};

export function authenticationHighlights(measurements: readonly Measurement[]): string[] {
  const find = finder(measurements);
  return sets(measurements).flatMap((dataset) => {
    const facts = find(dataset);
    if (facts[`${headlineArm('frames')}/perSample`] === undefined) return [];
    const rates = (arm: string) =>
      `${withInterval(facts, `${arm}/perSample`)} % of single rows and ${withInterval(facts, `${arm}/overFive`)} % over five`;
    const of = (family: Family) => rates(headlineArm(family));
    return [
      `**${TITLES[dataset]}**: DCA has an EER of ${of('frames')} where every user has a frame. The goal was ${GOALS[dataset]!.perSample} and ${GOALS[dataset]!.overFive} %. The service runs another arm, with its own score: ${rates(SERVICE_ARM)}. With one frame for all and cohort scores it is ${of('insiders')} against impostors who are users, and ${of('outsiders')} against others.`,
    ];
  });
}

export function authenticationReport(measurements: readonly Measurement[]): Section[] {
  const datasets = sets(measurements);
  if (datasets.length === 0) return [];
  const find = finder(measurements);
  return [
    protocolSection(),
    goalSection(datasets, find),
    ...datasets.map((dataset) => dataSection(dataset, find)),
    laterSection(datasets, find),
    lockSection(datasets, find),
    learningSection(datasets, find),
    checksSection(datasets, find),
    noiseSection(datasets, find),
    limitsSection(),
    shapeSection(),
  ];
}
