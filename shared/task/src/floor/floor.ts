/**
 * The floor: noise of both servers under the release of every task that is not exact, so that whole numbers
 * tell no more than real ones. docs/floor.md derives it.
 */
import { type Feature, methodOf } from '@eigenveil/methods';
import type { IntegerList } from '@eigenveil/platform';
import { noisePlanOf } from '../noise.ts';
import { placesOf } from '../values/places.ts';
import { collectsR, type StatisticsTask, summedClasses } from '../values/statistics-task.ts';

/**
 * No number that is released or opened has more bits where a task has a floor: the least noise is at least
 * 2^24 units of what is computed with.
 */
export const RELEASED_BITS = 24;
/**
 * The bits of pencils by `rotated`, which opens a matrix and a signal with this number of bits: with fewer
 * their noise matrix would have to be better conditioned than it is.
 */
export const ROTATED_PENCIL_BITS = 36;
/**
 * A least eigenvalue of the noise is above −φ√2·(2√d + 7.5), in products of grains, except with probability
 * 2^−40, 2^−39 of two features and 2^−36.6 of one.
 */
const RIDGE_DEVIATIONS = 7.5;
/** A feature without variance has more than this on the diagonal once in 30,000 times. */
const VARIANCE_DEVIATIONS = 4;
/** A mean is released with at most this number of fraction bits. */
const MEAN_BITS = 14;
/** No noise is larger than this number of deviations, except with probability 2^−90. */
export const FLOOR_REACH = 11.3;

/**
 * Fraction bits to which released numbers are cut in units of features in [−1, 1]. What is in no such units
 * (vectors and weights, eigenvalues of a pencil or of a correlation matrix) is cut to 2^−RELEASED_BITS of the
 * largest number of its kind.
 */
export interface ReleasedFraction {
  /**
   * The grain of the trace and of eigenvalues of an undivided scatter: an eighth of the deviation of both
   * servers' noise on the coarsest entry.
   */
  readonly scatter: number;
  /** The grain of a variance: an eighth of that noise over the most rows. */
  readonly variances: number;
  /** The grain of a mean and an intercept: all numbers of rows fit one that is cut so. */
  readonly mean: number;
}

export interface Floor {
  /**
   * φ = 0.5·√releases: the deviation of one server's noise on an entry of the scatter off its diagonal, in
   * products of grains, and on a sum of rows, in grains.
   */
  readonly deviation: number;
  /** Spacing of each feature's values, scaled to [−1, 1]; 0 of one that does not vary. */
  readonly grains: readonly number[];
  /**
   * Fraction bits of cells as servers compute with them: `R` is shifted by twice, `V` by once as many as are
   * more than the task's.
   */
  readonly fractionBits: number;
  /** Fraction bits of the noised sums of rows that are released, and that S_B is made of. */
  readonly sumFractionBits: number;
  /**
   * The numbers, one per feature, that are added to the diagonal of a matrix that must be positive definite,
   * in units of features in [−1, 1].
   */
  readonly ridge: readonly number[];
  /** Eigenvalues up to this are noise of both servers, in units of features in [−1, 1]. */
  readonly norm: number;
  /**
   * Thresholds, one per feature: an undivided variance up to this, on the diagonal of the scatter, is noise
   * of both servers and counts as none.
   */
  readonly leastVariances: readonly number[];
  readonly released: ReleasedFraction;
}

/** The part of a task that its floor is a function of. */
export type FlooredTask = Pick<
  StatisticsTask,
  | 'method'
  | 'features'
  | 'labellings'
  | 'fractionBits'
  | 'maximumOwners'
  | 'maximumSamplesPerOwner'
  | 'differentialPrivacy'
  | 'exact'
  | 'releases'
  | 'twoParty'
  | 'sketch'
>;

/**
 * The floor of a task; undefined where it is exact, of histograms, and where both servers' noise for
 * differential privacy is at least as large.
 * @throws ERR_DP_PARAMETER
 */
export function floorOf(task: FlooredTask): Floor | undefined {
  if (isExact(task) || !takesFloor(task)) return undefined;
  const { features, fractionBits, sketch } = task;
  const deviation = floorDeviation(task);
  const grains = features.map((feature) => grainOf(feature, fractionBits));
  const varying = grains.filter((grain) => grain > 0);
  const [least, most] = [Math.min(1, ...varying), Math.max(0, ...varying)];
  if (task.differentialPrivacy?.noise === 'servers' && privacyDeviation(task) >= deviation) return undefined;
  const bits = openedBits(task);
  // The opened part of a sketch has a flood that hides its units, whatever the noise in them is:
  // docs/spec/rotated-floor.md.
  const extra = (deviationInUnits: number) =>
    sketch === undefined ? Math.max(0, bits - Math.log2(deviationInUnits)) : 0;
  const d = features.length;
  const ridge = deviation * Math.SQRT2 * (2 * Math.sqrt(d) + RIDGE_DEVIATIONS);
  return {
    deviation,
    grains,
    fractionBits: fractionBits + Math.ceil(extra(deviation * least ** 2 * 4 ** fractionBits) / 2),
    sumFractionBits: fractionBits + Math.ceil(extra(deviation * least * 2 ** fractionBits)),
    ridge: grains.map((grain) => ridge * grain ** 2),
    norm: deviation * Math.SQRT2 * 2 * Math.sqrt(d) * most ** 2,
    leastVariances: grains.map((grain) => VARIANCE_DEVIATIONS * 2 * deviation * grain ** 2),
    released: releasedFraction(deviation * Math.SQRT2 * most ** 2, task),
  };
}

/**
 * Twice the largest ridge, in units of R as servers compute with it: with that on its diagonal a scatter with
 * both servers' noise is positive semidefinite, except with probability 2^−104. With noise off the diagonal
 * of deviation ς it has no eigenvalue below −ς(2√d + t) except with probability exp(−t²/4), and here t is at
 * least 17.
 */
export function raiseOf(floor: Pick<Floor, 'ridge' | 'fractionBits'> | undefined): bigint {
  return floor ? BigInt(Math.ceil(2 * Math.max(...floor.ridge) * 4 ** floor.fractionBits)) : 0n;
}

/** Returns the fraction bits of the finest number that is opened. */
function openedBits(task: FlooredTask): number {
  return task.twoParty === 'rotated' && methodOf(task).decomposes === 'pencil'
    ? ROTATED_PENCIL_BITS
    : RELEASED_BITS;
}

/** @param noise deviation of both servers' noise on the coarsest entry off the diagonal */
function releasedFraction(noise: number, task: FlooredTask): ReleasedFraction {
  const worth = (least: number) => Math.min(RELEASED_BITS, Math.max(0, Math.ceil(-Math.log2(least / 8))));
  return {
    scatter: worth(noise),
    variances: worth(noise / (task.maximumOwners * task.maximumSamplesPerOwner)),
    mean: Math.min(MEAN_BITS, task.fractionBits),
  };
}

/** Returns the value as it is released with this number of fraction bits. */
export function cutTo(value: number, fractionBits: number): number {
  return Math.round(value * 2 ** fractionBits) / 2 ** fractionBits + 0; // no −0
}

/**
 * Returns whether a result is computed without a floor, as it is from statistics alone. Histograms have noise
 * of their own.
 */
export function isExact(task: Pick<StatisticsTask, 'method' | 'sketch' | 'exact'>): boolean {
  return task.exact !== false && takesFloor(task);
}

/**
 * Returns whether what a task sums takes a floor, or noise for differential privacy that is as large: sums of
 * rows do, and counts of histograms do not.
 */
export function takesFloor(task: Pick<StatisticsTask, 'method' | 'sketch'>): boolean {
  const { isLinear, weights } = methodOf(task);
  return !isLinear || weights !== undefined;
}

/**
 * The spacing of a feature's values, scaled to [−1, 1]: at least a cell, at most the whole range, and 0 where
 * it does not vary. A grain that is not declared is a cell.
 */
export function grainOf({ min, max, grain = 'cell' }: Feature, fractionBits: number): number {
  if (min === max) return 0;
  const cell = 2 ** -fractionBits;
  // Clipping leaves no values further apart than the ends of the range.
  return grain === 'cell' ? cell : Math.min(2, Math.max(cell, (2 * grain) / (max - min)));
}

/** φ of the floor: 0.5·√releases. */
export function floorDeviation({ releases = 1 }: Pick<StatisticsTask, 'releases'>): number {
  return 0.5 * Math.sqrt(releases);
}

/**
 * Returns the φ of a floor that would be as large as the task's noise for differential privacy, with features
 * as coarse as these: of one server's noise, or of that of the owners who are relied on. It is 0 where there
 * is none, and where the CSP alone adds it, which knows it.
 * @throws ERR_DP_PARAMETER
 */
export function privacyDeviation(task: FlooredTask): number {
  const plan = noisePlanOf(task);
  if (plan === undefined || task.differentialPrivacy?.noise === 'csp') return 0;
  const draws = task.differentialPrivacy?.honestOwners ?? 1;
  const { offDiagonal, variances } = plan;
  const deviation = ({ numerator, denominator }: typeof offDiagonal) =>
    Math.sqrt((draws * Number(numerator)) / Number(denominator));
  const grain = Math.max(0, ...task.features.map((feature) => grainOf(feature, task.fractionBits)));
  const cells = grain * 2 ** task.fractionBits;
  const ofSums = deviation(variances.V) / cells;
  return collectsR(task) ? Math.min(ofSums, deviation(offDiagonal) / cells ** 2) : ofSums;
}

/** Fraction bits of cells in the two-party computation. */
export function computedFractionBits(task: FlooredTask): number {
  return floorOf(task)?.fractionBits ?? task.fractionBits;
}

/**
 * Returns what the servers compute with, from flat statistics or a share of them: R and V shifted to the
 * floor's fraction bits, and behind the number of owners once more the V of every class, with
 * `sumFractionBits`, which take noise of their own. The statistics themselves where there is no floor.
 */
export function computedValues(task: StatisticsTask, values: readonly bigint[]): readonly bigint[];
export function computedValues(task: StatisticsTask, values: IntegerList): IntegerList;
export function computedValues(task: StatisticsTask, values: IntegerList): IntegerList {
  const floor = floorOf(task);
  if (floor === undefined) return values;
  const { R, labellings } = placesOf(task);
  const more = BigInt(floor.fractionBits - task.fractionBits);
  const ofSums = BigInt(floor.sumFractionBits - task.fractionBits);
  const computed = [...values];
  for (let i = R.from; i < R.to; i += 1) computed[i]! <<= 2n * more;
  for (const { V } of labellings.flat()) {
    for (let i = V.from; i < V.to; i += 1) {
      computed[i]! <<= more;
      computed.push(values.at(i)! << ofSums);
    }
  }
  return computed;
}

/**
 * Noise on entry (i, j) of the scatter is as many times larger than 1 as this: noise on the diagonal is √2
 * times that beside it.
 */
export function productOfGrains(grains: readonly number[], i: number, j: number): number {
  return grains[i]! * grains[j]! * (i === j ? Math.SQRT2 : 1);
}

/**
 * One server's deviations of its noise on `computedValues`, in their units; zeros where a value takes none.
 */
export function floorDeviations(task: StatisticsTask): number[] {
  const floor = floorOf(task);
  if (floor === undefined) return [];
  const { deviation, grains, fractionBits, sumFractionBits } = floor;
  const { R, length } = placesOf(task);
  const deviations = new Array<number>(length).fill(0);
  let next = R.from;
  for (let i = 0; next < R.to; i += 1) {
    for (let j = i; j < grains.length; j += 1, next += 1)
      deviations[next] = deviation * productOfGrains(grains, i, j) * 4 ** fractionBits;
  }
  const classes = summedClasses(task).reduce((sum, count) => sum + count, 0);
  for (let k = 0; k < classes; k += 1) {
    for (const grain of grains) deviations.push(deviation * grain * 2 ** sumFractionBits);
  }
  return deviations;
}

/**
 * Says whether a task has a floor and how large it is; undefined for histograms, which have noise of their
 * own.
 */
export function floorInWords(
  task: Parameters<typeof floorOf>[0] & Required<Pick<StatisticsTask, 'exact' | 'releases'>>,
): string | undefined {
  const { decomposes } = methodOf(task);
  if (!takesFloor(task)) return undefined;
  if (isExact(task))
    return 'no floor (exact): where values are whole numbers, the whole scatter matrix may follow from the result';
  const floor = floorOf(task);
  if (floor === undefined)
    return 'no floor besides the noise of differential privacy, which is larger than the floor would be';
  const { deviation, norm } = floor;
  const both = (deviation * Math.SQRT2).toPrecision(3);
  const largest = decomposes === 'scatter' ? `; eigenvalues up to ${norm.toPrecision(3)} are noise` : '';
  const where =
    decomposes === 'pencil' && !collectsR(task)
      ? `each sum of a class's rows (${both} grains)`
      : `each entry of the scatter matrix (${both} products of two features' grains) and to sums of rows (${both} grains)`;
  return `a floor for ${task.releases} ${task.releases === 1 ? 'release' : 'releases'} over the same rows: both servers add noise, of this standard deviation, to ${where}${largest}; owners whose values are coarser than the task says may have added more`;
}
