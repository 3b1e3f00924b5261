/** The whisker of a value: quartiles or deviations, as the caption says. */
import type { CustomSeriesRenderItemReturn } from 'echarts';

export interface Whisker {
  /** Places in the chart: the low and the high end. */
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
  /** Half the length of a cap. */
  readonly cap: number;
  /** The low end lies outside: no cap there. */
  readonly open: boolean;
  readonly colour: string;
}

export function whisker({ from, to, cap, open, colour }: Whisker): NonNullable<CustomSeriesRenderItemReturn> {
  const level = from[1] === to[1] && from[0] !== to[0];
  const [dx, dy] = level ? [0, cap] : [cap, 0];
  const ends: readonly (readonly [number, number, number, number])[] = [
    [from[0], from[1], to[0], to[1]],
    [to[0] - dx, to[1] - dy, to[0] + dx, to[1] + dy],
    ...(open ? [] : [[from[0] - dx, from[1] - dy, from[0] + dx, from[1] + dy] as const]),
  ];
  const strokes = (stroke: string, lineWidth: number) =>
    ends.map(([x1, y1, x2, y2]) => ({
      type: 'line' as const,
      shape: { x1, y1, x2, y2 },
      style: { stroke, lineWidth },
    }));
  // A rim sets it off from the bar or the line that it lies upon.
  return { type: 'group', children: [...strokes('var(--surface)', 3.5), ...strokes(colour, 1.5)] };
}
