/**
 * The share of the rows' variance that the components of a PCA have, computed from the result alone. Under
 * differential privacy eigenvalue over trace tells too much, since leading eigenvalues of a noisy matrix are
 * too large on average: here is an estimate without that bias, and its interval. docs/privacy.md derives both
 * ("How much of the variance components have").
 */
import { isPrincipal, methodOf } from '@eigenveil/methods';
import { noiseNorm, noisePlanOf } from '@eigenveil/task';
import type { ClaimedProjection } from '../claims/claimed.ts';

/**
 * A part of the whole variance, from 0 to 1. Without noise all three are equal; with noise the interval
 * reaches two deviations to both sides.
 */
export interface ShareOfVariance {
  readonly share: number;
  readonly from: number;
  readonly to: number;
}

/**
 * The reason why a share is unknown: the task did not declare the mean, on which the noise depends; nobody
 * knows how many owners added noise; an eigenvalue is no larger than the noise; or the interval is wider than
 * a fifth of the whole.
 */
export type Untold = 'mean' | 'owners' | 'noise' | 'wide';

export interface ExplainedVariance {
  /** The share of each component by itself. */
  readonly each: readonly (ShareOfVariance | Untold)[];
  /** The share of each component together with those before it: the last one is of all components. */
  readonly together: readonly (ShareOfVariance | Untold)[];
}

type Result = Pick<
  ClaimedProjection,
  | 'method'
  | 'features'
  | 'fractionBits'
  | 'differentialPrivacy'
  | 'vectors'
  | 'eigenvalues'
  | 'mean'
  | 'trace'
  | 'spectrum'
>;

/**
 * An interval reaches this number of deviations to each side: the truth is within in about 95 of 100 results.
 */
const DEVIATIONS = 2;
/** An interval that is wider tells nothing. */
const WIDEST = 0.2;

/**
 * Returns the share of the variance of a PCA's rows (under differential privacy: as they were clipped) that
 * each component has, and the components together; undefined for other methods, whose eigenvalues are no
 * variances, and where the task declared neither trace nor spectrum.
 * @param owners how many contributed, as the CSP has verified: where owners add the noise, the result has one
 * part of it from each
 * @throws ERR_DP_PARAMETER
 * @example
 * import { explainedVariance } from '@eigenveil/projection';
 *
 * const told = explainedVariance(projection, 12);
 * const all = told?.together.at(-1); // of all components: { share, from, to }, or why it cannot be told
 */
export function explainedVariance(result: Result, owners: number | null): ExplainedVariance | undefined {
  if (!isPrincipal(methodOf(result))) return undefined;
  const { eigenvalues } = result;
  const whole = wholeVariance(result);
  if (whole === undefined) return undefined;
  const tell = tellerOf(result, whole, owners);
  return {
    each: eigenvalues.map((_, j) => tell(j, j + 1)),
    together: eigenvalues.map((_, j) => tell(0, j + 1)),
  };
}

/**
 * The trace of what a PCA decomposed, or as much by its spectrum; undefined where the task declared neither.
 */
export const wholeVariance = ({ trace, spectrum }: Pick<Result, 'trace' | 'spectrum'>): number | undefined =>
  trace ?? spectrum?.reduce((sum, value) => sum + value, 0);

/** Tells the share of the components from `from` up to, and without, `to`. */
type Teller = (from: number, to: number) => ShareOfVariance | Untold;

function tellerOf(result: Result, whole: number, owners: number | null): Teller {
  const { eigenvalues, differentialPrivacy: setting, mean } = result;
  const sumOf = (from: number, to: number) =>
    eigenvalues.slice(from, to).reduce((sum, value) => sum + value, 0);
  if (!setting)
    return (from, to) => {
      const share = whole === 0 ? 0 : sumOf(from, to) / whole;
      return { share, from: share, to: share };
    };
  if (mean === undefined) return () => 'mean';
  if (setting.noise === 'owners' && owners === null) return () => 'owners';
  const task = { ...result, labellings: [], maximumOwners: owners ?? 1 };
  const noise = new KnownNoise(result, mean, whole, noisePlanOf(task)!.deviations);
  const norm = noiseNorm(task, Math.hypot(...mean))!;
  return (from, to) => {
    if (eigenvalues[to - 1]! < norm) return 'noise';
    const { bias, variance } = noise.of(from, to, sumOf(from, to) / whole);
    const share = (sumOf(from, to) - bias) / whole;
    const reach = (DEVIATIONS * Math.sqrt(variance)) / whole;
    if (!(whole > 0 && 2 * reach <= WIDEST)) return 'wide';
    return { share: withinOne(share), from: withinOne(share - reach), to: withinOne(share + reach) };
  };
}

function withinOne(part: number): number {
  return Math.min(1, Math.max(0, part));
}

/** Sums of 1/(λ_a − λ_b) and of its square over eigenvalues λ_b. */
interface Gaps {
  readonly first: number;
  readonly second: number;
}

/**
 * The effect of Gaussian noise of known deviations on the variance along noisy eigenvectors, by Stein's
 * identity.
 */
class KnownNoise {
  readonly #eigenvalues: readonly number[];
  readonly #features: number;
  /** c_a²: squared cosines of the vectors with the mean; and those of each other eigenvector, on average. */
  readonly #cosines: readonly number[];
  readonly #cosineOfRest: number;
  /** The gaps of each component over the eigenvalues without vectors. */
  readonly #rest: readonly Gaps[];
  /**
   * Variances of what an orthogonal pair of unit vectors finds of the noise: s², and ‖μ‖² v² and ‖μ‖⁴ m² as
   * parts of the mean's direction.
   */
  readonly #products: number;
  readonly #sums: number;
  readonly #counts: number;

  constructor(
    { vectors, eigenvalues, spectrum, features, fractionBits }: Result,
    mean: readonly number[],
    whole: number,
    deviations: { readonly R: number; readonly V: number; readonly M: number },
  ) {
    const unit = 2 ** -fractionBits;
    const length = Math.hypot(...mean);
    this.#products = (deviations.R * unit ** 2) ** 2 / 2;
    this.#sums = (length * deviations.V * unit) ** 2;
    this.#counts = (length ** 2 * deviations.M) ** 2;
    this.#eigenvalues = eigenvalues;
    this.#features = features.length;
    this.#cosines = vectors.map((vector) =>
      length === 0 ? 0 : (vector.reduce((sum, entry, i) => sum + entry * mean[i]!, 0) / length) ** 2,
    );
    const others = features.length - eigenvalues.length;
    const left = Math.max(0, 1 - this.#cosines.reduce((sum, cosine) => sum + cosine, 0));
    this.#cosineOfRest = others === 0 ? 0 : left / others;
    const beyond = spectrum?.slice(eigenvalues.length);
    const middle = (whole - eigenvalues.reduce((sum, value) => sum + value, 0)) / others;
    this.#rest = eigenvalues.map((value) =>
      beyond === undefined
        ? gapsToSemicircle(value - middle, others, this.#products)
        : gapsTo(beyond.map((other) => value - other)),
    );
  }

  /**
   * The amount by which the eigenvalues of these components are too large together, and the variance of what
   * that leaves, over a trace that is noisy, too.
   */
  of(from: number, to: number, share: number): { readonly bias: number; readonly variance: number } {
    const isIn = (a: number) => a >= from && a < to;
    const inside = this.#eigenvalues.map((_, a) => a).filter(isIn);
    const outside = this.#eigenvalues.map((_, a) => a).filter((a) => !isIn(a));
    let [bias, variance] = [0, this.#varianceAlong(inside, share)];
    const add = (pair: number, { first, second }: Gaps) => {
      bias += 2 * pair * first;
      variance += 4 * pair ** 2 * second;
    };
    for (const a of inside) {
      for (const b of outside)
        add(
          this.#pair(this.#cosines[a]!, this.#cosines[b]!),
          gapsTo([this.#eigenvalues[a]! - this.#eigenvalues[b]!]),
        );
      add(this.#pair(this.#cosines[a]!, this.#cosineOfRest), this.#rest[a]!);
    }
    return { bias, variance };
  }

  /**
   * The variance of what noise adds between two orthogonal unit vectors with these squared cosines with the
   * mean.
   */
  #pair(a: number, b: number): number {
    return this.#products + this.#sums * (a + b) + this.#counts * a * b;
  }

  /**
   * The variance of what noise adds along the components, and of the share that it adds to the trace. Both
   * grow together, which would take a part off again; that part is left for what the estimate does not know,
   * as the spread of eigenvalues beyond the noise.
   */
  #varianceAlong(components: readonly number[], share: number): number {
    const within = components.reduce((sum, a) => sum + this.#cosines[a]!, 0);
    const square = share ** 2;
    return (
      2 * this.#products * (components.length + square * this.#features) +
      4 * this.#sums * (within + square) +
      this.#counts * (within ** 2 + square)
    );
  }
}

function gapsTo(gaps: readonly number[]): Gaps {
  return {
    first: gaps.reduce((sum, gap) => sum + 1 / gap, 0),
    second: gaps.reduce((sum, gap) => sum + 1 / gap ** 2, 0),
  };
}

/**
 * Over eigenvalues that only their number and their mean are known of: as Wigner's semicircle of the noise
 * alone spreads them, at this distance from its middle.
 */
function gapsToSemicircle(distance: number, count: number, products: number): Gaps {
  if (count === 0) return { first: 0, second: 0 };
  const square = 4 * products * count;
  if (distance ** 2 <= square) return { first: Infinity, second: Infinity };
  const root = Math.sqrt(distance ** 2 - square);
  return {
    first: (2 * count * (distance - root)) / square,
    second: (2 * count * (distance / root - 1)) / square,
  };
}
