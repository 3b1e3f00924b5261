/** What the samples decide: Eigenveil beside every method that keeps the same ε, case by case and in the mean over data sets. */
import type { Measurement } from '@eigenveil/bench/unit';
import type { Section, Table } from '@eigenveil/report/document';
import { LEVEL, MARGIN, VERDICTS, type Verdict, worstOf } from '../inference.ts';
import {
  aimOf,
  foundMore,
  GROUPS,
  type Group,
  LEAST_EPSILON,
  type Statement,
  type StatementMean,
  statements,
} from '../statements.ts';
import { EPSILONS } from '../utility.ts';
import { inPoints, left, measuredSets, right, SHOWN_COMPONENTS, text } from './cells.ts';

const count = (cases: readonly { readonly verdict: Verdict }[], wanted: Verdict): number =>
  cases.filter(({ verdict }) => verdict === wanted).length;
const counted = (cases: readonly { readonly verdict: Verdict }[]): string[] =>
  VERDICTS.map((verdict) => `${count(cases, verdict)}`);

/** The aim, and the means over data sets, in a sentence each. */
export function utilityHighlights(measurements: readonly Measurement[]): string[] {
  const all = statements(measurements, measuredSets(measurements), SHOWN_COMPONENTS);
  const aim = aimOf(all);
  if (aim.length === 0) return [];
  const verdicts = VERDICTS.map((verdict) => `${verdict} in ${count(aim, verdict)}`).join(', ');
  const rivals = all.filter(({ group }) => group === 'distributed');
  return [
    `Beside the methods that keep the same (ε, δ) without a curator, from ε = ${LEAST_EPSILON} on, Eigenveil is ${verdicts} of ${aim.length} cases (method, data set, ε): **${worstOf(aim.map(({ verdict }) => verdict))}** as a whole, with a margin of ${MARGIN} point.`,
    ...rivals.flatMap(({ opponent, overall }) =>
      overall === undefined
        ? []
        : [`In the mean over data sets and these ε, against ${opponent.title}: ${meanText(overall)}.`],
    ),
  ];
}

const meanText = ({ difference, sets, setsAhead, verdict }: StatementMean): string =>
  `${inPoints(difference)} points, more on ${setsAhead} of ${sets} data sets, **${verdict}**`;

export function decided(measurements: readonly Measurement[], datasets: readonly string[]): Section {
  const all = statements(measurements, datasets, SHOWN_COMPONENTS);
  return {
    title: 'What the samples decide',
    blocks: [
      text(
        `Differences are Eigenveil less the other method, in points of captured energy (percent of the best), ${SHOWN_COMPONENTS} components. Only methods that keep the ε they are told are compared; the others stand in a panel of their own. Brackets hold ${100 * (1 - LEVEL)} % intervals of the single difference.`,
      ),
      text(
        `A case is a data set at one ε. **ahead**: above 0. **not behind**: above −${MARGIN}, the margin. **behind**: below 0, and not shown to be above −${MARGIN}. **open**: these samples do not decide. Each is tested by Student’s t at ${100 * (LEVEL / 2)} % in its direction, with Holm’s correction over all cases of a method. A method that depends on the spread of rows is measured at several numbers of sites: Eigenveil must be ahead, or not behind, at every one, and is behind if it is so at any. In the mean, data sets are the samples: few, and chosen, not drawn.`,
      ),
      summary(all),
      overEpsilon(all),
      aimTable(all),
      ...all.map((statement) => casesOf(statement, datasets)),
      found(measurements, datasets),
    ],
  };
}

function summary(all: readonly Statement[]): Table {
  return {
    kind: 'table',
    caption: `Eigenveil beside each method: numbers of cases over all ε; and the mean over data sets, ε ≥ ${LEAST_EPSILON}, corrected over the lines of one promise`,
    columns: [
      left('against'),
      left('which promises'),
      ...VERDICTS.map(right),
      right(`mean, ε ≥ ${LEAST_EPSILON}`),
      right('sets with more'),
      left('in the mean'),
    ],
    rows: all.map(({ subject, opponent, group, cases, overall }) => [
      titleOf({ subject, opponent, group }),
      GROUPS[group],
      ...counted(cases),
      ...(overall === undefined
        ? ['', '', '']
        : [inPoints(overall.difference), `${overall.setsAhead} of ${overall.sets}`, overall.verdict]),
    ]),
  };
}

/** The subject is named where it is not what is released. */
const titleOf = ({ subject, opponent, group }: Pick<Statement, 'subject' | 'opponent' | 'group'>): string =>
  group === 'calibration' ? `${opponent.title} (of ${subject.title})` : opponent.title;

function overEpsilon(all: readonly Statement[]): Table {
  return {
    kind: 'table',
    caption: 'The mean over data sets at each ε, corrected over ε',
    columns: [left('against'), ...EPSILONS.map((epsilon) => right(`ε = ${epsilon}`))],
    rows: all.map((statement) => [
      titleOf(statement),
      ...EPSILONS.map((epsilon) => {
        const mean = statement.means.find(({ epsilons }) => epsilons[0] === epsilon);
        return mean === undefined ? '' : `${inPoints(mean.difference)} ${mean.verdict}`;
      }),
    ]),
  };
}

/** Every case of the aim that is behind or open. */
function aimTable(all: readonly Statement[]): Table {
  const aim = aimOf(all);
  const missed = aim.filter(({ verdict }) => verdict === 'behind' || verdict === 'open');
  return {
    kind: 'table',
    caption: `The aim: from ε = ${LEAST_EPSILON} on not behind any method ${nameOf('distributed')}, by more than ${MARGIN} point. Of ${aim.length} cases, corrected together, ${VERDICTS.map((verdict) => `${count(aim, verdict)} ${verdict}`).join(', ')}; those that are behind or open`,
    columns: [
      left('data set'),
      right('ε'),
      left('against'),
      right('difference, at its worst'),
      left('verdict'),
    ],
    rows: missed.map(({ dataset, epsilon, opponent, settings, verdict }) => [
      dataset,
      `${epsilon}`,
      opponent.title,
      inPoints(settings.toSorted((a, b) => a.mean - b.mean)[0]!),
      verdict,
    ]),
  };
}

const nameOf = (group: Group): string => `with ${GROUPS[group]}`;

function casesOf(statement: Statement, datasets: readonly string[]): Table {
  return {
    kind: 'table',
    caption: `${statement.subject.title} less ${statement.opponent.title}, in points${statement.cases.some(({ settings }) => settings.length > 1) ? '; at the number of sites where it is least' : ''}`,
    columns: [left('data set'), ...EPSILONS.map((epsilon) => right(`ε = ${epsilon}`))],
    rows: datasets.map((dataset) => [
      dataset,
      ...EPSILONS.map((epsilon) => {
        const found = statement.cases.find((it) => it.dataset === dataset && it.epsilon === epsilon);
        if (found === undefined) return '';
        return `${inPoints(found.settings.toSorted((a, b) => a.mean - b.mean)[0]!)} ${found.verdict}`;
      }),
    ]),
  };
}

function found(measurements: readonly Measurement[], datasets: readonly string[]): Table {
  return {
    kind: 'table',
    caption: `On how many of ${datasets.length} data sets a method is ahead of random directions, at every number of sites`,
    columns: [left('method'), ...EPSILONS.map((epsilon) => right(`ε = ${epsilon}`))],
    rows: foundMore(measurements, datasets, SHOWN_COMPONENTS).map(({ method, sets }) => [
      method.title,
      ...sets.map((it) => `${it}`),
    ]),
  };
}
