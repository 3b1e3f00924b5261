/**
 * The spacing of a grid that a column's values lie on, wherever it begins: of whole numbers 1, of one decimal
 * 0.1. Values need not lie on it to the last digit, as those do not that were computed or converted to
 * another unit.
 *
 * How likely chance alone would make it: let values of different periods of the grid lie anywhere in theirs,
 * independently. A period of a length s counts as one that fits where most of its rows lie in a window of
 * w·s. Of m periods, j lie in one window with at most m·P(B ≥ j − 1), B binomial of m − 1 draws of w, since
 * one of them lies first. Lengths from s on differ in frequencies up to 1/s, where steps of w/2 over the span
 * move no value by more than w/8 of a period, so that 2·span/(s·w) of them with a window of 5w/4 stand for
 * all; and w is one of 2^LEVELS powers of two. Where two or more periods hold many rows each, every value
 * counts for itself.
 */
import { type CountedValues, MOST_IMPUTED, TOLERANCE } from './values.ts';

/** The least part of the rows that lies on a grid. */
const ON_GRID = 0.98;
/** The greatest probability at which a grid does not count as chance, in bits. */
const CHANCE = -40;
/**
 * Windows are no narrower than this part of a period, as doubles tell no more; these bits tell which of all
 * widths it is.
 */
const NARROWEST = 2 ** -30;
const LEVELS = 5;
/** A value that more of the rows have says nothing about a grid. */
const SPIKE = 1 / 4;
/** An imputed value is as frequent as this. */
const IMPUTED = 1 / 100;
/** The fewest values that may be enough. */
const FEWEST_VALUES = 4;
/** The least part of the rows that the second one holds of the periods whose values lie close together. */
const POPULATED = 1 / 20;
/** Cells of 20 fraction bits are so fine, in parts of the span or finer. */
const FINEST = 2 ** -21;
/**
 * The remainder of a division by Euclid's algorithm that counts as nothing, in parts of the span and of the
 * largest value.
 */
const NOTHING = 1e-9;
const NOTHING_OF_VALUE = 2 ** -46;
/**
 * Values whose differences are divided by one another, and gaps that are tried, each larger by a part than
 * the one before.
 */
const DIVIDED = 64;
/**
 * The mean of their places on a circle has this length where a few of them are anywhere, and much less by
 * chance.
 */
const NEAR_ONE_ANOTHER = 0.6;
const FINEST_GAP = 1 / 2000;
/** The digits of a candidate that are enough to begin with. */
const NEAR = 6;
const GAP_RATIO = 1.15;
/** A period is written with as few digits as move no value by more than this part of it. */
const WRITTEN = 1 / 50;

interface Column extends CountedValues {
  readonly span: number;
  readonly rows: number;
}

/**
 * The longest period of which nearly all rows lie in one place; undefined where there is none.
 * @param counted without values at a bound, to which others may have been moved
 */
export function spacingOfGrid(counted: CountedValues): number | undefined {
  const { values, counts } = counted;
  if (values.length < FEWEST_VALUES) return undefined;
  const span = values.at(-1)! - values[0]!;
  const column = { ...counted, span, rows: counts.reduce((sum, count) => sum + count, 0) };
  const anchors = anchorsOf(column);
  const chosen = mostOf(column);
  const near = new Set([...dividing(column, chosen), ...gapsOf(column)].map((it) => it.toPrecision(NEAR)));
  const candidates = [...near]
    .map(Number)
    .filter((period) => period >= FINEST * span)
    .flatMap((period) => anchors.map((anchor) => fitted(column, period, anchor)))
    .filter((period) => period >= FINEST * span && period <= span * (1 + 2 * TOLERANCE))
    .sort((a, b) => b - a);
  let last = Infinity;
  for (const period of candidates) {
    // Candidates that no value distinguishes.
    if (last - period < (TOLERANCE / 16) * (period / span) * period) continue;
    last = period;
    if (!mayBeGrid(column, chosen, period) || !isGrid(column, period)) continue;
    const written = shortest(period, span);
    return isGrid(column, written) ? written : period;
  }
  return undefined;
}

/** Values that a grid probably goes through: the most frequent one, and one in the middle. */
function anchorsOf({ values, counts }: Column): number[] {
  const frequent = counts.indexOf(Math.max(...counts));
  return [...new Set([frequent, values.length >> 1, values.length >> 2])];
}

/** Values that most rows have, in an order that has nothing to do with their size. */
function mostOf({ values, counts }: Column): number[] {
  const byRows = values.map((_, i) => i).sort((a, b) => counts[b]! - counts[a]! || mixed(a) - mixed(b));
  return byRows.slice(0, DIVIDED).sort((a, b) => mixed(a) - mixed(b));
}

/** Common divisors of differences, three at a time. */
function dividing({ values, span }: Column, chosen: readonly number[]): number[] {
  const nothing = Math.max(
    NOTHING * span,
    NOTHING_OF_VALUE * Math.max(Math.abs(values[0]!), Math.abs(values.at(-1)!)),
  );
  return chosen.slice(3).map((d, i) => {
    const [a, b, c] = [chosen[i]!, chosen[i + 1]!, chosen[i + 2]!];
    return [b, c, d]
      .map((other) => Math.abs(values[other]! - values[a]!))
      .reduce((x, y) => divisor(x, y, nothing));
  });
}

/** An order that has nothing to do with that of the values. */
const mixed = (i: number) => Math.imul(i + 1, 0x9e3779b1) >>> 0;

/**
 * Says whether the places of some values in their periods are near one another: what most candidates fail
 * costs little. No value counts more than the others on average.
 */
function mayBeGrid({ values, counts }: Column, chosen: readonly number[], period: number): boolean {
  const most = chosen.reduce((sum, i) => sum + counts[i]!, 0) / chosen.length;
  let [x, y, all] = [0, 0, 0];
  for (const i of chosen) {
    const weight = Math.min(counts[i]!, most);
    const angle = (2 * Math.PI * (values[i]! - values[0]!)) / period;
    x += weight * Math.cos(angle);
    y += weight * Math.sin(angle);
    all += weight;
  }
  return Math.hypot(x, y) >= NEAR_ONE_ANOTHER * all;
}

function divisor(a: number, b: number, nothing: number): number {
  let [x, y] = [Math.max(a, b), Math.min(a, b)];
  while (y > nothing) [x, y] = [y, Math.abs(x - y * Math.round(x / y))];
  return x;
}

/**
 * Gaps between neighbours, one of each size: of a grid that values do not lie on exactly, some of them are
 * about as long as its period.
 */
function gapsOf({ values, span }: Column): number[] {
  const bySize = new Map<number, number>();
  for (let i = 1; i < values.length; i += 1) {
    const gap = values[i]! - values[i - 1]!;
    if (gap >= FINEST_GAP * span) bySize.set(Math.floor(Math.log(gap) / Math.log(GAP_RATIO)), gap);
  }
  return [...bySize.values()];
}

/**
 * The period near the given one that goes best through the values, from one of them to both sides: the line
 * of least squares, drawn on as it becomes longer.
 */
function fitted({ values }: Column, near: number, anchor: number): number {
  let [period, offset] = [near, 0];
  let [n, sumK, sumD, sumKK, sumKD] = [1, 0, 0, 0, 0];
  let [below, above] = [anchor - 1, anchor + 1];
  while (below >= 0 || above < values.length) {
    const down = below < 0 ? Infinity : values[anchor]! - values[below]!;
    const up = above >= values.length ? Infinity : values[above]! - values[anchor]!;
    const d = down < up ? -down : up;
    if (down < up) below -= 1;
    else above += 1;
    const k = Math.round((d - offset) / period);
    if (Math.abs(d - offset - k * period) > period / 8) continue;
    n += 1;
    sumK += k;
    sumD += d;
    sumKK += k * k;
    sumKD += k * d;
    const variance = n * sumKK - sumK * sumK;
    if (variance <= 0) continue;
    period = (n * sumKD - sumK * sumD) / variance;
    offset = (sumD - period * sumK) / n;
  }
  return period;
}

/** Says whether nearly all rows lie in one window of each period, and by chance would not. */
function isGrid({ values, counts, span, rows }: Column, period: number): boolean {
  const start = values[values.length >> 1]!;
  const steps = values.map((value) => (value - start) / period);
  const weights = counts.map((count) => (count > SPIKE * rows ? 0 : count));
  const { from, width } = bestWindow(steps, weights);
  const middle = from + width / 2;
  const fits = steps.map((step) => {
    const off = step - middle;
    return Math.abs(off - Math.round(off)) <= width / 2 + NARROWEST;
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const misfits = weights.filter((_, i) => !fits[i]).sort((a, b) => b - a);
  const imputed = misfits
    .slice(0, MOST_IMPUTED)
    .filter((weight) => weight >= Math.max(2, IMPUTED * rows))
    .reduce((sum, weight) => sum + weight, 0);
  const missing = misfits.reduce((sum, weight) => sum + weight, 0) - imputed;
  if (!(total > imputed) || missing > (1 - ON_GRID) * (total - imputed)) return false;
  const periods = new Map<number, number>();
  for (const [i, step] of steps.entries()) {
    const k = Math.round(step - middle);
    periods.set(k, (periods.get(k) ?? 0) + (fits[i] ? counts[i]! : -counts[i]!));
  }
  const balances = [...periods.values()].sort((a, b) => b - a);
  const of = { width, lengths: span / period };
  const fitting = balances.filter((balance) => balance > 0).length;
  if (chance({ ...of, values: periods.size, fitting }) < CHANCE) return true;
  // Few periods tell as well where their values lie close together, unless nearly all are in one.
  return (
    (balances[1] ?? 0) >= POPULATED * rows &&
    chance({ ...of, values: values.length, fitting: fits.filter(Boolean).length }) < CHANCE
  );
}

/** The window of twice the tolerance, modulo 1, that has the most rows, as narrow as the values in it. */
function bestWindow(steps: readonly number[], weights: readonly number[]): { from: number; width: number } {
  const phases = steps
    .map((step, i) => ({ phase: step - Math.floor(step), weight: weights[i]! }))
    .sort((a, b) => a.phase - b.phase);
  const n = phases.length;
  const at = (i: number) => (i < n ? phases[i]!.phase : phases[i - n]!.phase + 1);
  let best = { from: 0, width: 0, weight: -1 };
  let [end, weight] = [0, 0];
  for (let i = 0; i < n; i += 1) {
    while (end < i + n && at(end) - at(i) <= 2 * TOLERANCE) {
      weight += phases[end % n]!.weight;
      end += 1;
    }
    if (weight > best.weight) best = { from: at(i), width: at(end - 1) - at(i), weight };
    weight -= phases[i]!.weight;
  }
  return best;
}

/** The logarithm of the probability by chance, to base 2. */
function chance({
  values,
  fitting,
  width,
  lengths,
}: {
  readonly values: number;
  readonly fitting: number;
  readonly width: number;
  readonly lengths: number;
}): number {
  const level = 2 ** Math.ceil(Math.log2(Math.max(NARROWEST, width)));
  const window = Math.min(1, 1.25 * level);
  return (
    LEVELS + Math.log2((2 * lengths) / level) + Math.log2(values) + tail(values - 1, window, fitting - 1)
  );
}

/**
 * Chernoff's bound of the probability of at least the given number of n draws of p, as a logarithm to base 2.
 */
function tail(n: number, p: number, least: number): number {
  const q = least / n;
  if (!(q > p)) return 0;
  const first = q * Math.log2(q / p);
  return -n * (first + (q < 1 ? (1 - q) * Math.log2((1 - q) / (1 - p)) : 0));
}

/** Returns the same period with the fewest digits, as it was probably written. */
function shortest(period: number, span: number): number {
  for (let digits = 1; digits < 16; digits += 1) {
    const written = Number(period.toPrecision(digits));
    if (Math.abs(written - period) * (span / period) <= WRITTEN * period) return written;
  }
  return period;
}
