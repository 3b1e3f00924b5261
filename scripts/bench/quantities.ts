/** Medians with quartiles of series of any unit, as the tables of the reports print them. */
import { MISSING, significant } from './cells.ts';
import { type Summary, summarise } from './statistics.ts';
import type { Series } from './unit.ts';

const SCALES: Readonly<Record<Series['unit'], readonly (readonly [number, string])[]>> = {
  ms: [
    [1000, 's'],
    [1, 'ms'],
    [0.001, 'µs'],
  ],
  bytes: [
    [1e9, 'GB'],
    [1e6, 'MB'],
    [1e3, 'kB'],
    [1, 'bytes'],
  ],
  points: [[1, 'points']],
  count: [[1, '']],
};

/** Median and quartiles in one unit, chosen by the median: "12.3 (11.9–12.8) ms"; one number where all are alike. */
export function formatSummary({ median, low, high }: Summary, unit: Series['unit']): string {
  const scales = SCALES[unit];
  const [scale, name] = scales.find(([least]) => Math.abs(median) >= least) ?? scales.at(-1)!;
  const digits = (value: number) => significant(value / scale);
  const spread =
    digits(low) === digits(median) && digits(high) === digits(median)
      ? ''
      : ` (${digits(low)}–${digits(high)})`;
  return `${digits(median)}${spread} ${name}`.trimEnd();
}

export function formatSeries(series: Series | undefined): string {
  return series === undefined || series.samples.length === 0
    ? MISSING
    : formatSummary(summarise(series.samples), series.unit);
}
