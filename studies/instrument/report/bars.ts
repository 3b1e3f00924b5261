/** Bars in groups with whiskers and their values, upright or lying, laid out for echarts. */
import { CodedError } from '@eigenveil/platform';
import type { CustomSeriesRenderItem, CustomSeriesRenderItemReturn } from 'echarts';
import { axisOption, legendOption, textStyle, titleOption } from './axes.ts';
import { REPORT_CODES } from './codes.ts';
import type { BarDrawing, Whiskered } from './document.ts';
import type { Frame, Layout } from './drawing.ts';
import { figure } from './figures.ts';
import { legendOf, textHeight, textWidth, wrap } from './layout.ts';
import { rowOf, type Scale, scaleOf } from './scale.ts';
import { barFill, seriesColour } from './theme.ts';
import { whisker } from './whisker.ts';

// Of the room of a group, what its bars fill.
const filled = 0.8;
const lyingBar = 19;
const widestBar = 54;

export function barOption(drawing: BarDrawing, frame: Frame): Layout {
  check(drawing, frame.name);
  return (drawing.lying ? undefined : standing(drawing, frame)) ?? lying(drawing, frame);
}

function check({ bars, groups, y }: BarDrawing, chart: string): void {
  if (y.scale === 'category')
    throw new CodedError(
      REPORT_CODES.ERR_REPORT,
      `chart "${chart}": expected a linear or logarithmic axis for bars, got category`,
    );
  const uneven = bars.find(({ values }) => values.length !== groups.length);
  if (uneven)
    throw new CodedError(
      REPORT_CODES.ERR_REPORT,
      `chart "${chart}", bars "${uneven.name}": expected ${groups.length} values, one per group, got ${uneven.values.length}`,
    );
}

function scaleFor({ bars, y }: BarDrawing, frame: Frame, labels: number): Scale {
  const values = bars.flatMap((bar) => bar.values).filter((value) => value !== undefined);
  const whiskers = values.flatMap(({ low, high }) => [low, high]).filter((value) => value !== undefined);
  return scaleOf(
    y,
    values.map(({ value }) => value),
    whiskers,
    { chart: frame.name, labels, foot: true },
  );
}

function valueLabel(drawing: BarDrawing, value: number): string {
  return figure(value, drawing.y.unit, 3);
}

function widestValue(drawing: BarDrawing, size: number): number {
  const values = drawing.bars.flatMap((bar) => bar.values).filter((value) => value !== undefined);
  return Math.max(0, ...values.map(({ value }) => textWidth(valueLabel(drawing, value), size)));
}

/** Undefined where the names of the groups, or the values on a phone, have no room below or above upright bars. */
function standing(drawing: BarDrawing, frame: Frame): Layout | undefined {
  const { width, size } = frame;
  const plotHeight = width > 500 ? 300 : 230;
  const y = scaleFor(drawing, frame, Math.floor(plotHeight / 45));
  const left = Math.max(...y.ticks.map(({ label }) => textWidth(label, size))) + 10;
  const plotWidth = width - left - 4;
  const groupWidth = plotWidth / drawing.groups.length;
  const names = drawing.groups.map((group) => wrap(group, groupWidth - 8, size));
  const broken = drawing.groups.some((group) =>
    group.split(/\s+/).some((word) => textWidth(word, size) > groupWidth - 8),
  );
  const barWidth = Math.min(widestBar, (groupWidth * filled) / drawing.bars.length);
  const valued = barWidth >= widestValue(drawing, size - 1) + 2;
  if (broken || names.some((name) => name.split('\n').length > 3)) return undefined;
  if (barWidth < 10 || (!valued && width < 500)) return undefined;

  const legend = legendOf(
    drawing.bars.map(({ name }) => name),
    width,
    size,
  );
  const yTitle = wrap(drawing.y.title, width, size);
  const titleTop = legend.height + 8;
  const top = titleTop + textHeight(yTitle, size) + (valued ? size + 12 : 16);
  return {
    width,
    height: Math.ceil(top + plotHeight + 10 + Math.max(...names.map((name) => textHeight(name, size))) + 4),
    option: {
      grid: { left, right: 4, top, height: plotHeight, outerBoundsMode: 'none' },
      legend: legendOption(legend, size, 12),
      title: [titleOption(yTitle, size, { left: 0, top: titleTop })],
      xAxis: axisOption(rowOf(names), size, { line: true, grid: false }),
      yAxis: axisOption(y, size, { line: false, grid: true }),
      series: drawing.bars.map((_, index) =>
        barSeries({ drawing, frame, scale: y, index, thickness: barWidth, lying: false, valued }),
      ),
    },
  };
}

function lying(drawing: BarDrawing, frame: Frame): Layout {
  const { width, size } = frame;
  const names = drawing.groups.map((group) => wrap(group, width * 0.37, size));
  const left = Math.max(...names.map((name) => textWidth(name, size))) + 10;
  const right = widestValue(drawing, size - 1) + 12;
  const plotWidth = width - left - right;
  const scale = scaleFor(drawing, frame, Math.max(3, Math.floor(plotWidth / 55)));
  const least = Math.max(...names.map((name) => textHeight(name, size))) + 6;
  const groupHeight = Math.max(least, (drawing.bars.length * lyingBar) / filled);
  const plotHeight = groupHeight * drawing.groups.length;
  const legend = legendOf(
    drawing.bars.map(({ name }) => name),
    width,
    size,
  );
  const title = wrap(drawing.y.title, width, size);
  const top = legend.height + 10;
  const titleTop = top + plotHeight + 10 + size * 1.4 + 4;
  return {
    width,
    height: Math.ceil(titleTop + textHeight(title, size) + 4),
    option: {
      grid: { left, right, top, height: plotHeight, outerBoundsMode: 'none' },
      legend: legendOption(legend, size, 12),
      title: [titleOption(title, size, { left: width / 2, top: titleTop, textAlign: 'center' })],
      xAxis: axisOption(scale, size, { line: false, grid: true }),
      yAxis: axisOption(rowOf(names), size, { line: true, grid: false, inverse: true }),
      series: drawing.bars.map((_, index) =>
        barSeries({ drawing, frame, scale, index, thickness: lyingBar, lying: true, valued: true }),
      ),
    },
  };
}

interface BarLook {
  readonly drawing: BarDrawing;
  readonly frame: Frame;
  readonly scale: Scale;
  readonly index: number;
  readonly thickness: number;
  readonly lying: boolean;
  readonly valued: boolean;
}

function barSeries(look: BarLook): object {
  const { drawing, frame, index } = look;
  const bar = drawing.bars[index]!;
  const present = bar.values.flatMap((value, group) => (value === undefined ? [] : [{ value, group }]));
  const row = rowOf(drawing.groups);
  const renderItem: CustomSeriesRenderItem = (params, api) => {
    const { value, group } = present[params.dataIndex]!;
    return drawBar(look, value, (position) =>
      api.coord(look.lying ? [position, row.position(group)] : [row.position(group), position]),
    );
  };
  return {
    type: 'custom',
    name: bar.name,
    data: present.map((_, place) => [place]),
    itemStyle: { color: barFill(index, frame.prefix) },
    renderItem,
    silent: true,
    clip: false,
    z: 3,
  };
}

function drawBar(
  { drawing, frame, scale, index, thickness, lying, valued }: BarLook,
  { value, low, high }: Whiskered,
  coordinates: (position: number) => number[],
): CustomSeriesRenderItemReturn {
  const count = drawing.bars.length;
  const across = coordinates(0)[lying ? 1 : 0]! + (index - count / 2 + 0.5) * thickness;
  const along = (v: number): number => coordinates(scale.clamped(v))[lying ? 0 : 1]!;
  const place = (v: number): [number, number] => (lying ? [along(v), across] : [across, along(v)]);
  const foot = along(0);
  const breadth = thickness - 2;
  const [from, to] = [Math.min(foot, along(value)), Math.max(foot, along(value))];
  const shape = lying
    ? { x: from, y: across - breadth / 2, width: to - from, height: breadth, r: [0, 2, 2, 0] }
    : { x: across - breadth / 2, y: from, width: breadth, height: to - from, r: [2, 2, 0, 0] };
  const end = place(Math.max(0, value, high ?? value));
  return {
    type: 'group',
    children: [
      {
        type: 'rect',
        shape,
        style: { fill: barFill(index, frame.prefix), stroke: seriesColour(index), lineWidth: 1 },
      },
      ...(low === undefined && high === undefined
        ? []
        : [
            whisker({
              from: place(low ?? value),
              to: place(high ?? value),
              cap: Math.min(5, breadth / 3),
              open: low !== undefined && !scale.reaches(low),
              colour: 'var(--ink)',
            }),
          ]),
      ...(valued
        ? [
            {
              type: 'text' as const,
              style: {
                text: valueLabel(drawing, value),
                x: lying ? end[0] + 6 : end[0],
                y: lying ? end[1] : end[1] - 5,
                align: lying ? ('left' as const) : ('center' as const),
                verticalAlign: lying ? ('middle' as const) : ('bottom' as const),
                ...labelFont(frame.size - 1),
              },
            },
          ]
        : []),
    ],
  };
}

function labelFont(size: number): object {
  const { color, ...font } = textStyle(size, 'var(--ink)') as { color: string };
  return { ...font, fill: color };
}
