/** Scales of charts: where values lie along an axis, and which of them get a label. */
import { CodedError } from '@eigenveil/platform';
import { REPORT_CODES } from './codes.ts';
import type { Axis } from './document.ts';
import { figure } from './figures.ts';

/** Positions go from 0, the foot of the axis, to 1: then echarts cannot round or extend what is laid out here. */
export interface Scale {
  readonly ticks: readonly Tick[];
  position(value: number): number;
  /** The position, or, of what lies below the scale, its foot. */
  clamped(value: number): number;
  reaches(value: number): boolean;
}

export interface Tick {
  readonly position: number;
  readonly label: string;
}

export interface ScaleOptions {
  /** For messages. */
  readonly chart: string;
  /** The most labels that have room. */
  readonly labels: number;
  /** Bars start at the foot of the scale: at zero, or, if it is logarithmic, clearly below the least of them. */
  readonly foot?: boolean;
  /** Values that would do well as ticks, as they are few. */
  readonly preferred?: readonly number[];
  /** Whether these labels have room at these positions. */
  readonly fits?: (ticks: readonly Tick[]) => boolean;
}

/** `whiskers` may reach below what a logarithm takes: they are then drawn down to the foot. */
export function scaleOf(
  axis: Axis,
  values: readonly number[],
  whiskers: readonly number[],
  options: ScaleOptions,
): Scale {
  const where = `chart "${options.chart}", axis "${axis.title}"`;
  const odd = [...values, ...whiskers].find((value) => !Number.isFinite(value));
  if (odd !== undefined)
    throw new CodedError(REPORT_CODES.ERR_REPORT, `${where}: expected finite values, got ${odd}`);
  if (values.length === 0)
    throw new CodedError(REPORT_CODES.ERR_REPORT, `${where}: expected at least one value, got none`);
  if (axis.scale === 'category') return complete(categories(axis, values));
  if (axis.scale === 'linear') return complete(linear(axis, [...values, ...whiskers], options));
  const least = Math.min(...values);
  if (least <= 0)
    throw new CodedError(
      REPORT_CODES.ERR_REPORT,
      `${where}: expected values above 0 for a logarithmic axis, got ${least}`,
    );
  return complete(logarithmic(axis, [...values, ...whiskers.filter((value) => value > 0)], options));
}

/** Before the span from low to high becomes 0 to 1. */
interface Span {
  readonly low: number;
  readonly high: number;
  position(value: number): number;
}

type Placed = Span & Pick<Scale, 'ticks'>;

function complete({ low, high, ticks, position }: Placed): Scale {
  const fraction = (place: number): number => (place - low) / (high - low);
  const reaches = (value: number): boolean => position(value) >= low;
  return {
    ticks: ticks.map((tick) => ({ ...tick, position: fraction(tick.position) })),
    position: (value) => fraction(position(value)),
    reaches,
    clamped: (value) => (reaches(value) ? fraction(position(value)) : 0),
  };
}

/** Names in a row; their values are 0, 1, 2 and so on. */
export function rowOf(names: readonly string[]): Scale {
  const ticks = names.map((label, position) => ({ position, label }));
  return complete({ low: -0.5, high: names.length - 0.5, ticks, position: (index) => index });
}

function categories(axis: Axis, values: readonly number[]): Placed {
  const places = [...new Set(values)].sort((a, b) => a - b);
  return {
    low: -0.5,
    high: places.length - 0.5,
    ticks: places.map((value, position) => ({ position, label: figure(value, axis.unit, 6) })),
    position: (value) => places.indexOf(value),
  };
}

function linear(axis: Axis, values: readonly number[], options: ScaleOptions): Placed {
  const position = (value: number): number => value;
  let [least, most] = [Math.min(...values), Math.max(...values)];
  // Zero belongs to the axis, unless it is so far away that the differences would no longer be seen.
  if (options.foot || (least > 0 && least < most / 2)) least = Math.min(0, least);
  if (options.foot) most = Math.max(0, most);
  if (axis.upTo !== undefined) most = Math.max(axis.upTo, most);
  if (least === most)
    [least, most] = least === 0 ? [0, 1] : [least - Math.abs(least) / 10, most + Math.abs(most) / 10];
  const step = niceStep((most - least) / Math.max(1, options.labels - 1));
  if (options.preferred) {
    const room = (most - least) * 0.04;
    const [low, high] = [least === 0 ? 0 : least - room, most + room];
    return chosen(axis, { low, high, position }, options, steps(low, high, options.labels));
  }
  const [low, high] = [Math.floor(least / step + 1e-9) * step, Math.ceil(most / step - 1e-9) * step];
  const span = { low, high, position };
  return { ...span, ticks: labelled(axis, multiples(step, low, high), span, 12) };
}

function logarithmic(axis: Axis, values: readonly number[], options: ScaleOptions): Placed {
  const position = Math.log10;
  const [least, most] = [position(Math.min(...values)), position(Math.max(...values))];
  const room = Math.max(0.05, (most - least) * 0.05);
  const low = options.foot ? Math.floor(least - 0.1) : least - room;
  const high = most + room;
  const regular = logarithmicTicks(low, high, options.labels);
  return chosen(axis, { low, high, position }, options, regular);
}

/** The values of the data themselves, or most of them, where they are few and have room: nothing reads better. */
function chosen(axis: Axis, span: Span, options: ScaleOptions, regular: readonly number[]): Placed {
  const { low, high } = span;
  const fits = (ticks: readonly Tick[]): boolean =>
    options.fits?.(ticks.map((tick) => ({ ...tick, position: (tick.position - low) / (high - low) }))) ??
    true;
  const values = [...new Set(options.preferred ?? [])].sort((a, b) => a - b);
  if (values.length >= 2 && values.length <= 10) {
    const preferred = labelled(axis, values, span, 6);
    const last = preferred.at(-1)!;
    const kept: Tick[] = [];
    for (const tick of preferred.slice(0, -1)) if (fits([...kept, tick, last])) kept.push(tick);
    if (kept.length >= preferred.length / 2) return { ...span, ticks: [...kept, last] };
  }
  let ticks = labelled(axis, regular, span, 12);
  while (ticks.length > 2 && !fits(ticks)) ticks = ticks.filter((_, index) => index % 2 === 0);
  return { ...span, ticks };
}

/** All of 1, 2, 5 or powers of ten, or, over less than a decade, steps as on a linear scale. */
function logarithmicTicks(low: number, high: number, labels: number): readonly number[] {
  const decades = multiples(1, Math.floor(low), Math.ceil(high));
  const within = (value: number): boolean =>
    value >= 10 ** low * (1 - 1e-9) && value <= 10 ** high * (1 + 1e-9);
  const fine = decades.flatMap((e) => [1, 2, 5].map((m) => Number(`${m}e${e}`))).filter(within);
  const powers = decades.map((e) => Number(`1e${e}`)).filter(within);
  if (fine.length >= 3 && fine.length <= labels) return fine;
  if (powers.length >= 2) {
    const every = Math.ceil(powers.length / labels);
    return powers.filter((_, index) => index % every === 0);
  }
  if (fine.length >= 3) return fine;
  return steps(10 ** low, 10 ** high, labels);
}

function steps(low: number, high: number, labels: number): readonly number[] {
  let step = niceStep((high - low) / Math.max(1, labels - 1));
  while (multiples(step, low, high).length < 2) step = niceStep(step / 2.5);
  return multiples(step, low, high);
}

function labelled(axis: Axis, values: readonly number[], span: Span, digits: number): readonly Tick[] {
  // Labels of even steps go together; those of decades each have the prefix that suits them.
  const like = axis.scale === 'linear' ? Math.max(...values.map(Math.abs)) : undefined;
  return values.map((value) => ({
    position: span.position(value),
    label: figure(value, axis.unit, digits, like ?? value),
  }));
}

/** Multiples of `step` from `low` to `high`, without the dust of floating point. */
function multiples(step: number, low: number, high: number): readonly number[] {
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
}

function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5, 10].find((m) => m * power >= least * (1 - 1e-9)) ?? 10);
}
