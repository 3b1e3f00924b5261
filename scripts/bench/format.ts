/** Figures as people read them. */
import { type PowerLaw, summarise } from './statistics.ts';

/** Three significant digits with the unit that reads best. */
export function formatMilliseconds(milliseconds: number): string {
  if (milliseconds >= 120_000) return `${(milliseconds / 60_000).toPrecision(3)} min`;
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toPrecision(3)} s`;
  if (milliseconds >= 1) return `${milliseconds.toPrecision(3)} ms`;
  return `${(1000 * milliseconds).toPrecision(3)} µs`;
}

/** Decimal units, as on the wire. */
export function formatBytes(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toPrecision(3)} GB`;
  if (bytes >= 1e6) return `${(bytes / 1e6).toPrecision(3)} MB`;
  if (bytes >= 1e3) return `${(bytes / 1e3).toPrecision(3)} kB`;
  return `${Math.round(bytes)} B`;
}

/** How many times faster, without false precision. */
export function formatRatio(ratio: number): string {
  return `${ratio >= 100 ? ratio.toFixed(0) : ratio.toPrecision(2)}×`;
}

/** Median and quartiles: `1.40 s (1.35 s–1.47 s)`. */
export function formatSummary(samples: readonly number[], format: (value: number) => string): string {
  const { median, low, high, count } = summarise(samples);
  return count === 1 ? format(median) : `${format(median)} (${format(low)}–${format(high)})`;
}

/** An exponent with the ends of its interval: `1.97 (1.85 to 2.09)`. */
export function formatExponent({ exponent, low, high }: PowerLaw): string {
  return Number.isFinite(low)
    ? `${exponent.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`
    : `${exponent.toFixed(2)} (two points: no interval)`;
}
