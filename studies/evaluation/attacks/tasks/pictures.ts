/** Pictures of how an attack's success depends on something. */
import type { Chart, Line } from '../../../instrument/report/document.ts';
import type { Setting } from '../../experiment.ts';

interface Curve {
  readonly name: string;
  /** The quantity, and the mean success at it. */
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** Lines over a quantity of few values, spaced evenly. */
export function curves(
  { scene }: Pick<Setting, 'scene'>,
  {
    name,
    caption,
    x,
    y = 'part explained beyond a blind guess',
    lines,
  }: { name: string; caption: string; x: string; y?: string; lines: readonly Curve[] },
): Chart {
  return {
    kind: 'chart',
    name: `${name}-${scene.name}`,
    caption: `${caption} (${scene.name})`,
    drawing: {
      kind: 'lines',
      x: { title: x, scale: 'category' },
      y: { title: y, scale: 'linear' },
      lines: lines.map(
        (line): Line => ({
          name: line.name,
          style: 'solid',
          points: line.points.map(([at, y]) => ({ x: at, y })),
        }),
      ),
    },
  };
}
