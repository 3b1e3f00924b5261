/**
 * Do two classes of durations differ? The tests of dudect (Reparaz, Balasch, Verbauwhede, "Dude, is my code constant time?", DATE
 * 2017): Welch's t on the means, at several croppings of the slow tail, and on the squares of the centred durations.
 */
import { quantile } from '../../instrument/statistics.ts';

/** Durations of one operation; `classes[i]` is the class of `times[i]`. */
export interface Samples {
  readonly times: Float64Array;
  readonly classes: Uint8Array;
}

/** The strongest of the tests. */
interface Strongest {
  readonly t: number;
  /** The fraction of the samples, from the fastest on, that the test looked at. */
  readonly kept: number;
  /** 1 for means, 2 for squares of the centred durations, that is, for variances. */
  readonly order: 1 | 2;
}

export interface Comparison extends Strongest {
  readonly counts: readonly [number, number];
  /** Medians of the two classes. */
  readonly medians: readonly [number, number];
  /** The difference of the means, second class less first, at the cropping where it stands out most. */
  readonly difference: number;
  /** The size from which on that difference would have been suspicious. */
  readonly visible: number;
}

/** |t| above which the classes are suspected to differ, and above which they clearly do. */
export const SUSPICIOUS = 4.5;
export const CLEAR = 10;

/** A t statistic of fewer in a class is no normal deviate even roughly. */
const FEWEST = 50;
const CROPPINGS = 20;

/** Mean and unbiased variance. */
export function moments(values: Float64Array): { readonly mean: number; readonly variance: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, variance: squares / (values.length - 1) };
}

/** Welch's t (Biometrika 34, 1947): the difference of the means, second less first, over its standard error. Two values a class are the least. */
export function welch(
  a: Float64Array,
  b: Float64Array,
): { readonly t: number; readonly difference: number; readonly standardError: number } {
  const [ofA, ofB] = [moments(a), moments(b)];
  const standardError = Math.sqrt(ofA.variance / a.length + ofB.variance / b.length);
  const difference = ofB.mean - ofA.mean;
  return { t: difference === 0 ? 0 : difference / standardError, difference, standardError };
}

/**
 * The strongest evidence that any of the tests gives. Interruptions of the machine only ever make a duration longer, so that a
 * difference shows best among the fast samples; where the line is best drawn nobody knows beforehand.
 * @throws RangeError when a class has fewer than 50 samples
 */
export function compareClasses({ times, classes }: Samples): Comparison {
  const of = (which: 0 | 1) => times.filter((_, i) => classes[i] === which);
  const [a, b] = [of(0), of(1)];
  if (Math.min(a.length, b.length) < FEWEST) {
    throw new RangeError(
      `"samples" expected at least ${FEWEST} in each class, got ${a.length} and ${b.length}`,
    );
  }
  const sorted = times.toSorted();
  let strongest: Strongest = { t: 0, kept: 1, order: 1 };
  let clearest = welch(a, b);
  for (const kept of keptFractions()) {
    const most = sorted[Math.ceil(kept * sorted.length) - 1]!;
    const [croppedA, croppedB] = [a, b].map((values) => values.filter((time) => time <= most)) as [
      Float64Array,
      Float64Array,
    ];
    if (Math.min(croppedA.length, croppedB.length) < FEWEST) continue;
    const first = welch(croppedA, croppedB);
    const second = welch(centredSquares(croppedA), centredSquares(croppedB));
    if (Math.abs(first.t) > Math.abs(clearest.t)) clearest = first;
    if (Math.abs(first.t) > Math.abs(strongest.t)) strongest = { t: first.t, kept, order: 1 };
    if (Math.abs(second.t) > Math.abs(strongest.t)) strongest = { t: second.t, kept, order: 2 };
  }
  return {
    ...strongest,
    counts: [a.length, b.length],
    medians: [quantile([...a], 0.5), quantile([...b], 0.5)],
    difference: clearest.difference,
    visible: SUSPICIOUS * clearest.standardError,
  };
}

/** All samples, then 1 − 2^(−10 i / 20), as dudect has it with more steps: dense where the tail begins. */
export function keptFractions(): number[] {
  return [1, ...Array.from({ length: CROPPINGS }, (_, i) => 1 - 2 ** ((-10 * (i + 1)) / CROPPINGS))];
}

function centredSquares(values: Float64Array): Float64Array {
  const { mean } = moments(values);
  return values.map((value) => (value - mean) ** 2);
}
