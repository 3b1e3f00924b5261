/**
 * Error rates of verification in the terms of ISO/IEC 19795-1: an attempt is accepted when its score, a distance, is at most the threshold. FMR is the
 * share of impostors' attempts that are accepted (false match), FNMR that of users' own attempts that are not (false non-match).
 */

/** Scores of rows of one person against the template of another, or against their own, in the order of time. */
export interface Comparison {
  /** Whose template. */
  readonly target: string;
  /** Whose rows. */
  readonly source: string;
  readonly scores: readonly number[];
}

export interface ErrorRates {
  readonly fmr: number;
  readonly fnmr: number;
}

interface OperatingPoint extends ErrorRates {
  readonly threshold: number;
}

/** Scores by ascending value, each with how often it counts. */
export interface Weighted {
  readonly scores: Float64Array;
  readonly weights: Float64Array;
}

/** How many windows the headline's second figure takes together. */
export const WINDOWS_TOGETHER = 5;

/**
 * Equal error rates over all pairs of target and source, with one threshold for all: of single rows, and of means of five scores in a row that share
 * none with their neighbours. In [0, 1]; 0.5 is chance.
 * @throws RangeError without genuine or without impostors' scores, or with one that is not finite
 */
export function equalErrorRates(comparisons: readonly Comparison[]): { perSample: number; overFive: number } {
  return {
    perSample: pooledEqualErrorRate(comparisons),
    overFive: pooledEqualErrorRate(overWindows(comparisons, WINDOWS_TOGETHER)),
  };
}

/** @throws as `equalErrorRates` */
export function pooledEqualErrorRate(comparisons: readonly Comparison[]): number {
  const { genuine, impostor } = pool(comparisons);
  return equalErrorRate(genuine, impostor);
}

/** Every comparison's scores as means of so many in a row; what is left over at the end is dropped. */
export function overWindows(comparisons: readonly Comparison[], windows: number): Comparison[] {
  return comparisons.map((comparison) => ({ ...comparison, scores: meansOf(comparison.scores, windows) }));
}

/** Means of so many in a row, without overlap. @throws RangeError unless `windows` is a positive integer */
export function meansOf(scores: readonly number[], windows: number): number[] {
  if (!Number.isInteger(windows) || windows < 1) {
    throw new RangeError(`"windows" expected a positive integer, got ${windows}`);
  }
  const means = new Array<number>(Math.floor(scores.length / windows)).fill(0);
  for (let i = 0, at = 0; i < means.length; i += 1) {
    let sum = 0;
    for (const end = at + windows; at < end; at += 1) sum += scores[at]!;
    means[i] = sum / windows;
  }
  return means;
}

interface Scores {
  readonly genuine: readonly number[];
  readonly impostor: readonly number[];
}

export function pool(comparisons: readonly Comparison[]): Scores {
  const [genuine, impostor]: [number[], number[]] = [[], []];
  for (const { target, source, scores } of comparisons) {
    const into = target === source ? genuine : impostor;
    for (const score of scores) into.push(score);
  }
  return { genuine, impostor };
}

/**
 * The rate at which FMR and FNMR are equal. Both are steps in the threshold and may have no value in common: between the two neighbouring thresholds where
 * their order changes, the rate is read off the straight line, which makes it 0.5 for two samples of the same values.
 * @throws as `equalErrorRates`
 */
export function equalErrorRate(genuine: readonly number[], impostor: readonly number[]): number {
  const once = (scores: readonly number[]): Weighted => ({
    scores: ascending(scores),
    weights: new Float64Array(scores.length).fill(1),
  });
  return weightedEqualErrorRate(once(genuine), once(impostor));
}

/**
 * The same of scores that count more than once, or not at all, as those of a resampled user do.
 * @throws RangeError where one kind has no weight
 */
export function weightedEqualErrorRate(genuine: Weighted, impostor: Weighted): number {
  const ofGenuine = total(genuine);
  const ofImpostor = total(impostor);
  if (!(ofGenuine > 0 && ofImpostor > 0))
    throw new RangeError('expected scores of both kinds, got none of one');
  let [g, i, accepted, matched] = [0, 0, 0, 0];
  let before: ErrorRates = { fmr: 0, fnmr: 1 };
  for (;;) {
    const threshold = Math.min(genuine.scores[g] ?? Infinity, impostor.scores[i] ?? Infinity);
    for (; genuine.scores[g]! <= threshold; g += 1) accepted += genuine.weights[g]!;
    for (; impostor.scores[i]! <= threshold; i += 1) matched += impostor.weights[i]!;
    const now: ErrorRates = { fmr: matched / ofImpostor, fnmr: 1 - accepted / ofGenuine };
    // At the last score at the latest: FMR is 1 there.
    if (now.fmr >= now.fnmr) return crossing(before, now);
    before = now;
  }
}

function total({ weights }: Weighted): number {
  return weights.reduce((sum, weight) => sum + weight, 0);
}

function crossing(before: ErrorRates, after: ErrorRates): number {
  const gap = before.fnmr - before.fmr;
  const share = gap / (gap + after.fmr - after.fnmr);
  return before.fmr + share * (after.fmr - before.fmr);
}

/** @throws RangeError with a score that is not finite */
function ascending(scores: readonly number[]): Float64Array {
  if (!scores.every(Number.isFinite)) throw new RangeError('expected finite scores, got others');
  return Float64Array.from(scores).sort();
}

/** @throws as `equalErrorRates` */
export function errorRatesAt({ genuine, impostor }: Scores, threshold: number): ErrorRates {
  if (genuine.length === 0 || impostor.length === 0) {
    throw new RangeError('expected scores of both kinds, got none of one kind');
  }
  return {
    fmr: impostor.filter((score) => score <= threshold).length / impostor.length,
    fnmr: genuine.filter((score) => score > threshold).length / genuine.length,
  };
}

/** The smallest threshold, among the scores, at which FMR is at least FNMR. @throws as `equalErrorRates` */
export function equalErrorThreshold({ genuine, impostor }: Scores): number {
  return operatingPoints({ genuine, impostor }).find(({ fmr, fnmr }) => fmr >= fnmr)!.threshold;
}

/** FMR and FNMR at every score, by ascending threshold: the points of a DET curve. @throws as `equalErrorRates` */
export function operatingPoints({ genuine, impostor }: Scores): OperatingPoint[] {
  if (genuine.length === 0 || impostor.length === 0) {
    throw new RangeError('expected scores of both kinds, got none of one kind');
  }
  const [own, others] = [ascending(genuine), ascending(impostor)];
  const thresholds = new Set(Float64Array.from([...own, ...others]).sort());
  let [g, i] = [0, 0];
  return [...thresholds].map((threshold) => {
    while (g < own.length && own[g]! <= threshold) g += 1;
    while (i < others.length && others[i]! <= threshold) i += 1;
    return { threshold, fmr: i / others.length, fnmr: 1 - g / own.length };
  });
}
