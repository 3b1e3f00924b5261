/** What the samples decide: Eigenveil beside every method that keeps the same ε, case by case and in the mean over data sets. */

import type { Section, Table } from '../../instrument/report/document.ts';
import type { Measurement } from '../../instrument/unit.ts';
import { LEVEL, MARGIN, VERDICTS, type Verdict, worstOf } from '../inference.ts';
import type { PcaMethod } from '../methods/index.ts';
import {
  type Aim,
  aimsOf,
  type DealtDifference,
  foundMore,
  GROUPS,
  LEAST_EPSILON,
  leastOf,
  type Statement,
  type StatementMean,
  statements,
} from '../statements.ts';
import { dealingTitle, EPSILONS } from '../utility.ts';
import { at, inPoints, left, measuredSets, right, SHOWN_COMPONENTS, text } from './cells.ts';

const count = (cases: readonly { readonly verdict: Verdict }[], wanted: Verdict): number =>
  cases.filter(({ verdict }) => verdict === wanted).length;
const counted = (cases: readonly { readonly verdict: Verdict }[]): string[] =>
  VERDICTS.map((verdict) => `${count(cases, verdict)}`);

/** Of each way of Eigenveil the aim, and the means over data sets. */
export function utilityHighlights(measurements: readonly Measurement[]): string[] {
  const all = statements(measurements, measuredSets(measurements), SHOWN_COMPONENTS);
  return aimsOf(all).flatMap(({ subject, cases }) => {
    const verdicts = VERDICTS.map((verdict) => `${verdict} in ${count(cases, verdict)}`).join(', ');
    const means = all
      .filter((it) => it.subject === subject && it.group === 'distributed')
      .flatMap(({ opponent, overall }) =>
        overall === undefined ? [] : [`${opponent.title}${meanText(overall)}`],
      );
    const summary = `**${subject.title}** beside methods that keep the same (ε, δ) without a curator, ε ≥ ${LEAST_EPSILON}: ${verdicts} of ${cases.length} cases (method, data set, ε), margin ${MARGIN} point; **${worstOf(cases.map(({ verdict }) => verdict))}** as a whole.`;
    if (means.length === 0) return [summary];
    return [
      summary,
      `**${subject.title}**, mean over data sets and these ε, in points less that of: ${means.join('; ')}.`,
    ];
  });
}

function meanText({ settings, verdict }: StatementMean): string {
  const least = leastOf(settings);
  return `${at(least.dealing)} ${inPoints(least)}, more on ${least.setsAhead} of ${least.sets}, ${verdict}`;
}

export function decided(measurements: readonly Measurement[], datasets: readonly string[]): Section {
  const all = statements(measurements, datasets, SHOWN_COMPONENTS);
  return {
    title: 'What the samples decide',
    blocks: [
      text(
        `Differences are Eigenveil less the other method, in points of captured energy (percent of the best), ${SHOWN_COMPONENTS} components. Only methods that keep the ε they are told are compared; the others stand in a panel of their own. Every method clips as did best for its kind (see “How long rows may be”): divided by their length where it centres rows by their exact mean, which it gets for nothing. Without a curator that mean is protected by Eigenveil, and by the two-stage methods with public scales, which trust nobody; **the others keep their ε only for a mean that is given.** They keep it for numbers of rows that are given, too: n or N_i, once published, tell a row more from a row less. For a row that is replaced, which these numbers do not tell, Gaussian noise would have to be √2 times, Laplace noise twice as large; it is not, which flatters them, and not Eigenveil, whose noise hides the number of rows. Brackets hold ${100 * (1 - LEVEL)} % intervals of the single difference.`,
      ),
      text(
        `A case is a data set at one ε. **ahead**: above 0. **not behind**: above −${MARGIN}, the margin. **behind**: below 0, and not shown to be above −${MARGIN}. **open**: these samples do not decide. Each is tested by Student’s t at ${100 * (LEVEL / 2)} % in its direction, with Holm’s correction over all cases of a method. A method that depends on the spread of rows is measured at several dealings: sites that grow in size, 5, 10 and 50, and 10 equal ones. Eigenveil must be ahead, or not behind, at every one, and is behind if it is so at any. In the mean, data sets are the samples: few, and chosen, not drawn; what is shown is the dealing at which the other method does best in that mean, by name.`,
      ),
      aimTable(aimsOf(all)),
      summary(all),
      overEpsilon(all),
      ...[...Map.groupBy(all, ({ opponent }) => opponent)].map(([opponent, of]) =>
        casesOf(opponent, of, datasets),
      ),
      found(measurements, datasets),
    ],
  };
}

function summary(all: readonly Statement[]): Table {
  return {
    kind: 'table',
    caption: `Eigenveil beside each method: numbers of cases over all ε; and the mean over data sets, ε ≥ ${LEAST_EPSILON}, corrected over the lines of one promise`,
    columns: [
      left('of'),
      left('against'),
      left('which promises'),
      ...VERDICTS.map(right),
      left('at'),
      right(`mean, ε ≥ ${LEAST_EPSILON}`),
      right('sets with more'),
      left('in the mean'),
    ],
    rows: all.map(({ subject, opponent, group, cases, overall }) => [
      subject.title,
      opponent.title,
      GROUPS[group],
      ...counted(cases),
      ...(overall === undefined ? ['', '', '', ''] : overallCells(overall)),
    ]),
  };
}

function overallCells({ settings, verdict }: StatementMean): string[] {
  const least = leastOf(settings);
  return [dealingTitle(least.dealing), inPoints(least), `${least.setsAhead} of ${least.sets}`, verdict];
}

/** A difference and its verdict, where the other method is at its best. */
function cellOf(of: { readonly settings: readonly DealtDifference[]; readonly verdict: Verdict }): string {
  const least = leastOf(of.settings);
  return `${inPoints(least)} ${of.verdict}${at(least.dealing)}`;
}

function overEpsilon(all: readonly Statement[]): Table {
  return {
    kind: 'table',
    caption: 'The mean over data sets at each ε, corrected over ε',
    columns: [left('of'), left('against'), ...EPSILONS.map((epsilon) => right(`ε = ${epsilon}`))],
    rows: all.map((statement) => [
      statement.subject.title,
      statement.opponent.title,
      ...EPSILONS.map((epsilon) => {
        const mean = statement.means.find(({ epsilons }) => epsilons[0] === epsilon);
        return mean === undefined ? '' : cellOf(mean);
      }),
    ]),
  };
}

function aimTable(aims: readonly Aim[]): Table {
  return {
    kind: 'table',
    caption: `The aim: to be behind no method with ${GROUPS.distributed} by more than ${MARGIN} point, on no data set, from ε = ${LEAST_EPSILON} on. Cases of all these methods, corrected together`,
    columns: [left('of'), right('cases'), ...VERDICTS.map(right), left('as a whole')],
    rows: aims.map(({ subject, cases }) => [
      subject.title,
      `${cases.length}`,
      ...counted(cases),
      worstOf(cases.map(({ verdict }) => verdict)),
    ]),
  };
}

function casesOf(opponent: PcaMethod, all: readonly Statement[], datasets: readonly string[]): Table {
  return {
    kind: 'table',
    caption: `Less ${opponent.title}, in points${opponent.dependsOnSites ? '; at the dealing where it is least' : ''}`,
    columns: [left('data set'), left('of'), ...EPSILONS.map((epsilon) => right(`ε = ${epsilon}`))],
    rows: datasets.flatMap((dataset) =>
      all.map(({ subject, cases }) => [
        dataset,
        subject.title,
        ...EPSILONS.map((epsilon) => {
          const found = cases.find((it) => it.dataset === dataset && it.epsilon === epsilon);
          return found === undefined ? '' : cellOf(found);
        }),
      ]),
    ),
  };
}

function found(measurements: readonly Measurement[], datasets: readonly string[]): Table {
  return {
    kind: 'table',
    caption: `On how many of ${datasets.length} data sets a method is ahead of random directions`,
    columns: [left('method'), left('at every one of'), ...EPSILONS.map((epsilon) => right(`ε = ${epsilon}`))],
    rows: foundMore(measurements, datasets, SHOWN_COMPONENTS).map(({ method, dealings, sets }) => [
      method.title,
      dealings.map(dealingTitle).join(', '),
      ...sets.map((it) => `${it}`),
    ]),
  };
}
