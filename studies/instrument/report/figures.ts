/** Figures as the labels of a chart write them: short, with the prefix of their unit. */
import type { Axis } from './document.ts';

export type UnitName = Axis['unit'];

const prefixes = {
  ms: [
    { from: 1000, factor: 1000, unit: 's' },
    { from: 1, factor: 1, unit: 'ms' },
    { from: 1e-3, factor: 1e-3, unit: 'µs' },
    { from: 0, factor: 1e-6, unit: 'ns' },
  ],
  bytes: [
    { from: 1e12, factor: 1e12, unit: 'TB' },
    { from: 1e9, factor: 1e9, unit: 'GB' },
    { from: 1e6, factor: 1e6, unit: 'MB' },
    { from: 1e3, factor: 1e3, unit: 'kB' },
    { from: 0, factor: 1, unit: 'B' },
  ],
} as const;

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';
/** Made once: `toLocaleString` makes one for every number, which costs far more than writing the number. */
const plainNumber = new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 15 });

/** `like` is the value whose prefix is taken, such as the largest of an axis, so that its labels go together. */
export function figure(value: number, unit: UnitName, digits: number, like = value): string {
  if (unit === undefined) return bare(value, digits);
  if (value === 0 && like === 0) return '0';
  // Rounded first: 999.96 ms with 3 digits is 1 s.
  const size = Math.abs(rounded(like, digits));
  const prefix = prefixes[unit].find(({ from }) => size >= from)!;
  return `${bare(value / prefix.factor, digits)}\u00a0${prefix.unit}`;
}

function bare(value: number, digits: number): string {
  const round = rounded(value, digits);
  const size = Math.abs(round);
  if (size !== 0 && (size < 1e-4 || size >= 1e6)) return powerOfTen(round);
  return plainNumber.format(round).replace('-', '−');
}

function powerOfTen(value: number): string {
  const [mantissa, exponent] = value.toExponential().split('e') as [string, string];
  const power = `10${[...exponent].map((c) => (c === '-' ? '⁻' : (superscripts[Number(c)] ?? ''))).join('')}`;
  return mantissa === '1' ? power : `${mantissa.replace('-', '−')}·${power}`;
}

function rounded(value: number, digits: number): number {
  return Number(value.toPrecision(digits));
}
