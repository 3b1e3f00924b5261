/**
 * A plane of points and arrows, drawn on a canvas: a hundred thousand points, in a few milliseconds of each
 * frame.
 */
import { printable } from '@eigenveil/wire/printable';
import { useEffect, useRef } from 'preact/hooks';
import { type ChartTheme, readTheme } from './chart-theme.ts';
import './plane.css';
import { number, ticksOf } from './format.ts';
import type { Group } from './reduced.ts';
import { Table } from './table.tsx';
import { Untrusted } from './text.tsx';

/** An arrow from the origin. */
export interface Arrow {
  readonly feature: string;
  readonly x: number;
  readonly y: number;
}

interface Points {
  readonly xs: Float32Array;
  readonly ys: Float32Array;
  /** The group of each point, whose number is that of its colour and mark. */
  readonly groups: Uint8Array;
}

/** The points of one frame; the page answers between frames. */
const POINTS_PER_FRAME = 10_000;
const MARGIN = { left: 64, right: 16, top: 16, bottom: 48 };
const FONT = '13px system-ui, sans-serif';
const LONGEST_NAME = 24;
/** The margin around the drawing, as a factor. */
const SPACE = 1.08;

/** If there are fewer points than this, they are larger. */
const FEW = 2000;

interface Frame {
  readonly context: CanvasRenderingContext2D;
  readonly theme: ChartTheme;
  readonly width: number;
  readonly height: number;
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
  readonly bounds: Bounds;
}

interface Bounds {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
}

/**
 * @param label what one sees, for who cannot
 * @param arrows from the origin, in units of the axes; their names are somebody else's text
 */
export function Plane(props: {
  readonly label: string;
  readonly axes: readonly [string, string];
  readonly points: Points | null;
  readonly arrows: readonly Arrow[];
  readonly height?: number;
}) {
  const { label, axes, points, arrows, height = 480 } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = canvas.current!;
    let frame = 0;
    const draw = () => {
      cancelAnimationFrame(frame);
      const made = frameOf(element, height, boundsOf(points, arrows));
      if (made === null) return;
      drawAxes(made, axes);
      const from = (first: number) => {
        const last = drawPoints(made, points, first);
        if (last === null) drawArrows(made, arrows);
        else frame = requestAnimationFrame(() => from(last));
      };
      from(0);
    };
    const watch = new ResizeObserver(draw);
    watch.observe(element.parentElement!);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', draw);
    return () => {
      cancelAnimationFrame(frame);
      watch.disconnect();
      dark.removeEventListener('change', draw);
    };
  }, [axes[0], axes[1], points, arrows, height]);
  return (
    <div class="plane" style={{ height: `${height}px` }}>
      <canvas ref={canvas} role="img" aria-label={label} />
    </div>
  );
}

/** Returns bounds around the origin and everything drawn, with one unit for both axes. */
function boundsOf(points: Points | null, arrows: readonly Arrow[]): Bounds {
  let [left, right, bottom, top] = [0, 0, 0, 0];
  const reach = (x: number, y: number) => {
    left = Math.min(left, x);
    right = Math.max(right, x);
    bottom = Math.min(bottom, y);
    top = Math.max(top, y);
  };
  for (let i = 0; i < (points?.xs.length ?? 0); i += 1) reach(points!.xs[i]!, points!.ys[i]!);
  for (const { x, y } of arrows) reach(x, y);
  return left === right && bottom === top
    ? { left: -1, right: 1, bottom: -1, top: 1 }
    : { left, right, bottom, top };
}

function frameOf(element: HTMLCanvasElement, height: number, bounds: Bounds): Frame | null {
  const width = element.parentElement!.clientWidth;
  const context = element.getContext('2d');
  if (context === null || width <= MARGIN.left + MARGIN.right) return null;
  const sharpness = devicePixelRatio;
  element.width = Math.round(width * sharpness);
  element.height = Math.round(height * sharpness);
  context.setTransform(sharpness, 0, 0, sharpness, 0, 0);
  context.font = FONT;
  const inner = [width - MARGIN.left - MARGIN.right, height - MARGIN.top - MARGIN.bottom] as const;
  const unit = Math.min(
    inner[0] / ((bounds.right - bounds.left) * SPACE || Number.MIN_VALUE),
    inner[1] / ((bounds.top - bounds.bottom) * SPACE || Number.MIN_VALUE),
  );
  const middle = [(bounds.left + bounds.right) / 2, (bounds.bottom + bounds.top) / 2] as const;
  const centre = [MARGIN.left + inner[0] / 2, MARGIN.top + inner[1] / 2] as const;
  const half = [inner[0] / 2 / unit, inner[1] / 2 / unit] as const;
  return {
    context,
    theme: readTheme(element.parentElement!),
    width,
    height,
    x: (value) => centre[0] + (value - middle[0]) * unit,
    y: (value) => centre[1] - (value - middle[1]) * unit,
    bounds: {
      left: middle[0] - half[0],
      right: middle[0] + half[0],
      bottom: middle[1] - half[1],
      top: middle[1] + half[1],
    },
  };
}

function drawAxes(
  { context, theme, width, height, x, y, bounds }: Frame,
  axes: readonly [string, string],
): void {
  const [left, right, top, bottom] = [MARGIN.left, width - MARGIN.right, MARGIN.top, height - MARGIN.bottom];
  context.lineWidth = 1;
  context.fillStyle = theme.text;
  context.textAlign = 'center';
  context.textBaseline = 'top';
  for (const { value, text } of ticksOf(bounds.left, bounds.right, Math.max(2, Math.floor(width / 120)))) {
    line(context, value === 0 ? theme.quiet : theme.line, [x(value), top], [x(value), bottom]);
    context.fillText(text, x(value), bottom + 6);
  }
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  for (const { value, text } of ticksOf(bounds.bottom, bounds.top, Math.max(2, Math.floor(height / 80)))) {
    line(context, value === 0 ? theme.quiet : theme.line, [left, y(value)], [right, y(value)]);
    context.fillText(text, left - 6, y(value));
  }
  context.textAlign = 'center';
  context.textBaseline = 'bottom';
  context.fillText(axes[0], (left + right) / 2, height - 4);
  context.save();
  context.translate(4, (top + bottom) / 2);
  context.rotate(-Math.PI / 2);
  context.textBaseline = 'top';
  context.fillText(axes[1], 0, 0);
  context.restore();
}

function line(
  context: CanvasRenderingContext2D,
  colour: string,
  from: readonly [number, number],
  to: readonly [number, number],
): void {
  context.strokeStyle = colour;
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
}

/** Draws the next points. Returns where to go on, or null when all are drawn. */
function drawPoints({ context, theme, x, y }: Frame, points: Points | null, first: number): number | null {
  if (points === null) return null;
  const { xs, ys, groups } = points;
  const last = Math.min(xs.length, first + POINTS_PER_FRAME);
  const size = xs.length < FEW ? 5 : xs.length < 10 * FEW ? 3 : 2;
  context.globalAlpha = xs.length < FEW ? 0.8 : 0.5;
  for (let i = first; i < last; i += 1) {
    const group = groups[i]!;
    context.fillStyle = theme.series[group % theme.series.length]!;
    const [px, py] = [x(xs[i]!), y(ys[i]!)];
    // Groups have different marks, too, where the points are large enough to see them.
    if (size < 5 || group % 2 === 0) context.fillRect(px - size / 2, py - size / 2, size, size);
    else {
      context.beginPath();
      context.arc(px, py, size / 2, 0, 2 * Math.PI);
      context.fill();
    }
  }
  context.globalAlpha = 1;
  return last === xs.length ? null : last;
}

const HEAD = 8;

function drawArrows({ context, theme, width, x, y }: Frame, arrows: readonly Arrow[]): void {
  const origin = [x(0), y(0)] as const;
  context.textBaseline = 'middle';
  for (const { feature, x: ax, y: ay } of arrows) {
    const end = [x(ax), y(ay)] as const;
    const angle = Math.atan2(end[1] - origin[1], end[0] - origin[0]);
    context.lineWidth = 1.5;
    line(context, theme.text, origin, end);
    for (const turn of [-0.4, 0.4])
      line(context, theme.text, end, [
        end[0] - HEAD * Math.cos(angle + turn),
        end[1] - HEAD * Math.sin(angle + turn),
      ]);
    const name = printable(feature, LONGEST_NAME);
    const { width: long } = context.measureText(name);
    const outward = Math.cos(angle) >= 0 ? 6 : -6 - long;
    const at = Math.max(2, Math.min(width - long - 2, end[0] + outward));
    context.textAlign = 'left';
    // The name has its own ground, so that it can be read among points.
    context.globalAlpha = 0.8;
    context.fillStyle = theme.ground;
    context.fillRect(at - 2, end[1] - 9, long + 4, 18);
    context.globalAlpha = 1;
    context.fillStyle = theme.text;
    context.fillText(name, at, end[1]);
  }
}

/** The legend of a Plane's colours, with figures for people who cannot see them. */
export function Groups({
  groups,
  axes,
}: {
  readonly groups: readonly Group[];
  readonly axes: readonly [string, string];
}) {
  return (
    <Table
      caption="Points by colour"
      rows={groups}
      keyOf={(_, g) => g}
      columns={[
        {
          head: 'Group',
          cell: (group) => (
            <>
              <span class={`swatch series-${groups.indexOf(group) + 1}`} aria-hidden="true" />{' '}
              <Untrusted text={group.name} longest={60} />
            </>
          ),
        },
        { head: 'Points', numeric: true, cell: ({ points }) => number(points) },
        { head: `Mean of ${axes[0]}`, numeric: true, cell: ({ mean }) => mean[0].toPrecision(3) },
        { head: `Mean of ${axes[1]} `, numeric: true, cell: ({ mean }) => mean[1].toPrecision(3) },
      ]}
    />
  );
}
