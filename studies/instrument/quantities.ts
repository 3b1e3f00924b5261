/** Figures as tables and sentences print them, in the unit that reads best. */

/** The text of a cell whose value was not measured. */
export const MISSING = '–';

const UNITS = {
  ms: [
    [120_000, 60_000, 'min'],
    [1000, 1000, 's'],
    [1, 1, 'ms'],
    [0, 0.001, 'µs'],
  ],
  bytes: [
    [1e9, 1e9, 'GB'],
    [1e6, 1e6, 'MB'],
    [1e3, 1e3, 'kB'],
    [0, 1, 'bytes'],
  ],
} as const satisfies Readonly<
  Record<string, readonly (readonly [from: number, factor: number, name: string])[]>
>;
const DIGITS = 3;

/** By what a number of such a size is divided, and what stands behind it then; any other unit stays as it is. */
export function scaleOf(like: number, unit: string): readonly [factor: number, name: string] {
  const units = unit in UNITS ? UNITS[unit as keyof typeof UNITS] : [];
  const [, factor, name] = units.find(([from]) => Math.abs(like) >= from) ?? [0, 1, unit];
  return [factor, name];
}

/** Three significant digits without an exponent, and all digits of what is longer. */
export function significant(value: number): string {
  return Math.abs(value) >= 10 ** (DIGITS - 1) ? value.toFixed(0) : value.toPrecision(DIGITS);
}
