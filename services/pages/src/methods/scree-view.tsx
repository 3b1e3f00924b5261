/** The scree plot: eigenvalues in their order, and shares of the variance where they are known. */
import { keptInWords, roundingInWords, shareInWords, type ToldShare } from '@eigenveil/data-user/result';
import { explainedVariance } from '@eigenveil/projection/portable';
import { useCallback } from 'preact/hooks';
import { axis, Chart } from '../common/chart.tsx';
import type { ChartTheme } from '../common/chart-theme.ts';
import { capital, count } from '../common/format.ts';
import type { Column } from '../common/table.tsx';
import type { CheckedResult } from '../console/result/verify.ts';
import { type ComponentRow, whyNoShares } from './figures.ts';

const DIGITS = 6;

export function Scree(props: { readonly checked: CheckedResult; readonly rows: readonly ComponentRow[] }) {
  const { rows } = props;
  const { projection, provenance } = props.checked;
  const why = whyNoShares(projection);
  const rounding = roundingInWords(projection);
  const own = rows.filter(({ beyond }) => !beyond);
  const shares = explainedVariance(projection, provenance.verifiedOwners);
  const kept = shares === undefined ? null : keptInWords(projection, shares);
  const option = useCallback((theme: ChartTheme) => screeOption(theme, rows), [rows]);
  const columns: Column<ComponentRow>[] = [
    { head: 'Component', cell: ({ component, beyond }) => `${component}${beyond ? ' (no vector)' : ''}` },
    { head: 'Eigenvalue', numeric: true, cell: ({ eigenvalue }) => eigenvalue.toPrecision(DIGITS) },
    ...(why === null
      ? ([
          { head: 'Share', numeric: true, cell: ({ share }) => cellOf(share) },
          { head: 'With those before', numeric: true, cell: ({ sum }) => cellOf(sum) },
        ] satisfies Column<ComponentRow>[])
      : []),
    {
      head: 'Found',
      cell: ({ converged, beyond }) => (beyond ? '' : converged === false ? 'no' : 'yes'),
    },
    { head: 'Remarks', cell: ({ remarks }) => remarks.join(', ') },
  ];
  return (
    <>
      <h2>Scree plot</h2>
      <Chart
        title="Eigenvalues by component"
        summary={summaryOf(own, kept)}
        option={option}
        columns={columns}
        rows={rows}
      />
      {kept !== null && <p>{capital(kept)}.</p>}
      {rounding !== undefined && <p>{capital(rounding)}.</p>}
      {why !== null && <p class="hint">No shares of the variance are shown. {why}</p>}
    </>
  );
}

function summaryOf(rows: readonly ComponentRow[], kept: string | null): string {
  const [first] = rows;
  return `${count(rows.length, 'component')}; the first eigenvalue is ${first!.eigenvalue.toPrecision(3)}, the last ${rows.at(-1)!.eigenvalue.toPrecision(3)}${kept === null ? '' : `; ${kept}`}`;
}

function cellOf(share: ToldShare | null): string {
  return share === null ? '' : shareInWords(share);
}

function screeOption(theme: ChartTheme, rows: readonly ComponentRow[]) {
  return {
    grid: { left: 8, right: 16, top: 32, bottom: 32, containLabel: true },
    tooltip: {
      trigger: 'axis',
      formatter: (shown: readonly { readonly dataIndex: number }[]) => {
        const { component, eigenvalue, share, beyond } = rows[shown[0]!.dataIndex]!;
        const part = share === null ? '' : `\n${shareInWords(share)} of the variance`;
        return `component ${component}${beyond ? ' (beyond the result)' : ''}\n${eigenvalue.toPrecision(DIGITS)}${part}`;
      },
    },
    xAxis: {
      ...axis(theme),
      type: 'category',
      name: 'component',
      nameLocation: 'middle',
      nameGap: 28,
      data: rows.map(({ component }) => String(component)),
    },
    yAxis: {
      ...axis(theme),
      type: 'value',
      name: 'eigenvalue',
      nameTextStyle: { color: theme.text, align: 'left' },
    },
    series: [
      lineOf(theme.series[0]!, 'solid', (row) => !row.beyond),
      // The line begins at the last component, so that it continues the other one.
      lineOf(theme.quiet, 'dashed', (row, i) => row.beyond || rows[i + 1]?.beyond === true),
    ].map(({ holds, ...line }) => ({
      ...line,
      data: rows.map((row, i) => (holds(row, i) ? row.eigenvalue : null)),
    })),
  };
}

function lineOf(colour: string, type: 'solid' | 'dashed', holds: (row: ComponentRow, i: number) => boolean) {
  return {
    type: 'line',
    symbol: 'circle',
    symbolSize: type === 'solid' ? 9 : 5,
    // Without this, echarts leaves marks out where there are many.
    showAllSymbol: true,
    itemStyle: { color: colour },
    lineStyle: { color: colour, type },
    holds,
  };
}
