/** Medians with quartiles as the tables of the reports print them. */
import type { PowerLaw, Summary } from './statistics.ts';
import { summarise } from './statistics.ts';
import type { Series } from './unit.ts';

/** What a cell says of something that was not measured. */
export const MISSING = '–';

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
const DIGITS = 3;

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

/** The exponent with its confidence interval, if the points left any degree of freedom to tell one. */
export function formatExponent({ exponent, low, high }: PowerLaw): string {
  const digits = (value: number) => value.toFixed(2);
  return Number.isFinite(low) && Number.isFinite(high)
    ? `${digits(exponent)} (${digits(low)} to ${digits(high)})`
    : `${digits(exponent)} (two points: no interval)`;
}

/** Without an exponent, and with all digits of what is longer. */
function significant(value: number): string {
  return Math.abs(value) >= 10 ** (DIGITS - 1) ? value.toFixed(0) : value.toPrecision(DIGITS);
}
