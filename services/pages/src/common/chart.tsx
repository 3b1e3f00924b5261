/**
 * A chart by echarts, drawn as SVG, with the same figures as a table for people who cannot see it. Register
 * the parts of a chart with `use` of `echarts/core`; grid, tooltip and renderer are there.
 */
import { GridComponent, TooltipComponent } from 'echarts/components';
import { type EChartsCoreOption, init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ChartTheme, readTheme } from './chart-theme.ts';
import { type Column, Table } from './table.tsx';

use([SVGRenderer, GridComponent, TooltipComponent]);

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
  const chart = useRef<ReturnType<typeof init> | null>(null);
  /** The rows are drawn only on request: they may be many, and few people read them. */
  const [isTabled, setTabled] = useState(false);

  useEffect(() => {
    const element = place.current!;
    const drawn = init(element, null, { renderer: 'svg' });
    chart.current = drawn;
    const watch = new ResizeObserver(() => drawn.resize());
    watch.observe(element);
    return () => {
      watch.disconnect();
      drawn.dispose();
    };
  }, []);

  useEffect(() => {
    const draw = () => {
      const theme = readTheme(place.current!);
      chart.current!.setOption(themed(option(theme), theme), { notMerge: true });
    };
    draw();
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', draw);
    return () => dark.removeEventListener('change', draw);
  }, [option]);

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
