/** The charts and tables that experiments bring: lines over a quantity, and records as rows. */
import type { Axis, Chart, Line, Point, Table } from '../instrument/report/document.ts';
import type { TableOf } from '../instrument/study.ts';
import { tablesOf } from '../instrument/tables.ts';
import type { Tidy } from '../instrument/tidy.ts';
import type { Scene } from './scene.ts';

interface Drawn {
  readonly name: string;
  readonly points: readonly Point[];
  /** Default: solid. */
  readonly style?: Line['style'];
}

/**
 * @param x an axis, or the title of a linear one, as y is
 * @param levels heights by name, over all points of the lines
 */
export function lineChart(
  named: Pick<Chart, 'name' | 'caption'>,
  x: Axis | string,
  y: Axis | string,
  lines: readonly Drawn[],
  levels: Readonly<Record<string, number>> = {},
): Chart {
  const xs = lines.flatMap(({ points }) => points.map((point) => point.x));
  const ends = [Math.min(...xs), Math.max(...xs)];
  return {
    kind: 'chart',
    ...named,
    drawing: {
      kind: 'lines',
      x: axisOf(x),
      y: axisOf(y),
      lines: [
        ...lines.map((line) => ({ style: 'solid' as const, ...line })),
        ...Object.entries(levels).map(([name, height]) => ({
          name,
          style: 'dashed' as const,
          points: ends.map((at) => ({ x: at, y: height })),
        })),
      ],
    },
  };
}

const axisOf = (axis: Axis | string): Axis =>
  typeof axis === 'string' ? { title: axis, scale: 'linear' } : axis;

/** A table of these records; none where there are none. */
export const recordTable = (declared: Omit<TableOf, 'of' | 'where'>, records: readonly Tidy[]): Table[] =>
  tablesOf(declared, { columns: {}, of: () => records });

interface Curves {
  readonly name: string;
  readonly caption: string;
  readonly x: string;
  readonly y?: string;
  /** By name: the quantity, and the mean success at it. */
  readonly lines: Readonly<Record<string, readonly (readonly [x: number, y: number])[]>>;
}

/** Lines of a scene over a quantity of few values, spaced evenly. */
export const curves = (
  scene: Pick<Scene, 'name'>,
  { name, caption, x, y = 'part explained beyond a blind guess', lines }: Curves,
): Chart =>
  lineChart(
    { name: `${name}-${scene.name}`, caption: `${caption} (${scene.name})` },
    { title: x, scale: 'category' },
    y,
    Object.entries(lines).map(([line, points]) => ({
      name: line,
      points: points.map(([at, height]) => ({ x: at, y: height })),
    })),
  );
