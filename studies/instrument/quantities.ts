/** Figures as the tables of the reports print them: medians with quartiles, in the unit that reads best. */
import type { Point } from './report/document.ts';
import type { PowerLaw, Summary } from './statistics.ts';
import { summarise, summariseRatios } from './statistics.ts';
import type { Measurement, Series } from './unit.ts';

/** What a cell says of something that was not measured. */
export const MISSING = '–';

const SCALES: Readonly<Record<Series['unit'], readonly (readonly [number, string])[]>> = {
  ms: [
    [120_000, 'min'],
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
  'grey levels': [[1, '']],
};
const MILLISECONDS_PER_MINUTE = 60_000;
const DIGITS = 3;

/** Median and quartiles in one unit, chosen by the median: "12.3 ms (11.9–12.8)"; one number where all are alike. */
function formatSummary({ median, low, high }: Summary, unit: Series['unit']): string {
  const scales = SCALES[unit];
  const [least, name] = scales.find(([from]) => Math.abs(median) >= from) ?? scales.at(-1)!;
  const scale = name === 'min' ? MILLISECONDS_PER_MINUTE : least;
  return withQuartiles({ median, low, high }, name === '' ? '' : ` ${name}`, (value) =>
    significant(value / scale),
  );
}

export function formatSamples(samples: readonly number[] | undefined, unit: Series['unit']): string {
  return samples === undefined || samples.length === 0 ? MISSING : formatSummary(summarise(samples), unit);
}

export function formatSeries(series: Series | undefined): string {
  return series === undefined ? MISSING : formatSamples(series.samples, series.unit);
}

/** One figure that has no spread. */
export function formatQuantity(value: number, unit: Series['unit']): string {
  return formatSamples([value], unit);
}

/** A size among the facts of a measurement. */
export function formatBytesFact(bytes: number | string | undefined): string {
  return typeof bytes === 'number' ? formatQuantity(bytes, 'bytes') : MISSING;
}

/** How many times more, of samples of the same repetitions. */
export function formatRatios(
  numerators: readonly number[] | undefined,
  denominators: readonly number[] | undefined,
): string {
  if (numerators === undefined || denominators === undefined) return MISSING;
  return withQuartiles(summariseRatios(numerators, denominators), '×', significant);
}

/** How many times more. */
export function formatRatio(ratio: number): string {
  return `${ratio >= 100 ? ratio.toFixed(0) : ratio.toPrecision(2)}×`;
}

/** The exponent with its confidence interval, if the points left any degree of freedom to tell one. */
export function formatExponent({ exponent, low, high }: PowerLaw): string {
  const digits = (value: number) => value.toFixed(2);
  return Number.isFinite(low) && Number.isFinite(high)
    ? `${digits(exponent)} (${digits(low)} to ${digits(high)})`
    : `${digits(exponent)} (two points: no interval)`;
}

export function samplesOf(measurement: Measurement | undefined, name: string): readonly number[] | undefined {
  return measurement?.series[name]?.samples;
}

/** Median with quartiles as whisker. */
export function pointOf(x: number, samples: readonly number[]): Point {
  const { median, low, high } = summarise(samples);
  return { x, y: median, low, high };
}

/** Three significant digits without an exponent, and all digits of what is longer. */
export function significant(value: number): string {
  return Math.abs(value) >= 10 ** (DIGITS - 1) ? value.toFixed(0) : value.toPrecision(DIGITS);
}

function withQuartiles(
  { median, low, high }: Pick<Summary, 'median' | 'low' | 'high'>,
  unit: string,
  format: (value: number) => string,
): string {
  const [middle, from, to] = [median, low, high].map(format);
  return from === middle && to === middle ? `${middle}${unit}` : `${middle}${unit} (${from}–${to})`;
}
