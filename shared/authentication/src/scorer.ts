/**
 * Tells how strange a window is to a template: a distance, set against how far the window is from everybody.
 * Both are the same in every frame that is a rotation about everybody's mean, so a device centres its windows
 * by that mean, and its frame has no translation.
 */
import { CodedError } from '@eigenveil/platform';
import { AUTHENTICATION_CODES } from './codes.ts';
import { traceOf } from './moments.ts';
import { shrunkSpread, type Template } from './template.ts';
import { checkWindow } from './window.ts';

/**
 * - `euclidean`: ‖x − m‖.
 * - `mahalanobis`: √((x − m)ᵀ W⁻¹ (x − m)), W the shrunk spread.
 * - `cosine`: 1 − the cosine of the angle between x and m. It looks at directions from the origin: a
 *   translation of the frame changes it, and it tells little where the mean is near the origin.
 */
export type ScoreKind = 'euclidean' | 'mahalanobis' | 'cosine';

/**
 * A window nearer to everybody's mean than this, squared and in the user's own unit, counts as this far: a
 * score is finite everywhere. A user whose own mean is as near as that is not told from everybody.
 */
const NEAREST = 1e-6;

/** Scores the windows of one session: what that takes is computed once from the template. */
export class Scorer {
  readonly kind: ScoreKind;
  /**
   * The user's own unit: about the distance that windows of the template's user have (its root mean square;
   * for cosine, its mean).
   */
  readonly expected: number;
  readonly #mean: Float64Array;
  readonly #meanLength: number;
  /** Mahalanobis: rows of L⁻¹, lower triangle, where W = L Lᵀ. */
  readonly #whitening: Float64Array;
  /** Mahalanobis: L⁻¹ m. */
  readonly #whitenedMean: Float64Array;
  /**
   * The distances of the window at hand, squared and bare, from the user's mean, and from everybody's, which
   * is the origin.
   */
  #fromUser = 0;
  #fromEverybody = 0;
  /** The least of the latter that counts. */
  readonly #nearest: number;

  constructor(template: Template, kind: ScoreKind) {
    this.kind = kind;
    this.#mean = template.mean;
    this.#meanLength = Math.hypot(...template.mean);
    this.#whitening = kind === 'mahalanobis' ? whitening(template) : new Float64Array();
    this.#whitenedMean = new Float64Array(kind === 'mahalanobis' ? template.mean.length : 0);
    for (let i = 0, at = 0; i < this.#whitenedMean.length; at += i + 1, i += 1)
      this.#whitenedMean[i] = this.#whitened(template.mean, i, at);
    this.expected = this.#expected(template, kind);
    // A cosine is no distance, so the Euclidean one stands in for it.
    this.#nearest = NEAREST * this.#expected(template, kind === 'cosine' ? 'euclidean' : kind) ** 2;
  }

  /**
   * (1 + r²)(1 + r²/e²), at least 1: r is the distance from the user, as `distance` has it, and r/e how many
   * times farther the window is from the user's mean than from everybody's, by the same distance (for cosine,
   * by the Euclidean one). From 2 to 4 for windows like those of the template, larger is stranger. Windows
   * that do not vary have a small r wherever they are; near everybody's mean the second factor is large all
   * the same.
   * @param window centred: everybody's mean is the origin
   * @throws ERR_WINDOW_INVALID as checkWindow says
   */
  score(window: Float64Array): number {
    const r = this.distance(window);
    return (1 + r * r) * (1 + this.#fromUser / Math.max(this.#fromEverybody, this.#nearest));
  }

  /**
   * The distance in the user's own unit: about 1 for windows like those of the template. It says nothing
   * about everybody, so a window that does not vary can be nearer than the user's own ones are. The bare
   * distance is this times `expected`.
   * @throws ERR_WINDOW_INVALID as checkWindow says
   */
  distance(window: Float64Array): number {
    checkWindow(window, this.#mean.length);
    if (this.kind === 'mahalanobis') this.#measureMahalanobis(window);
    else this.#measureEuclidean(window);
    const bare = this.kind === 'cosine' ? this.#cosine(window) : Math.sqrt(this.#fromUser);
    return bare / this.expected;
  }

  #measureEuclidean(window: Float64Array): void {
    const mean = this.#mean;
    let [user, everybody] = [0, 0];
    for (let i = 0; i < mean.length; i += 1) {
      user += (window[i]! - mean[i]!) ** 2;
      everybody += window[i]! ** 2;
    }
    this.#fromUser = user;
    this.#fromEverybody = everybody;
  }

  #measureMahalanobis(window: Float64Array): void {
    const centre = this.#whitenedMean;
    let [user, everybody] = [0, 0];
    for (let i = 0, at = 0; i < centre.length; at += i + 1, i += 1) {
      const entry = this.#whitened(window, i, at);
      user += (entry - centre[i]!) ** 2;
      everybody += entry * entry;
    }
    this.#fromUser = user;
    this.#fromEverybody = everybody;
  }

  /** Entry i of L⁻¹ times the window; row i begins at `at`. */
  #whitened(window: Float64Array, i: number, at: number): number {
    const rows = this.#whitening;
    let entry = 0;
    for (let j = 0; j <= i; j += 1) entry += rows[at + j]! * window[j]!;
    return entry;
  }

  /**
   * For two unit vectors, 1 − cos = ‖a − b‖²/2, which is exact also for small angles. A window at the origin
   * has no direction: 1.
   */
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

  /**
   * Follows from the template alone, and is never 0. A new window varies, and so does the mean of n others:
   * hence 1 + 1/n.
   */
  #expected(template: Template, kind: ScoreKind): number {
    const k = template.mean.length;
    const shrunk = shrunkSpread(template);
    const more = 1 + 1 / template.count;
    switch (kind) {
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
        throw new CodedError(
          AUTHENTICATION_CODES.ERR_TEMPLATE_INVALID,
          'the spread of the template is not that of windows: enrol the user again',
        );
    }
  }
  return L;
}
