/** Contributions over time, with the least and the largest number that the task takes. */
import type { TaskProgress } from '@eigenveil/wire/console';
import { useCallback, useMemo } from 'preact/hooks';
import { axis, Chart, type ChartOption } from '../../common/chart.tsx';
import type { ChartTheme } from '../../common/chart-theme.ts';
import { exactTime, number } from '../../common/format.ts';
import { contributionWords } from '../words.ts';
import { type ArrivalPoint, arrivalPoints, type Bound, boundsDrawn } from './arrivals.ts';

export function ContributionsChart({ progress }: { readonly progress: TaskProgress }) {
  const { minimumOwners, maximumOwners } = progress;
  const points = useMemo(() => arrivalPoints(progress), [progress]);
  const bounds = useMemo(
    () => boundsDrawn(minimumOwners, maximumOwners, points.at(-1)?.contributions ?? 0),
    [points, minimumOwners, maximumOwners],
  );
  const option = useCallback((theme: ChartTheme) => optionOf(points, bounds, theme), [points, bounds]);
  if (points.length === 0) return <p>No contribution has come yet.</p>;
  return (
    <>
      <Chart
        title="Contributions over time (UTC)"
        summary={contributionWords(progress)}
        option={option}
        height={280}
        rows={points}
        columns={[
          { head: 'Time', cell: ({ at }) => exactTime(new Date(at)) },
          { head: 'Contributions', numeric: true, cell: ({ contributions }) => number(contributions) },
        ]}
      />
      {bounds.every(({ value }) => value !== maximumOwners) && (
        <p class="hint">The maximum, {number(maximumOwners)}, lies far above the drawing.</p>
      )}
    </>
  );
}

function optionOf(points: readonly ArrivalPoint[], bounds: readonly Bound[], theme: ChartTheme): ChartOption {
  const from = points[0]!.at;
  const to = points.at(-1)!.at;
  const line = ({ name, value, isNamedBelow }: Bound) => ({
    name,
    type: 'line',
    symbol: 'none',
    silent: true,
    lineStyle: { type: 'dashed', width: 2, color: name === 'minimum' ? theme.good : theme.bad },
    endLabel: {
      show: true,
      formatter: `${name} ${number(value)}`,
      color: theme.text,
      align: 'right',
      offset: [0, isNamedBelow ? 10 : -10],
    },
    data: [
      [from, value],
      [to, value],
    ],
  });
  return {
    useUTC: true,
    grid: { left: 8, right: 16, top: 24, bottom: 8, outerBoundsMode: 'same' },
    xAxis: {
      ...axis(theme),
      type: 'time',
      splitLine: { show: false },
      minInterval: 1000, // a telephone has no room for labels with milliseconds
      axisLabel: { color: theme.text, hideOverlap: true },
    },
    yAxis: { ...axis(theme), type: 'value', min: 0, minInterval: 1 },
    tooltip: {
      trigger: 'axis',
      formatter: (hits: readonly { readonly seriesIndex: number; readonly value: readonly number[] }[]) => {
        const [at, contributions] = hits.find(({ seriesIndex }) => seriesIndex === 0)?.value ?? [];
        return at === undefined ? '' : `${exactTime(new Date(at))}\n${number(contributions!)}`;
      },
    },
    series: [
      {
        name: 'contributions',
        type: 'line',
        step: 'end',
        symbol: points.length > 50 ? 'none' : 'circle',
        symbolSize: 6,
        lineStyle: { width: 2 },
        data: points.map(({ at, contributions }) => [at, contributions]),
      },
      ...bounds.map(line),
    ],
  };
}
