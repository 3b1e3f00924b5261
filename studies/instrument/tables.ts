/** Tables and charts of a report, made of what a study declares over its tidy records. */

import { chosenOf, type Told, written } from './figure.ts';
import type { BarDrawing, Chart, Line, LineDrawing, Table } from './report/document.ts';
import { fitPowerLaw } from './statistics.ts';
import type { ChartOf, Columns, Selection, TableOf } from './study.ts';
import type { Tidy, Value } from './tidy.ts';

/** Two points fit any law. */
const LEAST_POINTS_OF_A_LAW = 3;

/** The measurements of a study: its records, and its frames of them. */
export interface Records {
  readonly columns: Columns;
  of(frame: string | undefined): readonly Tidy[];
}

/** The records that are selected. */
export function selected(records: Records, { of, where }: Selection): readonly Tidy[] {
  return chosenOf(records.of(of), where);
}

/** One table, or one for each value of `each`; none where there are no records. */
export function tablesOf(declared: TableOf, records: Records): Table[] {
  return partsOf(declared, records).map(({ caption, own }) => {
    const { columns, value } = namesOf(records);
    const { across, cells = {} } = declared;
    const spread = across === undefined ? [] : distinct(own, across.column);
    const right = (title: string) => ({ title, align: 'right' as const });
    return {
      kind: 'table',
      caption,
      columns: [
        ...declared.rows.map((column) => ({
          title: columns(column),
          align: own.every((record) => typeof record[column] === 'number')
            ? ('right' as const)
            : ('left' as const),
          ...(records.columns[column]?.wraps && { wraps: true as const }),
        })),
        ...spread.map((it) => right(value(across!.column, it))),
        ...Object.keys(cells).map(right),
      ],
      rows: grouped(own, declared.rows).map((group) => [
        ...declared.rows.map((column) => {
          const text = value(column, group[0]![column]);
          return records.columns[column]?.leads ? [{ text, to: String(group[0]![column]) }] : text;
        }),
        ...spread.map((it) => across!.cell(group.filter((record) => record[across!.column] === it)).text),
        ...Object.values(cells).map((figure) => figure(group).text),
      ]),
    };
  });
}

/** One chart, or one for each value of `each`, with these in its name. */
export function chartsOf(name: string, declared: ChartOf, records: Records): Chart[] {
  return partsOf(declared, records).map(({ caption, own, values }) => ({
    kind: 'chart',
    name: [name, ...values]
      .join('-')
      .toLowerCase()
      .replaceAll(/[^a-z0-9_-]+/g, '-'),
    caption,
    ...(declared.isKept && { isKept: true as const }),
    drawing: declared.mark.endsWith('bar') ? bars(declared, own, records) : lines(declared, own, records),
  }));
}

function lines(
  { mark, markFrom, isScatter, x, y, colour, fittedFrom }: ChartOf,
  own: readonly Tidy[],
  records: Records,
): LineDrawing {
  const { columns, value } = namesOf(records);
  const drawn = grouped(own, colour === undefined ? [] : [colour]).map(
    (group): Line => ({
      name: colour === undefined ? y.title : value(colour, group[0]![colour]),
      style: styleOf(markFrom === undefined ? mark : group[0]![markFrom]!),
      points: (isScatter ? group.map((record) => [record]) : grouped(group, [x.column])).flatMap((at) => {
        const { value: height, low, high } = y.figure(at);
        const place = at[0]![x.column];
        if (height === undefined || typeof place !== 'number') return [];
        return [{ x: place, y: height, ...whisker({ low, high }) }];
      }),
    }),
  );
  return {
    kind: 'lines',
    x: { title: x.title ?? columns(x.column), scale: x.scale ?? 'linear', ...(x.unit && { unit: x.unit }) },
    y: axisOf(y),
    lines:
      fittedFrom === undefined ? drawn : [...drawn, ...drawn.flatMap((line) => fitted(line, fittedFrom))],
  };
}

const styleOf = (mark: Value): Line['style'] => (mark === 'line' ? 'solid' : (mark as 'dashed' | 'points'));

function fitted(line: Line, from: number): Line[] {
  const points = line.points.filter(({ x }) => x >= from);
  if (points.length < LEAST_POINTS_OF_A_LAW) return [];
  const { exponent, factor } = fitPowerLaw(points);
  const ends = [points[0]!.x, points.at(-1)!.x].map((x) => ({ x, y: factor * x ** exponent }));
  return [{ name: `${line.name}, x^${exponent.toFixed(2)}`, points: ends, style: 'dashed', of: line.name }];
}

function bars({ mark, x, y, colour }: ChartOf, own: readonly Tidy[], records: Records): BarDrawing {
  const { value } = namesOf(records);
  const groups = distinct(own, x.column);
  return {
    kind: 'bars',
    ...(mark === 'lying bar' && { lying: true as const }),
    groups: groups.map((group) => value(x.column, group)),
    y: axisOf(y),
    bars: grouped(own, colour === undefined ? [] : [colour]).map((series) => ({
      name: colour === undefined ? y.title : value(colour, series[0]![colour]),
      values: groups.map((group) => {
        const { value: height, low, high } = y.figure(series.filter((it) => it[x.column] === group));
        return height === undefined ? undefined : { value: height, ...whisker({ low, high }) };
      }),
    })),
  };
}

const whisker = ({ low, high }: Pick<Told, 'low' | 'high'>) =>
  low === undefined || high === undefined ? {} : { low, high };

const axisOf = ({ title, scale = 'linear', unit, upTo }: ChartOf['y']) => ({
  title,
  scale,
  ...(unit && { unit }),
  ...(upTo !== undefined && { upTo }),
});

/** The names of columns and of their values. */
function namesOf({ columns }: Records) {
  return {
    columns: (column: string) => columns[column]?.title ?? column,
    value: (column: string, value: Value | undefined) => {
      if (value === undefined) return '';
      const { values, form } = columns[column] ?? {};
      const plain = typeof value === 'number' && form !== undefined ? written(value, form) : String(value);
      return values?.[value] ?? plain;
    },
  };
}

/** The records of each table or chart, with its caption. */
function partsOf(
  { each = [], caption, ...selection }: Pick<TableOf, 'each' | 'caption' | 'of' | 'where'>,
  records: Records,
): { readonly caption: string; readonly own: readonly Tidy[]; readonly values: readonly string[] }[] {
  const { value } = namesOf(records);
  return grouped(selected(records, selection), each).map((own) => ({
    own,
    values: each.map((column) => String(own[0]![column])),
    caption: caption.replaceAll(/\{(\w+)\}/g, (_, column: string) => value(column, own[0]![column])),
  }));
}

function grouped(records: readonly Tidy[], columns: readonly string[]): (readonly Tidy[])[] {
  return [
    ...Map.groupBy(records, (record) => JSON.stringify(columns.map((column) => record[column]))).values(),
  ];
}

const distinct = (records: readonly Tidy[], column: string): Value[] => [
  ...new Set(records.map((record) => record[column]).filter((value) => value !== undefined)),
];
