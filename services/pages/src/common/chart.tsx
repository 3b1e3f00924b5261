/**
 * A chart by echarts, drawn as SVG, with the same figures as a table for people who cannot see it. The parts
 * of echarts that a chart needs are registered in charts.ts.
 */
import type { EChartsCoreOption } from 'echarts/core';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ChartTheme, readTheme } from './chart-theme.ts';
import { Button } from './controls.tsx';
import { Problem } from './feedback.tsx';
import { type LaterScript, later } from './later.ts';
import { type Column, Table } from './table.tsx';
import { useAsync } from './use-async.ts';

/** The script with the library, which the build inserts here. */
declare const CHARTS_SCRIPT: LaterScript;

type Library = typeof import('./charts.ts');
const library = later<Library>(() => CHARTS_SCRIPT, 'The library that draws charts');

/** The options of echarts; `tooltip` is an object where there is one. */
export type ChartOption = EChartsCoreOption & { readonly tooltip?: Readonly<Record<string, unknown>> };

/**
 * @param title what it shows; screen readers say it with `summary`
 * @param summary what one sees in it, in a sentence
 * @param option called again when light and dark change; let the same function come while the figures are
 *   the same (useCallback). Names in it are text: give them through `printable`, and cut them
 * @param height of the drawing in CSS pixels
 */
export function Chart<Row>(props: {
  readonly title: string;
  readonly summary: string;
  readonly option: (theme: ChartTheme) => ChartOption;
  readonly height?: number;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
}) {
  const { title, summary, option, height = 320, columns, rows } = props;
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<ReturnType<Library['init']> | null>(null);
  const loaded = useAsync(library, []);
  /** The rows are drawn only on request: they may be many, and few people read them. */
  const [isTabled, setTabled] = useState(false);

  useEffect(() => {
    if (loaded.state !== 'failed') return;
    addEventListener('online', loaded.again);
    return () => removeEventListener('online', loaded.again);
  }, [loaded.state, loaded.again]);

  useEffect(() => {
    if (loaded.state !== 'done') return;
    const element = place.current!;
    const drawn = loaded.value.init(element, null, { renderer: 'svg' });
    chart.current = drawn;
    const watch = new ResizeObserver(() => drawn.resize());
    watch.observe(element);
    return () => {
      watch.disconnect();
      drawn.dispose();
    };
  }, [loaded.state]);

  useEffect(() => {
    if (loaded.state !== 'done') return;
    const draw = () => {
      const theme = readTheme(place.current!);
      chart.current!.setOption(themed(option(theme), theme), { notMerge: true });
    };
    draw();
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', draw);
    return () => dark.removeEventListener('change', draw);
  }, [loaded.state, option]);

  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <div
        ref={place}
        role="img"
        aria-label={`${title}. ${summary}`}
        class="drawing"
        style={{ height: `${height}px` }}
      />
      {loaded.state === 'failed' && (
        <Problem error={loaded.error} title="The chart is not drawn">
          <Button onClick={loaded.again}>Draw the chart</Button>
        </Problem>
      )}
      <details onToggle={(event) => setTabled(event.currentTarget.open)}>
        <summary>The figures as a table</summary>
        {isTabled && (
          <Table caption={title} captionHidden columns={columns} rows={rows} keyOf={(_, index) => index} />
        )}
      </details>
    </figure>
  );
}

/** Adds the theme to a chart's options. Tips are drawn, never HTML, and nothing moves by itself. */
function themed(option: ChartOption, theme: ChartTheme): EChartsCoreOption {
  return {
    animation: false,
    color: [...theme.series],
    textStyle: { color: theme.text, fontFamily: 'system-ui, sans-serif' },
    ...option,
    tooltip: {
      backgroundColor: theme.raised,
      borderColor: theme.line,
      textStyle: { color: theme.text },
      ...(option.tooltip ?? { show: false }),
      renderMode: 'richText',
      confine: true,
    },
  };
}

/** Returns an axis in the colours of the theme; spread it before the axis's own options. */
export function axis(theme: ChartTheme) {
  return {
    axisLine: { lineStyle: { color: theme.quiet } },
    axisTick: { lineStyle: { color: theme.quiet } },
    axisLabel: { color: theme.text },
    nameTextStyle: { color: theme.text },
    splitLine: { lineStyle: { color: theme.line } },
  };
}
