/** How a sweep is reported: a chart on logarithmic axes, a table, and the exponents fitted to it. */

import { withFits } from '../../instrument/fits.ts';
import { formatExponent, formatSeries, MISSING } from '../../instrument/quantities.ts';
import type { Block, Column, Line } from '../../instrument/report/document.ts';
import { fitPowerLaw, summarise } from '../../instrument/statistics.ts';
import type { Measurement, Series } from '../../instrument/unit.ts';

/** One quantity of a sweep. */
export interface Quantity {
  readonly title: string;
  /** Undefined where it was not measured. */
  of(measurement: Measurement): Series | undefined;
}

export interface Sweep {
  /** Of the chart. */
  readonly name: string;
  readonly what: string;
  readonly x: { readonly title: string; of(measurement: Measurement): number | undefined };
  readonly y: { readonly title: string; readonly unit: 'ms' | 'bytes' };
  /** Exponents are fitted from this x on: below, what does not grow outweighs what does. */
  readonly fitFrom: number;
  readonly quantities: readonly Quantity[];
  /** Further columns of the table. */
  readonly facts: readonly { readonly title: string; of(measurement: Measurement): string }[];
}

interface PointOf {
  readonly x: number;
  readonly measurement: Measurement;
}

/** Nothing when nothing of the sweep was measured. */
export function sweepBlocks(sweep: Sweep, measurements: readonly Measurement[]): Block[] {
  const points = measurements
    .flatMap((measurement): PointOf[] => {
      const x = sweep.x.of(measurement);
      return x === undefined ? [] : [{ x, measurement }];
    })
    .toSorted((a, b) => a.x - b.x);
  if (points.length === 0) return [];
  const counts = points.map(({ measurement }) => measurement.parameters.repetitions);
  const repetitions = [...new Set(counts)].join(' or ');
  return [chart(sweep, points, repetitions), table(sweep, points, repetitions), ...exponents(sweep, points)];
}

export function seriesOf(name: string) {
  return ({ series }: Measurement): Series | undefined => series[name];
}

export function factOf(name: string) {
  return ({ facts }: Measurement): number | undefined =>
    typeof facts[name] === 'number' ? facts[name] : undefined;
}

/** An exact quantity. */
export function factSeries(name: string, unit: Series['unit']) {
  return (measurement: Measurement): Series | undefined => {
    const value = factOf(name)(measurement);
    return value === undefined ? undefined : { unit, samples: [value] };
  };
}

export function wholeNumber(value: number | string | undefined): string {
  return value === undefined ? MISSING : String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

function chart(
  { name, what, x, y, fitFrom, quantities }: Sweep,
  points: readonly PointOf[],
  repetitions: string,
): Block {
  const lines = quantities.map(
    ({ title, of }): Line => ({
      name: title,
      style: 'solid',
      points: points.flatMap((point) => {
        const series = of(point.measurement);
        if (series === undefined || series.samples.length === 0) return [];
        const { median, low, high } = summarise(series.samples);
        return [{ x: point.x, y: median, low, high }];
      }),
    }),
  );
  const whiskers =
    y.unit === 'ms' ? ` Medians of ${repetitions} repetitions; whiskers are quartiles.` : ' Exact.';
  return {
    kind: 'chart',
    name,
    caption: `${what}, both axes logarithmic.${whiskers} Dashed: fitted power laws.`,
    drawing: {
      kind: 'lines',
      x: { title: x.title, scale: 'log' },
      y: { ...y, scale: 'log' },
      lines: withFits(
        lines.filter((line) => line.points.length > 0),
        fitFrom,
      ),
    },
  };
}

function table(
  { what, x, y, quantities, facts }: Sweep,
  points: readonly PointOf[],
  repetitions: string,
): Block {
  const right = (title: string): Column => ({ title, align: 'right' });
  const figures = y.unit === 'ms' ? `medians with quartiles of ${repetitions} repetitions` : 'exact';
  return {
    kind: 'table',
    caption: `${what}: ${figures}.`,
    columns: [
      right(x.title),
      ...facts.map(({ title }) => right(title)),
      ...quantities.map((q) => right(q.title)),
    ],
    rows: points.map((point) => [
      wholeNumber(point.x),
      ...facts.map(({ of }) => of(point.measurement)),
      ...quantities.map(({ of }) => formatSeries(of(point.measurement))),
    ]),
  };
}

function exponents({ what, x, fitFrom, quantities }: Sweep, points: readonly PointOf[]): Block[] {
  const rows = quantities.flatMap(({ title, of }) => {
    const medians = points
      .filter((point) => point.x >= fitFrom)
      .flatMap((point) => {
        const series = of(point.measurement);
        if (series === undefined || series.samples.length === 0) return [];
        return [{ x: point.x, y: summarise(series.samples).median }];
      });
    const xs = new Set(medians.map((point) => point.x));
    if (xs.size < 2) return [];
    const range = `${wholeNumber(Math.min(...xs))} to ${wholeNumber(Math.max(...xs))}`;
    return [[title, formatExponent(fitPowerLaw(medians)), range, String(xs.size)]];
  });
  if (rows.length === 0) return [];
  return [
    {
      kind: 'table',
      caption: `${what}: exponent p of "${x.title}"^p, least squares on the logarithms of the medians, with its 95 % confidence interval.`,
      columns: [
        { title: 'quantity', align: 'left' },
        { title: 'exponent', align: 'right' },
        { title: 'fitted over', align: 'right' },
        { title: 'points', align: 'right' },
      ],
      rows,
    },
  ];
}
