/** The statements of the laboratory with their verdicts, and every case that does not hold or stays open. */
import type { Measurement } from '@eigenveil/bench/unit';
import type { Block, Section, Table } from '@eigenveil/report/document';
import { type Statement, type StatementCase, statements, verdictOf } from '../statements.ts';
import { left, measuredSets, right, SHOWN_COMPONENTS, text } from './cells.ts';

/** One sentence a statement: its verdict, and of how many cases. */
export function utilityHighlights(measurements: readonly Measurement[]): string[] {
  return statements(measurements, measuredSets(measurements), SHOWN_COMPONENTS)
    .filter(({ cases }) => cases.length > 0)
    .map((statement) => {
      const held = statement.cases.filter(({ verdict }) => verdict === 'holds').length;
      const failed = statement.cases.filter(({ verdict }) => verdict === 'does not hold').length;
      return `${statement.text} **${verdictOf(statement)}**: ${held} of ${statement.cases.length} cases hold, ${failed} do not.`;
    });
}

export function decided(measurements: readonly Measurement[], datasets: readonly string[]): Section {
  const all = statements(measurements, datasets, SHOWN_COMPONENTS);
  const rows = all.map((statement, i) => {
    const count = (verdict: StatementCase['verdict']) =>
      `${statement.cases.filter((it) => it.verdict === verdict).length}`;
    return [
      `${i + 1}`,
      statement.text,
      verdictOf(statement),
      count('holds'),
      count('open'),
      count('does not hold'),
    ];
  });
  const table: Table = {
    kind: 'table',
    caption: `Statements, decided by the samples, for ${SHOWN_COMPONENTS} components`,
    columns: [
      right('no.'),
      left('statement'),
      left('verdict'),
      right('holds'),
      right('open'),
      right('does not hold'),
    ],
    rows,
  };
  return {
    title: 'What the samples decide',
    blocks: [
      text(
        'Cases are data sets, ε and opponents. "Ahead", "behind" and "within 1 %" are decided where they hold beyond two standard errors of the difference; what these samples do not decide is open. A statement holds if all its cases do. Where noise drowns everything, all methods capture what random directions capture, and nothing can be decided.',
      ),
      table,
      ...all.flatMap((statement, i) => notHolding(statement, i + 1)),
    ],
  };
}

function notHolding(statement: Statement, number: number): Block[] {
  const cases = statement.cases.filter(({ verdict }) => verdict !== 'holds');
  if (cases.length === 0) return [];
  return [
    {
      kind: 'table',
      caption: `Statement ${number}: cases that do not hold or stay open; mean captured energy in percent`,
      columns: [
        left('data set'),
        right('ε'),
        left('against'),
        right('Eigenveil'),
        right('other'),
        right('difference ± standard error'),
        left('verdict'),
      ],
      rows: cases.map(({ dataset, epsilon, against, verdict, comparison }) => [
        dataset,
        `${epsilon}`,
        against,
        comparison.mean.toFixed(2),
        comparison.otherMean.toFixed(2),
        `${comparison.difference.toFixed(2)} ± ${comparison.error.toFixed(2)}`,
        verdict,
      ]),
    },
  ];
}
