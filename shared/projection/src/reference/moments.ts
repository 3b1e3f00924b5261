/**
 * Computes what follows from sums with noise for differential privacy: the number of rows, and of the features
 * the means, variances, covariances and correlations, with intervals. Post-processing: no row is looked at.
 *
 * Each interval holds by itself with a probability of at least CONFIDENCE for the clipped and rounded rows,
 * whatever these are; docs/moments.md proves it ("Intervals"). In short: Q rows have the sums V = Q m and R = Q
 * (c + m mᵀ), and opened are Q + q, V + T and R + N. With S_ij = R_ij − m_i V_j − m_j V_i + m_i m_j Q of what is
 * opened, and for ρ = c_ij/(s_i s_j) and r = s_j/s_i,
 *
 *   V_i − m_i Q                     = T_i − m_i q
 *   S_ii − c_ii Q                   = N_ii − 2 m_i T_i + (m_i² − c_ii) q
 *   S_ij − (ρ/2)(r S_ii + S_jj/r)   = N_ij − (ρ/2)(r N_ii + N_jj/r) + (ρ r m_i − m_j) T_i + (ρ m_j/r − m_i) T_j
 *                                     + (m_i m_j − (ρ/2)(r m_i² + m_j²/r)) q
 *
 * are combinations of noise alone. What they depend on besides the number in question is in boxes, four at most
 * (two means and two variances), each of which misses it with a probability of at most 0.001.
 */
import type { ResultOf } from '@eigenveil/methods';
import { noisePlanOf, placesOf, type StatisticsTask } from '@eigenveil/task';
import { symmetricEigen } from './eigen.ts';

/** A box misses its number with probability 0.001: that of a normal number beyond this. */
const BOX = 3.2906;
/** A normal number is beyond this with probability 0.046: what four boxes leave of 0.05. */
const REACH = 1.9955;
/** Room for the rounding of doubles. */
const SLACK = 1 + 2 ** -20;
/** Each step narrows an interval by what the one before has found; more than four change nothing. */
const STEPS = 4;
/** The last digit of a number that is told. Intervals are rounded outwards. */
export const TOLD_UNIT = 2 ** -30;
/**
 * The most by which the noise of both servers on a value differs from normal noise: each rounds to integers,
 * from a lattice that is at most as coarse.
 */
const ROUNDING = 1.5;

/** Noise on a value: normal noise of this deviation, and what rounding adds to it at most. */
export interface Noise {
  readonly deviation: number;
  readonly rounding: number;
}

/** Sums with noise, in units of features in [−1, 1]. */
export interface NoisySums {
  readonly rows: number;
  readonly sums: readonly number[];
  /** The upper triangle of R, row by row. */
  readonly products: readonly number[];
  /** The noise on entries of R on its diagonal and off it, on sums, and on the number of rows. */
  readonly noise: Readonly<Record<'diagonal' | 'off' | 'sum' | 'rows', Noise>>;
}

/** Moments of features in [−1, 1], as a result has them behind its opened sums. */
export type Moments = Omit<ResultOf<'moments'>['moments'], 'sums'>;
/** A number with noise, and the interval that the number without noise is in. */
export type Interval = Moments['rows'];

/**
 * Returns what the opened sums of a task amount to, with the noise that the task has.
 * @param opened R, V and the number of rows with both servers' noise: the flat statistics without owners
 * @throws ERR_DP_PARAMETER
 */
export function openedSums(task: StatisticsTask, opened: readonly bigint[]): NoisySums {
  const { R, labellings } = placesOf(task);
  const { V, M } = labellings[0]![0]!;
  const { deviations } = noisePlanOf(task)!;
  const unit = 2 ** -task.fractionBits;
  const scaled = ({ from, to }: typeof R, by: number) =>
    opened.slice(from, to).map((value) => Number(value) * by);
  const noise = (deviation: number, by: number): Noise => ({
    deviation: deviation * by,
    rounding: deviation === 0 ? 0 : ROUNDING * by,
  });
  return {
    rows: scaled(M, 1)[0]!,
    sums: scaled(V, unit),
    products: scaled(R, unit ** 2),
    noise: {
      diagonal: noise(deviations.R, unit ** 2),
      off: noise(deviations.R / Math.SQRT2, unit ** 2),
      sum: noise(deviations.V, unit),
      rows: noise(deviations.M, 1),
    },
  };
}

/** Returns all that follows from the sums. */
export function momentsOf(opened: NoisySums): Moments {
  const { rows, sums, noise } = opened;
  const most = reach([[1, noise.rows]]);
  const ofRows = { from: Math.max(0, Math.ceil(rows - most)), to: Math.max(0, Math.floor(rows + most)) };
  const told = {
    rows: { value: rows, ...ofRows },
    means: [],
    variances: [],
    correlations: [],
    covariances: [],
  };
  if (rows <= reach([[1, noise.rows]], BOX)) return told;
  const intervals = new Intervals(opened);
  const features = [...sums.keys()];
  const covariance = nearestSemidefinite(
    features.map((i) => features.map((j) => intervals.scatter(i, j) / rows)),
  );
  const correlation = (i: number, j: number): Interval | null => {
    const interval = intervals.correlation(i, j);
    const scale = Math.sqrt(covariance[i]![i]! * covariance[j]![j]!);
    return interval === undefined ? null : tell(clamp(covariance[i]![j]! / scale, SIGNED), interval);
  };
  return {
    ...told,
    means: features.map((i) => tell(clamp(sums[i]! / rows, SIGNED), intervals.mean(i))),
    variances: features.map((i) => tell(covariance[i]![i]!, intervals.variance(i))),
    correlations: features.flatMap((i) => features.slice(i + 1).map((j) => correlation(i, j))),
    covariances: features.flatMap((i) => features.slice(i).map((j) => cut(covariance[i]![j]!))),
  };
}

type Range = readonly [from: number, to: number];
const SIGNED: Range = [-1, 1];

/** The intervals of means, variances and correlations. The number of rows is positive. */
class Intervals {
  readonly #opened: NoisySums;
  readonly #means: readonly number[];
  readonly #boxes: readonly Range[];
  readonly #variances: readonly Range[];

  constructor(opened: NoisySums) {
    this.#opened = opened;
    this.#means = opened.sums.map((sum) => sum / opened.rows);
    this.#boxes = opened.sums.map((_, i) => this.mean(i, BOX));
    this.#variances = opened.sums.map((_, i) => this.variance(i, BOX));
  }

  /** The scatter of the opened sums about their own means. */
  scatter(i: number, j: number): number {
    const { products, sums } = this.#opened;
    const [first, second] = i <= j ? [i, j] : [j, i];
    const at = first * sums.length - (first * (first - 1)) / 2 + (second - first);
    return products[at]! - sums[i]! * this.#means[j]!;
  }

  mean(i: number, deviations?: number): Range {
    const { rows, sums, noise } = this.#opened;
    return narrowed(SIGNED, (mean) => {
      const most = reach(
        [
          [1, noise.sum],
          [largest(mean), noise.rows],
        ],
        deviations,
      );
      return [(sums[i]! - most) / rows, (sums[i]! + most) / rows];
    });
  }

  variance(i: number, deviations?: number): Range {
    const { rows, noise } = this.#opened;
    const mean = largest(this.#boxes[i]!);
    const [least, most] = this.#scatters(i, i);
    return narrowed([0, 1], (variance) => {
      const ofRows = Math.max(mean ** 2, largest(variance));
      const noises = reach(
        [
          [1, noise.diagonal],
          [2 * mean, noise.sum],
          [ofRows, noise.rows],
        ],
        deviations,
      );
      return [(least - noises) / rows, (most + noises) / rows];
    });
  }

  /** Undefined where a variance may be 0. */
  correlation(i: number, j: number): Range | undefined {
    const { noise } = this.#opened;
    const [[leastI, mostI], [leastJ, mostJ]] = [this.#variances[i]!, this.#variances[j]!];
    if (leastI <= 0 || leastJ <= 0) return undefined;
    const ratio: Range = [Math.sqrt(leastJ / mostI), Math.sqrt(mostJ / leastI)];
    const inverse: Range = [1 / ratio[1], 1 / ratio[0]];
    const [mi, mj] = [this.#boxes[i]!, this.#boxes[j]!];
    const cross = product(mi, mj);
    const squares = sum(product(ratio, square(mi)), product(inverse, square(mj)));
    const [least, most] = this.#scatters(i, j);
    return narrowed(SIGNED, (rho) => {
      const half = product(rho, [0.5, 0.5]);
      const noises = reach([
        [1, noise.off],
        [largest(half) * ratio[1], noise.diagonal],
        [largest(half) * inverse[1], noise.diagonal],
        [largest(difference(mj, product(rho, product(ratio, mi)))), noise.sum],
        [largest(difference(mi, product(rho, product(inverse, mj)))), noise.sum],
        [largest(difference(cross, product(half, squares))), noise.rows],
      ]);
      return quotient([least - noises, most + noises], this.#halfSum(i, j, ratio));
    });
  }

  /** (r S_ii + S_jj/r)/2 over an interval of r, on which it is convex. */
  #halfSum(i: number, j: number, [from, to]: Range): Range {
    const [[leastI, mostI], [leastJ, mostJ]] = [this.#scatters(i, i), this.#scatters(j, j)];
    const lowest = clamp(Math.sqrt(leastJ / leastI), [from, to]);
    const most = Math.max(from * mostI + mostJ / from, to * mostI + mostJ / to);
    return [(lowest * leastI + leastJ / lowest) / 2, most / 2];
  }

  /** S_ij for all means in their boxes: the scatter about the own means, and Q (m_i − V_i/Q)(m_j − V_j/Q). */
  #scatters(i: number, j: number): Range {
    const scatter = this.scatter(i, j);
    const most = this.#opened.rows * this.#distance(i) * this.#distance(j) * SLACK;
    return [i === j ? scatter : scatter - most, scatter + most];
  }

  /** The largest distance of a mean in its box from that of the opened sums. */
  #distance(i: number): number {
    const [from, to] = this.#boxes[i]!;
    return largest([this.#means[i]! - from, this.#means[i]! - to]);
  }
}

/** No sum of these multiples of noises is larger, except with the probability that goes with the deviations. */
function reach(noises: readonly (readonly [factor: number, noise: Noise])[], deviations = REACH): number {
  const variance = noises.reduce((sum, [factor, noise]) => sum + (factor * noise.deviation) ** 2, 0);
  const rounding = noises.reduce((sum, [factor, noise]) => sum + Math.abs(factor) * noise.rounding, 0);
  return (deviations * Math.sqrt(variance) + rounding) * SLACK;
}

/**
 * The part of an interval that is left when the bounds that follow from it are followed again and again: a
 * number that keeps to them is in all of these.
 */
function narrowed(whole: Range, bounds: (within: Range) => Range): Range {
  let within = whole;
  for (let step = 0; step < STEPS; step += 1) {
    const [from, to] = bounds(within);
    within = [clamp(from, within), clamp(to, within)];
  }
  return within;
}

/**
 * Returns the nearest positive semidefinite matrix in the Frobenius norm: negative eigenvalues become 0
 * (Higham, "Computing a nearest symmetric positive semidefinite matrix", 1988). It is as near to every such
 * matrix as the given one is, or nearer, since they are a convex set. Noise on R is alike in all directions of
 * this norm.
 */
export function nearestSemidefinite(matrix: readonly (readonly number[])[]): number[][] {
  const { values, vectors } = symmetricEigen(matrix);
  const negative = values.flatMap((value, k) => (value < 0 ? [{ value, vector: vectors[k]! }] : []));
  return matrix.map((row, i) =>
    row.map((entry, j) => {
      const near = negative.reduce((sum, { value, vector }) => sum - value * vector[i]! * vector[j]!, entry);
      return i === j ? Math.max(0, near) : near;
    }),
  );
}

/** An interval reaches to its value, where the nearest matrix has moved that out of it. */
function tell(value: number, [from, to]: Range): Interval {
  const near = cut(value);
  return {
    value: near,
    from: Math.floor(Math.min(from, near) / TOLD_UNIT) * TOLD_UNIT + 0,
    to: Math.ceil(Math.max(to, near) / TOLD_UNIT) * TOLD_UNIT + 0,
  };
}

const cut = (value: number): number => Math.round(value / TOLD_UNIT) * TOLD_UNIT + 0; // no −0
const clamp = (value: number, [from, to]: Range): number => Math.min(to, Math.max(from, value));
const largest = ([from, to]: Range): number => Math.max(Math.abs(from), Math.abs(to));
const sum = ([a, b]: Range, [c, d]: Range): Range => [a + c, b + d];
const difference = ([a, b]: Range, [c, d]: Range): Range => [a - d, b - c];

function product([a, b]: Range, [c, d]: Range): Range {
  const corners = [a * c, a * d, b * c, b * d];
  return [Math.min(...corners), Math.max(...corners)];
}

function square(interval: Range): Range {
  const [from, to] = interval;
  return [from <= 0 && to >= 0 ? 0 : Math.min(from ** 2, to ** 2), largest(interval) ** 2];
}

/** The divisor is positive. */
function quotient([from, to]: Range, [least, most]: Range): Range {
  return [from / (from < 0 ? least : most), to / (to < 0 ? most : least)];
}
