/** The growth of times and bytes along a sweep: a chart on logarithmic axes, and the exponents that fit it. */
import { growth, least, median, most, where } from '../instrument/figure.ts';
import type { ChartOf, Selection, TableOf } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';

/** Records that have a `quantity` each. */
export interface Sweep extends Selection {
  readonly x: string;
  /** Exponents are fitted from this x on: below, what does not grow outweighs what does. */
  readonly from: number;
  /** The unit of the column that grows; without it milliseconds. */
  readonly y?: 'ms' | 'bytes';
}

export function exponentsOf({ x, from, y = 'ms', ...selection }: Sweep): TableOf {
  const fitted = (record: Tidy) => Number(record[x]) >= from;
  return {
    ...selection,
    caption: `The exponent p of ${y === 'ms' ? 'time' : y} ∝ ${x}^p: least squares on the logarithms of the medians, with its 95 % interval`,
    rows: ['quantity'],
    cells: {
      exponent: growth(x, y, from),
      [`fitted from ${x}`]: where(fitted, least(x, { grouped: true })),
      to: where(fitted, most(x, { grouped: true })),
    },
  };
}

export function sweepChart(caption: string, { x, from, y = 'ms', ...selection }: Sweep): ChartOf {
  return {
    ...selection,
    caption: `${caption}, both axes logarithmic. Medians; whiskers are quartiles. Dashed: fitted power laws`,
    mark: 'line',
    x: { column: x, scale: 'log' },
    y: { figure: median(y), title: y === 'ms' ? 'time' : y, scale: 'log', unit: y },
    colour: 'quantity',
    fittedFrom: from,
  };
}
