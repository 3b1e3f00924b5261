/** Cells of the benchmark reports: medians with quartiles in the unit that reads best, and a dash for what was not measured. */
import type { Point } from '../report/document.ts';
import { type Summary, summarise, summariseRatios } from './statistics.ts';
import type { Measurement } from './unit.ts';

export const MISSING = '–';

const TIME_UNITS = [
  { name: 's', milliseconds: 1000 },
  { name: 'ms', milliseconds: 1 },
  { name: 'µs', milliseconds: 0.001 },
] as const;

export function samplesOf(measurement: Measurement | undefined, name: string): readonly number[] | undefined {
  return measurement?.series[name]?.samples;
}

export function timeCell(milliseconds: readonly number[] | undefined): string {
  if (milliseconds === undefined) return MISSING;
  const summary = summarise(milliseconds);
  const unit = TIME_UNITS.find((it) => summary.median >= it.milliseconds) ?? TIME_UNITS[2];
  return withQuartiles(summary, ` ${unit.name}`, (value) => significant(value / unit.milliseconds));
}

/** Ratio of samples of the same repetitions. */
export function ratioCell(
  numerators: readonly number[] | undefined,
  denominators: readonly number[] | undefined,
): string {
  if (numerators === undefined || denominators === undefined) return MISSING;
  return withQuartiles(summariseRatios(numerators, denominators), '×', significant);
}

export function bytesCell(bytes: number | string | undefined): string {
  if (typeof bytes !== 'number') return MISSING;
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${significant(bytes / 1000)} kB` : `${significant(bytes / 1e6)} MB`;
}

/** Median with quartiles as whisker. */
export function pointOf(x: number, samples: readonly number[]): Point {
  const { median, low, high } = summarise(samples);
  return { x, y: median, low, high };
}

/** Three significant digits, more only before the point. */
export function significant(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function withQuartiles(
  { median, low, high }: Summary,
  unit: string,
  format: (value: number) => string,
): string {
  return `${format(median)}${unit} (${format(low)}–${format(high)})`;
}
