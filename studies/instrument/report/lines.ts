/** Lines, points and their whiskers, laid out for echarts. */
import { CodedError } from '@eigenveil/platform';
import type { CustomSeriesRenderItem, CustomSeriesRenderItemReturn } from 'echarts';
import { axisOption, legendOption, titleOption } from './axes.ts';
import { REPORT_CODES } from './codes.ts';
import type { Line, LineDrawing } from './document.ts';
import type { Frame, Layout } from './drawing.ts';
import { legendOf, textHeight, textWidth, wrap } from './layout.ts';
import { type Scale, scaleOf, type Tick } from './scale.ts';
import { dash, seriesColour, symbol } from './theme.ts';
import { whisker } from './whisker.ts';

export function lineOption(drawing: LineDrawing, frame: Frame): Layout {
  const { width, size } = frame;
  const measured = drawing.lines.flatMap(({ points }) => points);
  const whiskers = measured.flatMap(({ low, high }) => [low, high]).filter((value) => value !== undefined);
  const plotHeight = width > 500 ? 320 : 250;
  const y = scaleOf(
    drawing.y,
    measured.map((point) => point.y),
    whiskers,
    {
      chart: frame.name,
      labels: Math.floor(plotHeight / 45),
    },
  );
  const left = Math.max(...y.ticks.map(({ label }) => textWidth(label, size))) + 10;
  const right = 16;
  const plotWidth = width - left - right;
  const x = scaleOf(
    drawing.x,
    measured.map((point) => point.x),
    [],
    {
      chart: frame.name,
      labels: Math.max(3, Math.floor(plotWidth / 75)),
      preferred: drawing.lines
        .filter((line) => line.of === undefined)
        .flatMap((l) => l.points.map((p) => p.x)),
      fits: (ticks) => haveRoom(ticks, plotWidth, right, size),
    },
  );

  const legend = legendOf(
    // A fit is told by its colour and its dashes; its law stands in a table.
    drawing.lines.filter((line) => line.of === undefined).map(({ name }) => name),
    width,
    size,
  );
  const yTitle = wrap(drawing.y.title, width, size);
  const xTitle = wrap(drawing.x.title, plotWidth, size);
  const titleTop = legend.height + 8;
  const top = titleTop + textHeight(yTitle, size) + 16;
  const xTitleTop = top + plotHeight + 10 + size * 1.4 + 4;
  const looks = looksOf(drawing, frame.name);
  return {
    width,
    height: Math.ceil(xTitleTop + textHeight(xTitle, size) + 4),
    option: {
      grid: { left, right, top, height: plotHeight, outerBoundsMode: 'none' },
      legend: legendOption(legend, size, 12.5),
      title: [
        titleOption(yTitle, size, { left: 0, top: titleTop }),
        titleOption(xTitle, size, { left: left + plotWidth / 2, top: xTitleTop, textAlign: 'center' }),
      ],
      xAxis: axisOption(x, size, { line: true, grid: drawing.x.scale !== 'category' }),
      yAxis: axisOption(y, size, { line: false, grid: true }),
      series: drawing.lines.flatMap((line, index) => [
        whiskerSeries(line, looks[index]!.colour, x, y),
        lineSeries(line, looks[index]!, x, y, width),
      ]),
    },
  };
}

function haveRoom(ticks: readonly Tick[], plotWidth: number, right: number, size: number): boolean {
  const boxes = ticks.map(({ position, label }) => {
    const half = textWidth(label, size) / 2;
    return { from: position * plotWidth - half, to: position * plotWidth + half };
  });
  return boxes.every(
    ({ from, to }, index) =>
      to <= plotWidth + right && from >= (boxes[index - 1]?.to ?? Number.NEGATIVE_INFINITY) + 8,
  );
}

interface Look {
  readonly colour: string;
  readonly symbol: string;
  readonly dash: number[];
}

function looksOf({ lines }: LineDrawing, chart: string): readonly Look[] {
  // Fits take no colour of their own.
  const leaders = lines.filter(({ of }) => of === undefined);
  const dashed = leaders.filter(({ style }) => style === 'dashed');
  return lines.map((line) => {
    const leader = line.of === undefined ? line : leaders.find(({ name }) => name === line.of);
    if (!leader)
      throw new CodedError(
        REPORT_CODES.ERR_REPORT,
        `chart "${chart}", line "${line.name}": expected \`of\` to name a line that is no fit, got "${line.of}"`,
      );
    const index = leaders.indexOf(leader);
    return {
      colour: seriesColour(index),
      symbol: symbol(index),
      dash: dash(Math.max(0, dashed.indexOf(line))),
    };
  });
}

function lineSeries(
  { name, points, style, of }: Line,
  look: Look,
  x: Scale,
  y: Scale,
  width: number,
): object {
  const dashed = style === 'dashed';
  const fit = of !== undefined;
  return {
    type: 'line',
    name,
    data: points.map((point) => [x.position(point.x), y.position(point.y)]),
    silent: true,
    clip: false,
    z: fit ? 3 : 4,
    showSymbol: !fit,
    showAllSymbol: true,
    symbol: look.symbol,
    symbolSize: width > 500 ? 10 : 8,
    // Opacity, since the legend draws a mark for lines that have none.
    itemStyle: {
      color: look.colour,
      borderColor: 'var(--surface)',
      borderWidth: 1,
      opacity: fit ? 0 : 1,
    },
    lineStyle: {
      color: look.colour,
      width: style === 'points' ? 0 : dashed ? 1.75 : 2.25,
      opacity: style === 'points' ? 0 : 1,
      type: dashed ? look.dash : 'solid',
      join: 'round',
    },
  };
}

/** From low to high with a cap at either end; below a logarithmic axis there is no end to cap. */
function whiskerSeries({ points }: Line, colour: string, x: Scale, y: Scale): object {
  const whiskered = points.filter(({ low, high }) => low !== undefined || high !== undefined);
  const renderItem: CustomSeriesRenderItem = (params, api): CustomSeriesRenderItemReturn => {
    const point = whiskered[params.dataIndex]!;
    const at = (value: number): [number, number] =>
      api.coord([x.position(point.x), y.clamped(value)]) as [number, number];
    const [[centre, from], [, to]] = [at(point.low ?? point.y), at(point.high ?? point.y)];
    return whisker({
      from: [centre, from],
      to: [centre, to],
      cap: 5,
      open: point.low !== undefined && !y.reaches(point.low),
      colour,
    });
  };
  return {
    type: 'custom',
    data: whiskered.map((_, index) => [index]),
    renderItem,
    silent: true,
    clip: false,
    z: 2,
  };
}
