/**
 * A device's frame: a secret orthogonal matrix from the Haar distribution and, if asked for, a secret
 * translation, made again from 32 secret bytes. All offered scores are the same in every frame, so a device
 * that takes other bytes has another template of the same strength, and the old one is of no use.
 *
 * The matrix is made by Householder reflections (Stewart, "The efficient generation of random orthogonal
 * matrices with an application to condition estimators", SIAM Journal on Numerical Analysis 17(3), 1980). It
 * is the QR decomposition of a matrix of Gaussians with signs corrected (Mezzadri, "How to generate random
 * matrices from the classical compact groups", Notices of the AMS 54(5), 2007).
 *
 * A frame hides directions. It does not hide lengths, distances and angles between windows, and so the
 * eigenvalues of a user's spread. Whoever knows k + 1 windows of a user in both frames solves for it.
 */
import { createHash } from 'node:crypto';
import { CodedError } from '@eigenveil/platform';
import { AUTHENTICATION_CODES } from './codes.ts';
import { checkDimensions, checkWindow } from './window.ts';

export const FRAME_SEED_BYTES = 32;

/** Separates these streams from any other use of the same bytes. */
const DOMAIN = 'eigenveil authentication frame v1';

export class Frame {
  readonly dimensions: number;
  /** Row by row. */
  readonly #matrix: Float64Array;
  readonly #translation: Float64Array;

  private constructor(matrix: Float64Array, translation: Float64Array) {
    this.dimensions = translation.length;
    this.#matrix = matrix;
    this.#translation = translation;
  }

  /**
   * The frame of these bytes, always the same (to the rounding of Math.log and Math.cos).
   * @param seed 32 bytes of the system's CSPRNG, which the device keeps secret
   * @param dimensions components of a window
   * @param translation deviation of each entry of the translation, in units of reduced rows; 0 for none
   * @throws ERR_SEED_INVALID when the seed has another length; RangeError on other arguments out of range
   */
  static fromSeed(seed: Uint8Array, dimensions: number, translation = 0): Frame {
    if (seed.length !== FRAME_SEED_BYTES)
      throw new CodedError(
        AUTHENTICATION_CODES.ERR_SEED_INVALID,
        `"seed" expected ${FRAME_SEED_BYTES} secret bytes, got ${seed.length}`,
      );
    checkDimensions(dimensions);
    if (!(translation >= 0 && translation <= 1e3))
      throw new RangeError(`"translation" expected a deviation from 0 to 1000, got ${translation}`);
    const shift = normals(seed, 'translation', dimensions).map((entry) => entry * translation);
    return new Frame(haarOrthogonal(seed, dimensions), shift);
  }

  /**
   * The window in this frame: its matrix times the window, plus its translation.
   * @throws ERR_WINDOW_INVALID as checkWindow says
   */
  apply(window: Float64Array): Float64Array {
    checkWindow(window, this.dimensions);
    const k = this.dimensions;
    const moved = new Float64Array(k);
    for (let row = 0, at = 0; row < k; row += 1) {
      let sum = this.#translation[row]!;
      for (let i = 0; i < k; i += 1, at += 1) sum += this.#matrix[at]! * window[i]!;
      moved[row] = sum;
    }
    return moved;
  }
}

/**
 * Haar-distributed in O(k), row by row. Begins with ±1, and makes of Q in O(j − 1) and x, uniform on the
 * sphere in R^j, the matrix H(x)·diag(1, Q), in which the reflection H(x) has x as its first column. Q lies
 * in the last rows and columns.
 *
 * With s the sign of x_1 and u = x + s e_1, the reflection I − 2uuᵀ/uᵀu maps e_1 to −s x. H is −s times it,
 * and uᵀu/2 = 1 + |x_1| >= 1, so nothing cancels.
 */
function haarOrthogonal(seed: Uint8Array, k: number): Float64Array {
  const gaussians = normals(seed, 'matrix', (k * (k + 1)) / 2);
  const matrix = new Float64Array(k * k);
  matrix[k * k - 1] = gaussians[0]! < 0 ? -1 : 1;
  for (let j = 2, at = 1; j <= k; at += j, j += 1) {
    const x = unit(gaussians.subarray(at, at + j));
    const s = x[0]! < 0 ? -1 : 1;
    const u = Float64Array.from(x);
    u[0]! += s;
    const c = 1 + Math.abs(x[0]!);
    const corner = (k - j) * (k + 1);
    for (let column = 1; column < j; column += 1) {
      let inner = 0;
      for (let i = 1; i < j; i += 1) inner += u[i]! * matrix[corner + i * k + column]!;
      for (let i = 0; i < j; i += 1) {
        const place = corner + i * k + column;
        matrix[place] = -s * (matrix[place]! - (u[i]! * inner) / c);
      }
    }
    for (let i = 0; i < j; i += 1) matrix[corner + i * k] = x[i]!;
  }
  return matrix;
}

function unit(vector: Float64Array): Float64Array {
  const length = Math.hypot(...vector);
  return vector.map((entry) => entry / length);
}

/** Independent standard normal numbers of a stream of its own, by Box and Muller (1958) from 53 bits each. */
function normals(seed: Uint8Array, purpose: string, count: number): Float64Array {
  const pairs = Math.ceil(count / 2);
  const bytes = createHash('shake256', { outputLength: pairs * 16 })
    .update(`${DOMAIN} ${purpose}\0`)
    .update(seed)
    .digest();
  // In (0, 1], so that the logarithm is finite.
  const uniform = (at: number): number => (Number(bytes.readBigUInt64LE(8 * at) >> 11n) + 1) / 2 ** 53;
  const values = new Float64Array(2 * pairs);
  for (let i = 0; i < values.length; i += 2) {
    const radius = Math.sqrt(-2 * Math.log(uniform(i)));
    const angle = 2 * Math.PI * uniform(i + 1);
    values[i] = radius * Math.cos(angle);
    values[i + 1] = radius * Math.sin(angle);
  }
  return values.subarray(0, count);
}
