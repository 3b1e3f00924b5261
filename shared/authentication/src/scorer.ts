/** How strange a window is to a template: three distances that are the same in every frame. */
import { AuthenticationError } from './errors.ts';
import { traceOf } from './moments.ts';
import { shrunkSpread, type Template } from './template.ts';
import { checkWindow } from './window.ts';

/**
 * - `euclidean`: ‖x − m‖.
 * - `mahalanobis`: √((x − m)ᵀ W⁻¹ (x − m)), W the shrunk spread.
 * - `cosine`: 1 − the cosine of the angle between x and m. It looks at directions from the origin: a translation of the frame changes it,
 *   and it tells little where the mean is near the origin.
 */
export type ScoreKind = 'euclidean' | 'mahalanobis' | 'cosine';

/** For one session: what scoring takes is computed once from the template. */
export class Scorer {
  readonly kind: ScoreKind;
  /** The user's own unit: about the distance that windows of the template's user have (its root mean square; for cosine, its mean). */
  readonly expected: number;
  readonly #mean: Float64Array;
  /** Mahalanobis: rows of L⁻¹, lower triangle, where W = L Lᵀ. */
  readonly #whitening: Float64Array;
  readonly #offset: Float64Array;
  readonly #meanLength: number;

  constructor(template: Template, kind: ScoreKind) {
    this.kind = kind;
    this.#mean = template.mean;
    this.#offset = new Float64Array(template.mean.length);
    this.#meanLength = Math.hypot(...template.mean);
    this.#whitening = kind === 'mahalanobis' ? whitening(template) : new Float64Array();
    this.expected = this.#expected(template);
  }

  /**
   * The distance in the user's own unit: about 1 for windows like those of the template, larger is stranger. The bare distance is
   * this times `expected`.
   * @throws ERR_WINDOW_INVALID as checkWindow says
   */
  score(window: Float64Array): number {
    checkWindow(window, this.#mean.length);
    return this.#distance(window) / this.expected;
  }

  #distance(window: Float64Array): number {
    switch (this.kind) {
      case 'euclidean':
        return Math.sqrt(this.#squaredEuclidean(window));
      case 'mahalanobis':
        return Math.sqrt(this.#squaredMahalanobis(window));
      case 'cosine':
        return this.#cosine(window);
    }
  }

  #squaredEuclidean(window: Float64Array): number {
    const mean = this.#mean;
    let sum = 0;
    for (let i = 0; i < mean.length; i += 1) sum += (window[i]! - mean[i]!) ** 2;
    return sum;
  }

  #squaredMahalanobis(window: Float64Array): number {
    const [mean, offset, rows] = [this.#mean, this.#offset, this.#whitening];
    const k = mean.length;
    let sum = 0;
    for (let i = 0, at = 0; i < k; i += 1) {
      offset[i] = window[i]! - mean[i]!;
      let entry = 0;
      for (let j = 0; j <= i; j += 1, at += 1) entry += rows[at]! * offset[j]!;
      sum += entry * entry;
    }
    return sum;
  }

  /** Of two unit vectors 1 − cos = ‖a − b‖²/2, which is exact also for small angles. A window at the origin has no direction: 1. */
  #cosine(window: Float64Array): number {
    const mean = this.#mean;
    const k = mean.length;
    let squares = 0;
    for (let i = 0; i < k; i += 1) squares += window[i]! ** 2;
    if (squares === 0 || this.#meanLength === 0) return 1;
    const length = Math.sqrt(squares);
    let sum = 0;
    for (let i = 0; i < k; i += 1) sum += (window[i]! / length - mean[i]! / this.#meanLength) ** 2;
    return sum / 2;
  }

  /** From the template alone, and never 0. A new window varies, and so does the mean of n others: hence 1 + 1/n. */
  #expected(template: Template): number {
    const k = template.mean.length;
    const shrunk = shrunkSpread(template);
    const more = 1 + 1 / template.count;
    switch (this.kind) {
      case 'euclidean':
        return Math.sqrt(more * traceOf(shrunk, k));
      case 'mahalanobis':
        return Math.sqrt(more * k);
      case 'cosine': {
        // Spread across the mean's direction; t / 2‖m‖² for small spreads, and 1 for large ones.
        const length = this.#meanLength ** 2;
        const along = length === 0 ? 0 : quadratic(shrunk, template.mean) / length;
        const across = more * (traceOf(shrunk, k) - along);
        return Math.max(across / (2 * length + across), Number.EPSILON);
      }
    }
  }
}

/** vᵀ T v of the symmetric matrix with this upper triangle. */
function quadratic(triangle: Float64Array, v: Float64Array): number {
  let sum = 0;
  for (let i = 0, at = 0; i < v.length; i += 1)
    for (let j = i; j < v.length; j += 1, at += 1) sum += (i === j ? 1 : 2) * triangle[at]! * v[i]! * v[j]!;
  return sum;
}

/** L⁻¹ of the shrunk spread L Lᵀ (Cholesky), lower triangle row by row. */
function whitening(template: Template): Float64Array {
  const k = template.mean.length;
  const L = cholesky(shrunkSpread(template), k);
  const inverse = new Float64Array(L.length);
  for (let column = 0; column < k; column += 1) {
    for (let row = column; row < k; row += 1) {
      let sum = row === column ? 1 : 0;
      for (let j = column; j < row; j += 1) sum -= L[lower(row, j)]! * inverse[lower(j, column)]!;
      inverse[lower(row, column)] = sum / L[lower(row, row)]!;
    }
  }
  return inverse;
}

/** The place of (row, column), column <= row, in a lower triangle row by row. */
function lower(row: number, column: number): number {
  return (row * (row + 1)) / 2 + column;
}

/** Lower triangle L with L Lᵀ the symmetric matrix with this upper triangle, both row by row. */
function cholesky(triangle: Float64Array, k: number): Float64Array {
  const L = new Float64Array(triangle.length);
  // Row i of the upper triangle is column i of the lower one.
  for (let column = 0, at = 0; column < k; column += 1) {
    for (let row = column; row < k; row += 1, at += 1) {
      let sum = triangle[at]!;
      for (let j = 0; j < column; j += 1) sum -= L[lower(row, j)]! * L[lower(column, j)]!;
      if (row > column) L[lower(row, column)] = sum / L[lower(column, column)]!;
      else if (sum > 0) L[lower(row, row)] = Math.sqrt(sum);
      else
        throw new AuthenticationError(
          'ERR_TEMPLATE_INVALID',
          'the spread of the template is not that of windows: enrol the user again',
        );
    }
  }
  return L;
}
