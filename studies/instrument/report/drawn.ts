/** The drawing of a chart as a specification of Vega-Lite: marks over tidy records, with whiskers, in the theme's colours. */

import { CodedError } from '@eigenveil/platform';
import type { TopLevelSpec } from 'vega-lite';
import { REPORT_CODES } from './codes.ts';
import type { Axis, BarDrawing, Chart, LineDrawing } from './document.ts';
import { barFill, dash, fontFamily, seriesColour, symbol } from './theme.ts';

interface Frame {
  /** CSS pixels, labels and legend included. */
  readonly width: number;
  /** The size of letters. */
  readonly size: number;
  /** Keeps ids apart where several charts share a page. */
  readonly prefix: string;
}

/** Before every name, so that none is a member of every object; `withoutKeys` takes it out of what was drawn. */
const KEY = '\u2060';
const keyed = (name: string): string => `${KEY}${name}`;
export const withoutKeys = (svg: string): string => svg.replaceAll(KEY, '');

type Layers = Extract<TopLevelSpec, { layer: unknown }>['layer'];

const LEGEND_ROOM = 24;
/** The most room that labels of the upright axis may take. */
const AXIS_ROOM = 80;
const LETTER = 0.58;
const MOST_OWN_TICKS = 10;
/** As high as a bar that lies, with the room around it. */
const LYING_BAR = 22;

/** @throws ERR_REPORT for a drawing that says what cannot be drawn */
export function drawn({ name, drawing }: Chart, frame: Frame): TopLevelSpec {
  check(name, drawing);
  return drawing.kind === 'lines' ? ofLines(drawing, frame) : ofBars(drawing, frame);
}

function check(name: string, drawing: Chart['drawing']): void {
  const wrong = (message: string) => new CodedError(REPORT_CODES.ERR_REPORT, `chart "${name}"${message}`);
  const series = drawing.kind === 'lines' ? drawing.lines : drawing.bars;
  const twice = series.find((one, i) => series.findIndex((other) => other.name === one.name) !== i);
  if (twice) throw wrong(`: expected names of series to differ, got "${twice.name}" twice`);
  const values = (axis: 'x' | 'y'): number[] =>
    drawing.kind === 'lines'
      ? drawing.lines.flatMap(({ points }) => points.map((point) => point[axis]))
      : drawing.bars.flatMap((bar) => bar.values.flatMap((it) => it?.value ?? []));
  const axes = drawing.kind === 'lines' ? (['x', 'y'] as const) : (['y'] as const);
  for (const axis of axes) {
    const { title, scale } = drawing.kind === 'lines' ? drawing[axis] : drawing.y;
    for (const value of values(axis)) {
      if (!Number.isFinite(value)) throw wrong(`, axis "${title}": expected finite values, got ${value}`);
      if (scale === 'log' && value <= 0)
        throw wrong(`, axis "${title}": expected values above 0 for a logarithmic axis, got ${value}`);
    }
  }
  if (values('y').length === 0) throw wrong(': expected at least one value');
  if (drawing.kind === 'lines') {
    const lost = drawing.lines.find(
      ({ of }) => of !== undefined && !drawing.lines.some((it) => it.name === of && it.of === undefined),
    );
    if (lost)
      throw wrong(`, line "${lost.name}": expected \`of\` to name a line that is no fit, got "${lost.of}"`);
  } else {
    if (drawing.y.scale === 'category')
      throw wrong(': expected a linear or logarithmic axis for bars, got category');
    const uneven = drawing.bars.find(({ values }) => values.length !== drawing.groups.length);
    if (uneven)
      throw wrong(
        `, bars "${uneven.name}": expected ${drawing.groups.length} values, one per group, got ${uneven.values.length}`,
      );
  }
}

function ofLines({ x, y, lines }: LineDrawing, frame: Frame): TopLevelSpec {
  const leaders = lines.filter(({ of }) => of === undefined);
  const looks = lines.map((line) => leaders.findIndex(({ name }) => name === (line.of ?? line.name)));
  const rows = lines.flatMap(({ name, points, style, of }) =>
    points.map(({ x, y, low, high }) => ({
      series: keyed(name),
      style,
      isFit: of !== undefined,
      x,
      y,
      low: low ?? null,
      high: high ?? null,
    })),
  );
  const domain = lines.map(({ name }) => keyed(name));
  const legend = legendOf(
    leaders.map(({ name }) => name),
    frame,
  );
  const color = {
    field: 'series',
    type: 'nominal' as const,
    scale: { domain, range: looks.map(seriesColour) },
    legend: legend && { ...legend, values: leaders.map(({ name }) => keyed(name)) },
  };
  const place = {
    x: axisOf(
      x,
      frame,
      'x',
      rows.map((row) => row.x),
    ),
    y: axisOf(
      y,
      frame,
      'y',
      rows.map((row) => row.y),
    ),
    color,
  };
  const clamped = y.scale === 'log' ? footOf(rows.map((row) => row.y)) : undefined;
  const layer: Layers = [
    ...whiskers(place, clamped),
    {
      transform: [{ filter: "datum.style !== 'points'" }],
      mark: { type: 'line', strokeWidth: 2 },
      encoding: {
        ...place,
        strokeDash: {
          field: 'series',
          type: 'nominal',
          scale: { domain, range: lines.map(({ style }, i) => (style === 'dashed' ? dash(i) : [1, 0])) },
          legend: null,
        },
      },
    },
    {
      transform: [{ filter: '!datum.isFit' }],
      mark: {
        type: 'point',
        filled: true,
        opacity: 1,
        size: frame.width > 500 ? 70 : 50,
        stroke: 'var(--surface)',
        strokeWidth: 1,
      },
      encoding: {
        ...place,
        shape: {
          field: 'series',
          type: 'nominal',
          scale: { domain, range: looks.map(symbol) },
          legend: place.color.legend,
        },
      },
    },
  ];
  return whole(rows, layer, frame, frame.width > 500 ? 340 : 260);
}

function ofBars({ groups, y, bars, lying }: BarDrawing, frame: Frame): TopLevelSpec {
  const rows = bars.flatMap(({ name, values }) =>
    values.flatMap((it, i) =>
      it === undefined
        ? []
        : [
            {
              series: keyed(name),
              group: keyed(groups[i]!),
              y: it.value,
              low: it.low ?? null,
              high: it.high ?? null,
            },
          ],
    ),
  );
  const perBar = (frame.width - 60) / (groups.length * Math.max(1, bars.length));
  const longest = Math.max(...groups.map((group) => group.length)) * frame.size * LETTER;
  const lies = lying === true || perBar < 34 || longest > (frame.width - 60) / groups.length;
  const [across, along] = lies ? (['y', 'x'] as const) : (['x', 'y'] as const);
  const domain = bars.map(({ name }) => keyed(name));
  const place = {
    [across]: {
      field: 'group',
      type: 'nominal' as const,
      sort: groups.map(keyed),
      title: null,
      axis: {
        labelAngle: 0,
        grid: false,
        ticks: false,
        labelLimit: frame.width * 0.4,
        labelFontSize: frame.size,
      },
      scale: { paddingInner: 0.25 },
    },
    [`${across}Offset`]: { field: 'series', type: 'nominal' as const, sort: domain },
    [along]: axisOf(
      y,
      frame,
      lies ? 'x' : 'y',
      rows.map((row) => row.y),
      'y',
    ),
  };
  const fill = {
    field: 'series',
    type: 'nominal' as const,
    scale: { domain, range: domain.map((_, i) => barFill(i, frame.prefix)) },
    legend: legendOf(domain, frame),
  };
  const least = y.scale === 'log' ? footOf(rows.map((row) => row.y)) : undefined;
  const layer: Layers = [
    {
      mark: { type: 'bar', stroke: 'var(--ink)', strokeWidth: 0.5 },
      encoding: { ...place, fill, ...(least !== undefined && { [`${along}2`]: { datum: least } }) },
    },
    ...whiskers(place, least),
    {
      transform: [
        { calculate: 'max(datum.y, isValid(datum.high) ? datum.high : datum.y)', as: 'end' },
        { calculate: `figure(datum.y, '${y.unit ?? ''}', 3)`, as: 'told' },
      ],
      mark: {
        type: 'text',
        fontSize: frame.size - 1,
        ...(lies ? { align: 'left', dx: 5 } : { align: 'center', dy: -8 }),
      },
      encoding: {
        ...place,
        [along]: { ...(place[along] as object), field: 'end' },
        text: { field: 'told', type: 'nominal' },
      },
    },
  ];
  return whole(
    rows,
    layer,
    frame,
    lies ? groups.length * (Math.max(1, bars.length) * LYING_BAR + 10) : frame.width > 500 ? 320 : 250,
  );
}

/** Rules from low to high with a cap at either end; on a logarithmic axis one that reaches zero ends at the foot. */
function whiskers(place: object, least: number | undefined): Layers {
  const [name, axis] =
    'x' in place && (place as { x: { field?: string } }).x.field === 'y'
      ? (['x', 'x2'] as const)
      : (['y', 'y2'] as const);
  const along = (place as Record<string, { scale?: object }>)[name]!;
  const clamp = (column: string) =>
    least === undefined ? `datum.${column}` : `max(datum.${column}, ${least})`;
  const { color: _, ...rest } = place as { color?: object };
  const cap = { type: 'tick' as const, thickness: 1.3, size: 9, color: 'var(--ink)' };
  const transform = [
    { filter: 'isValid(datum.low) || isValid(datum.high)' },
    { calculate: `isValid(datum.low) ? ${clamp('low')} : datum.y`, as: 'from' },
    { calculate: 'isValid(datum.high) ? datum.high : datum.y', as: 'to' },
  ];
  return [
    {
      transform,
      mark: { type: 'rule', strokeWidth: 1.3, color: 'var(--ink)' },
      encoding: { ...rest, [name]: { ...along, field: 'from' }, [axis]: { field: 'to' } },
    },
    ...['from', 'to'].map((field) => ({
      transform,
      mark: { ...cap, orient: name === 'y' ? ('horizontal' as const) : ('vertical' as const) },
      encoding: { ...rest, [name]: { ...along, field } },
    })),
  ] as Layers;
}

function axisOf(
  { title, scale, unit, upTo }: Axis,
  { width, size }: Frame,
  field: 'x' | 'y',
  values: readonly number[],
  column: string = field,
) {
  const isCategory = scale === 'category';
  const own = [...new Set(values)].sort((a, b) => a - b);
  const most = Math.max(...values, upTo ?? -Infinity);
  return {
    field: column,
    type: isCategory ? ('ordinal' as const) : ('quantitative' as const),
    title: title.split('\n').map(keyed),
    ...(scale === 'log' && {
      scale: { type: 'log' as const, ...(column === 'x' ? { nice: false } : { domainMin: footOf(values) }) },
    }),
    ...(scale === 'linear' && {
      scale: { zero: leastOf(values) < 0.5 * most, ...(upTo !== undefined && { domainMax: most }) },
    }),
    axis: {
      grid: !isCategory,
      labelAngle: 0,
      labelOverlap: 'greedy' as const,
      labelSeparation: 8,
      tickCount: field === 'x' ? Math.floor(width / 90) : 6,
      // The values themselves, where they are few.
      ...(column === 'x' && own.length <= MOST_OWN_TICKS && { values: own }),
      ...(column === 'y' && scale === 'log' && { values: logTicks(footOf(values), Math.max(...values)) }),
      labelExpr: `figure(datum.value, '${unit ?? ''}', 4)`,
      labelFontSize: size,
      titleFontSize: size,
      ...(field === 'y' && {
        titleAngle: 0,
        titleAlign: 'left' as const,
        titleAnchor: 'start' as const,
        titleY: -16,
        titleX: 0,
      }),
    },
  };
}

/** Powers of ten, with 1, 2 and 5 of each where these are few. */
function logTicks(from: number, to: number): number[] {
  const [first, last] = [Math.floor(Math.log10(from)), Math.ceil(Math.log10(to))];
  const steps = last - first > 3 ? [1] : [1, 2, 5];
  const decades = Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
  return decades.flatMap((decade) => steps.map((step) => step * decade)).filter((tick) => tick >= from);
}

const leastOf = (values: readonly number[]): number => Math.min(...values);
/** Where a logarithmic axis begins: clearly below the least value. */
const footOf = (values: readonly number[]): number => leastOf(values.filter((value) => value > 0)) / 2;

function legendOf(names: readonly string[], { width, size }: Frame) {
  if (names.length < 2 && (names[0] ?? '') === '') return null;
  const longest = Math.max(...names.map((name) => name.length)) * size * LETTER + LEGEND_ROOM;
  return {
    orient: 'top' as const,
    direction: 'horizontal' as const,
    columns: Math.max(1, Math.min(names.length, Math.floor((width - AXIS_ROOM) / longest))),
    title: null,
    offset: 30,
    labelLimit: width - AXIS_ROOM - LEGEND_ROOM,
    labelFontSize: size,
    symbolSize: 70,
    symbolOpacity: 1,
  };
}

function whole(
  values: readonly object[],
  layer: Layers,
  { width, size }: Frame,
  height: number,
): TopLevelSpec {
  return {
    data: { values: [...values] },
    layer,
    width,
    height,
    autosize: { type: 'fit-x', contains: 'padding' },
    padding: { left: 2, right: 14, top: 4, bottom: 4 },
    background: 'transparent',
    config: {
      font: fontFamily,
      view: { stroke: null },
      axis: {
        labelColor: 'var(--muted)',
        titleColor: 'var(--ink)',
        titleFontWeight: 'normal',
        gridColor: 'var(--grid)',
        domainColor: 'var(--rule)',
        tickColor: 'var(--rule)',
      },
      legend: { labelColor: 'var(--ink)', labelFontSize: size, rowPadding: 4 },
      text: { color: 'var(--ink)' },
    },
  };
}
