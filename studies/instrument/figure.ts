/** Figures of tidy records: what a cell of a table, a point of a chart or a fact in a sentence says. */
import { mean as meanOf } from '@eigenveil/testbed/goodness/mean';
import { MISSING, scaleOf, significant } from './quantities.ts';
import { fitPowerLaw, median as middle, momentsOf, summarise, summariseRatios } from './statistics.ts';
import type { Tidy, Value } from './tidy.ts';

export interface Told {
  /** Undefined where nothing was measured, or where it is words. */
  readonly value: number | undefined;
  /** A whisker: quartiles, a standard deviation to either side, or an interval. */
  readonly low?: number | undefined;
  readonly high?: number | undefined;
  readonly text: string;
}

export type Figure = (records: readonly Tidy[]) => Told;

const NOTHING: Told = { value: undefined, text: MISSING };

/** The form of a number; `percent` multiplies by 100. */
export interface Form {
  /** Digits after the point. */
  readonly digits?: number;
  readonly percent?: true;
  /** The number has + or − before it. */
  readonly signed?: true;
  /** The number has commas between thousands. */
  readonly grouped?: true;
  /** With a power of ten, such as `4e-6`. */
  readonly power?: true;
  /** `ms` and `bytes` go over to what reads best, with three digits; anything else stands behind the number. */
  readonly unit?: string;
}

/** The numbers in a column, in the order of the records. */
export function samplesOf(records: readonly Tidy[], column: string): number[] {
  return records.map((record) => record[column]).filter((value) => typeof value === 'number');
}

/** A figure of the samples in a column; nothing where there are none. */
function ofSamples(column: string, tell: (samples: readonly number[]) => Told): Figure {
  return (records) => {
    const samples = samplesOf(records, column);
    return samples.length === 0 ? NOTHING : tell(samples);
  };
}

/** A figure of some of the records. */
export function where(chosen: Tidy | ((record: Tidy) => boolean), figure: Figure): Figure {
  return (records) => figure(chosenOf(records, chosen));
}

/** A figure of the records that have the largest number in a column. */
export function atLargest(column: string, figure: Figure): Figure {
  return (records) => {
    const largest = Math.max(...samplesOf(records, column));
    return figure(records.filter((record) => record[column] === largest));
  };
}

export function chosenOf(
  records: readonly Tidy[],
  chosen: Tidy | ((record: Tidy) => boolean) | undefined,
): readonly Tidy[] {
  if (chosen === undefined) return records;
  if (typeof chosen === 'function') return records.filter(chosen);
  const wanted = Object.entries(chosen);
  return records.filter((record) => wanted.every(([column, value]) => record[column] === value));
}

export function mean(column: string, form: Form = {}): Figure {
  return ofSamples(column, (samples) => {
    const value = meanOf(samples);
    return { value, text: written(value, form) };
  });
}

/** Mean ± standard deviation (n − 1); one sample has no deviation. */
export function spread(column: string, form: Form = {}): Figure {
  return ofSamples(column, (samples) => {
    const { mean: value, deviation } = momentsOf(samples)!;
    const text = written(value, form);
    if (deviation === undefined) return { value, text };
    const { signed: _, ...plain } = form;
    return {
      value,
      low: value - deviation,
      high: value + deviation,
      text: `${text} ± ${written(deviation, plain)}`,
    };
  });
}

/** Median with quartiles: `12.3 ms (11.9–12.8)`; one number where all are alike. */
export function median(column: string, form: Form = {}): Figure {
  return ofSamples(column, (samples) => {
    const { median: value, low, high } = summarise(samples);
    return { value, low, high, text: withQuartiles([value, low, high], form) };
  });
}

/** Median and quartiles of what each repetition of one gives over that of the other: `12× (11–13)`. */
export function ratio(column: string, above: Tidy, below: Tidy): Figure {
  return (records) => {
    const [numerators, denominators] = [above, below].map((of) => samplesOf(chosenOf(records, of), column));
    if (numerators!.length === 0 || denominators!.length === 0) return NOTHING;
    const { median: value, low, high } = summariseRatios(numerators!, denominators!);
    return { value, low, high, text: withQuartiles([value, low, high], { unit: '×' }) };
  };
}

/**
 * The one value that a column has, number or words.
 * @throws RangeError where records differ in it
 */
export function only(column: string, form: Form = {}): Figure {
  return (records) => {
    const values = valuesOf(records, column);
    if (values.size === 0) return NOTHING;
    const [value] = values;
    if (values.size > 1)
      throw new RangeError(`"${column}" expected one value, got ${[...values].slice(0, 3).join(', ')}`);
    if (typeof value !== 'number') return { value: undefined, text: value! };
    return { value, text: Object.keys(form).length === 0 ? plainly(value) : written(value, form) };
  };
}

const valuesOf = (records: readonly Tidy[], column: string): Set<Value> =>
  new Set(records.map((record) => record[column]).filter((value) => value !== undefined));

/**
 * The exponent p of y ∝ x^p with its 95 % interval, fitted to the medians of `y` at each `x` of at least `from`: `1.96 (1.94 to 1.98)`.
 * Two points leave no interval, and one no exponent.
 */
export function growth(x: string, y: string, from = 0): Figure {
  return (records) => {
    const points = [...Map.groupBy(records, (record) => record[x])].flatMap(([at, group]) => {
      const samples = samplesOf(group, y);
      return typeof at !== 'number' || at < from || samples.length === 0
        ? []
        : [{ x: at, y: middle(samples) }];
    });
    if (points.length < 2) return NOTHING;
    const { exponent: value, low, high } = fitPowerLaw(points);
    const [text, least, most] = [value, low, high].map((it) => written(it, { digits: 2 }));
    return Number.isFinite(low)
      ? { value, low, high, text: `${text} (${least} to ${most})` }
      : { value, text: text! };
  };
}

/** The number of records. */
export const count: Figure = ({ length }) => ({ value: length, text: plainly(length) });

/** The number of different values in a column. */
export function distinct(column: string): Figure {
  return (records) => {
    const { size } = valuesOf(records, column);
    return size === 0 ? NOTHING : { value: size, text: plainly(size) };
  };
}

/** Figures side by side in one cell, such as `0.57 ± 0.11 / 1.58`; the value is that of the first. */
export function beside(between: string, ...figures: readonly [Figure, ...Figure[]]): Figure {
  return (records) => {
    const told = figures.map((figure) => figure(records));
    if (told.every(({ text }) => text === MISSING)) return NOTHING;
    return { ...told[0]!, text: told.map(({ text }) => text).join(between) };
  };
}

export const sum = (column: string, form: Form = {}): Figure =>
  ofSamples(column, (samples) =>
    one(
      samples.reduce((all, sample) => all + sample, 0),
      form,
    ),
  );
export const least = (column: string, form: Form = {}): Figure =>
  ofSamples(column, (samples) => one(Math.min(...samples), form));
export const most = (column: string, form: Form = {}): Figure =>
  ofSamples(column, (samples) => one(Math.max(...samples), form));
export const middleOf = (column: string, form: Form = {}): Figure =>
  ofSamples(column, (samples) => one(middle(samples), form));

/** A value that stands between two others of the same record: `0.3 [0.1, 0.5]`. */
export function within(column: string, low: string, high: string, form: Form = {}): Figure {
  return (records) => {
    const [value, from, to] = [column, low, high].map((it) => samplesOf(records, it)[0]);
    if (value === undefined) return NOTHING;
    if (from === undefined || to === undefined) return one(value, form);
    return {
      value,
      low: from,
      high: to,
      text: `${written(value, form)} [${written(from, form)}, ${written(to, form)}]`,
    };
  };
}

const one = (value: number, form: Form): Told => ({ value, text: written(value, form) });
const plainly = (value: number): string =>
  Number.isInteger(value) ? value.toLocaleString('en-GB') : String(value);

/** A number as tables and sentences have it. */
export function written(value: number, form: Form): string {
  return `${bare(value, form)}${suffix(value, form)}`;
}

function withQuartiles([value, low, high]: readonly [number, number, number], form: Form): string {
  const [middle, from, to] = [value, low, high].map((it) => bare(it, form, value));
  const whole = `${middle}${suffix(value, form)}`;
  return from === middle && to === middle ? whole : `${whole} (${from}–${to})`;
}

/** @param like the value whose unit is taken */
function bare(value: number, form: Form, like = value): string {
  const { percent, signed, unit } = form;
  const number = unit === undefined ? value : value / scaleOf(like, unit)[0];
  const scaled = percent ? 100 * number : number;
  const text = digitsOf(Math.abs(scaled), form);
  if (scaled < 0 && Number(text) !== 0) return `−${text}`;
  return signed ? `+${text}` : text;
}

function digitsOf(value: number, { digits, grouped, power }: Form): string {
  if (power) return value === 0 ? '0' : value.toExponential(digits ?? 0).replace('+', '');
  if (grouped)
    return value.toLocaleString('en-GB', {
      minimumFractionDigits: digits ?? 0,
      maximumFractionDigits: digits ?? 0,
    });
  return digits === undefined ? significant(value) : value.toFixed(digits);
}

function suffix(like: number, { unit }: Form): string {
  if (unit === undefined || unit === '') return '';
  const [, name] = scaleOf(like, unit);
  return name === '×' || name === '%' ? `${name === '%' ? ' ' : ''}${name}` : ` ${name}`;
}
