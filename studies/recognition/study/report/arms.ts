/** All arms on a data set: tables by kind of scores, what validation chose, and pictures. */
import { MISSING } from '../../../instrument/quantities.ts';
import type { Chart, Section, Table } from '../../../instrument/report/document.ts';
import { figures, renderTable, words } from '../../../instrument/table.ts';
import type { Measurement } from '../../../instrument/unit.ts';
import { left, right } from '../../../privacy/report/cells.ts';
import { ARMS, type Family } from '../arms.ts';
import { componentsChart, detChart } from '../charts.ts';
import { numberOf } from '../facts.ts';
import { FAMILIES, type Find, finder, rate, sets, signed, TITLES, withInterval } from './figures.ts';

/** For the terminal. */
export function authenticationTable(measurements: readonly Measurement[]): string | undefined {
  const find = finder(measurements);
  const rows = sets(measurements).flatMap((dataset) => {
    const facts = find(dataset);
    return ARMS.map(({ name, title, family }) => ({ dataset, facts, name, title, family }));
  });
  if (rows.length === 0) return undefined;
  return renderTable(rows, [
    words('data', ({ dataset }) => dataset),
    words('arm', ({ title }) => title),
    words('scores', ({ family }) => family),
    figures('k', ({ facts, name }) => facts[`${name}/components`] ?? MISSING),
    figures('EER %', ({ facts, name }) => withInterval(facts, `${name}/perSample`)),
    figures('over five', ({ facts, name }) => withInterval(facts, `${name}/overFive`)),
  ]);
}

export function dataSection(dataset: string, find: Find): Section {
  const facts = find(dataset);
  const rows = (family: Family) =>
    ARMS.filter((arm) => arm.family === family).map(({ name, title }) => [
      title,
      `${facts[`${name}/components`] ?? MISSING}`,
      withInterval(facts, `${name}/perSample`),
      withInterval(facts, `${name}/overFive`),
      ...(dataset === 'wisdm_walk_user' ? [rate(numberOf(facts, `${name}/overTen`))] : []),
      withInterval(facts, `${name}/perSample/lessRaw`, signed),
      withInterval(facts, `${name}/overFive/lessRaw`, signed),
      rate(numberOf(facts, `${name}/perUser`)),
      `${rate(numberOf(facts, `${name}/fmr`))} / ${rate(numberOf(facts, `${name}/fnmr`))}`,
      `${rate(numberOf(facts, `${name}/fmrOverFive`))} / ${rate(numberOf(facts, `${name}/fnmrOverFive`))}`,
    ]);
  const columns = [
    left('arm'),
    right('k'),
    right('EER'),
    right('over five'),
    ...(dataset === 'wisdm_walk_user' ? [right('over ten')] : []),
    right('less raw'),
    right('over five'),
    right('mean of users'),
    right('FMR / FNMR'),
    right('over five'),
  ];
  return {
    title: TITLES[dataset]!,
    blocks: [
      ...FAMILIES.map(
        ({ family, title }): Table => ({
          kind: 'table',
          caption: `${dataset}, ${title}: percent; “less raw” is the paired difference from the better raw arm of this table, FMR and FNMR are at the threshold from the 20 % before`,
          columns,
          rows: rows(family),
        }),
      ),
      {
        kind: 'table',
        caption: `${dataset}: what validation chose, and the EER that it had there`,
        columns: [left('arm'), left('setting'), right('per sample'), right('over five')],
        rows: ARMS.map(({ name, title, family }) => [
          family === 'frames' ? title : `${title}, ${family}`,
          `${facts[`${name}/setting`] ?? MISSING}`,
          rate(numberOf(facts, `${name}/chosen/perSample`)),
          rate(numberOf(facts, `${name}/chosen/overFive`)),
        ]),
      },
      ...[componentsChart(dataset, facts), detChart(dataset, facts)].filter(hasPoints),
    ],
  };
}

/** An interrupted run may have none. */
const hasPoints = ({ drawing }: Chart): boolean =>
  drawing.kind === 'lines' && drawing.lines.some(({ points }) => points.length > 0);
