/**
 * Moments of windows, from sums that grow by one window at a time: what is kept of windows that nobody keeps.
 */
import { CodedError } from '@eigenveil/platform';
import { AUTHENTICATION_CODES } from './codes.ts';
import { checkDimensions, checkWindow } from './window.ts';

export interface Moments {
  /** The number of windows; after a weighted mixture, of equal ones that tell as much. */
  readonly count: number;
  /** k entries. */
  readonly mean: Float64Array;
  /** Sample covariance (divided by count − 1), upper triangle row by row: k (k + 1) / 2 entries. */
  readonly spread: Float64Array;
  /** Mean of ‖x − mean‖⁴, which the shrinkage of the spread takes. */
  readonly fourth: number;
}

/** A spread takes two. */
const FEWEST_WINDOWS = 2;

/**
 * Sums of windows about a centre, which nothing depends on but rounding: best near the windows, as a
 * template's mean is. They replace windows, and hide them only in numbers: of one or two windows they still
 * give both.
 */
export class WindowSums {
  #count = 0;
  readonly #centre: Float64Array;
  readonly #offset: Float64Array;
  /** Sums of y, y yᵀ (upper triangle), ‖y‖² y and ‖y‖⁴, y being a window less the centre. */
  readonly #first: Float64Array;
  readonly #second: Float64Array;
  readonly #third: Float64Array;
  #fourth = 0;

  constructor(centre: Float64Array) {
    const k = centre.length;
    checkDimensions(k);
    checkWindow(centre, k);
    this.#centre = Float64Array.from(centre);
    this.#offset = new Float64Array(k);
    this.#first = new Float64Array(k);
    this.#second = new Float64Array((k * (k + 1)) / 2);
    this.#third = new Float64Array(k);
  }

  get count(): number {
    return this.#count;
  }

  /** @throws ERR_WINDOW_INVALID as checkWindow says; nothing is added then */
  add(window: Float64Array): void {
    const y = this.#offset;
    const k = y.length;
    checkWindow(window, k);
    let length = 0;
    for (let i = 0; i < k; i += 1) {
      const entry = window[i]! - this.#centre[i]!;
      y[i] = entry;
      length += entry * entry;
    }
    for (let i = 0, at = 0; i < k; i += 1) {
      const entry = y[i]!;
      this.#first[i]! += entry;
      this.#third[i]! += length * entry;
      for (let j = i; j < k; j += 1, at += 1) this.#second[at]! += entry * y[j]!;
    }
    this.#fourth += length * length;
    this.#count += 1;
  }

  /** @throws ERR_TOO_FEW_WINDOWS when there are fewer than two */
  moments(): Moments {
    const n = this.#count;
    const k = this.#offset.length;
    if (n < FEWEST_WINDOWS)
      throw new CodedError(
        AUTHENTICATION_CODES.ERR_TOO_FEW_WINDOWS,
        `expected at least ${FEWEST_WINDOWS} windows, got ${n}: record more first`,
      );
    // With y the offset from the centre and e the mean of y: ‖y − e‖⁴ = (‖y‖² − 2 eᵀy + ‖e‖²)², summed term
    // by term.
    const e = this.#first.map((sum) => sum / n);
    const spread = new Float64Array(this.#second.length);
    let [trace, cross, quadratic, length] = [0, 0, 0, 0];
    for (let i = 0, at = 0; i < k; i += 1) {
      length += e[i]! * e[i]!;
      cross += e[i]! * this.#third[i]!;
      for (let j = i; j < k; j += 1, at += 1) {
        const sum = this.#second[at]!;
        if (i === j) trace += sum;
        quadratic += (i === j ? 1 : 2) * e[i]! * e[j]! * sum;
        const covariance = (sum - n * e[i]! * e[j]!) / (n - 1);
        spread[at] = i === j ? Math.max(covariance, 0) : covariance;
      }
    }
    const fourth =
      this.#fourth - 4 * cross + 2 * length * trace + 4 * quadratic - 4 * n * length ** 2 + n * length ** 2;
    return { count: n, mean: this.#centre.map((c, i) => c + e[i]!), spread, fourth: Math.max(fourth / n, 0) };
  }
}

/**
 * Moments of all these windows.
 * @throws ERR_TOO_FEW_WINDOWS when there are fewer than two; ERR_WINDOW_INVALID as checkWindow says
 */
export function momentsOf(windows: readonly Float64Array[]): Moments {
  // Without a window, there is no width either; one entry stands for it until the count is refused.
  const sums = new WindowSums(windows[0] ?? new Float64Array(1));
  for (const window of windows) sums.add(window);
  return sums.moments();
}

/** Sum of the diagonal of a triangle for k components. */
export function traceOf(triangle: Float64Array, k: number): number {
  let trace = 0;
  for (let i = 0, at = 0; i < k; at += k - i, i += 1) trace += triangle[at]!;
  return trace;
}

/** Squared Frobenius norm of the symmetric matrix with this triangle. */
export function squaredNorm(triangle: Float64Array, k: number): number {
  let sum = 0;
  for (let i = 0, at = 0; i < k; i += 1)
    for (let j = i; j < k; j += 1, at += 1) sum += (i === j ? 1 : 2) * triangle[at]! ** 2;
  return sum;
}
