/**
 * Symmetric noise for a d × d matrix of second moments Σ x xᵀ: its upper triangle is drawn and mirrored, or it is Wishart, which keeps such a
 * matrix positive semidefinite. Over real numbers, for published methods (see random/real.ts).
 *
 * Proof note. The lower triangle repeats the upper one, so to release the matrix is to release d(d + 1)/2 numbers. For rows with
 * ‖x‖₂ <= 1, clipped before anything is summed:
 *
 * - adding or removing x changes the triangle by the entries x_i x_j, i <= j. Their L2 norm is at most that of the whole matrix
 *   x xᵀ, ‖x‖₂² <= 1, and equal to it for a unit vector along an axis. Their L1 norm is (‖x‖₁² + ‖x‖₂²)/2 <= (d + 1)/2, as
 *   ‖x‖₁ <= √d ‖x‖₂, with equality for all entries alike.
 * - replacing x by y changes it by the difference. ‖x xᵀ − y yᵀ‖² = ‖x‖⁴ + ‖y‖⁴ − 2 (x·y)² <= 2 in the Frobenius norm, so √2 in L2,
 *   reached by two axes. For L1 the triangle inequality gives d + 1.
 *
 * With these, Gaussian noise of calibration/gaussian.ts is (ε, δ)-private (Dwork, Talwar, Thakurta and Zhang, "Analyze Gauss", 2014,
 * there with the classic σ) and Laplace noise is (ε, 0)-private. For Σ x xᵀ/n with a public n, divide noise and all by n.
 */

import type { RandomSource } from '@eigenveil/privacy';
import { checkCount, checkScale, type Neighbours } from '@eigenveil/privacy/parts';
import { dot, fromUpperTriangle, squareOf } from '../methods/matrix.ts';
import { RealDraws } from '../random/real.ts';
import { checkWishart } from './wishart-calibration.ts';

/**
 * Sensitivities of the upper triangle of Σ x xᵀ, diagonal included, for rows of d numbers with ‖x‖₂ <= 1; rounded up.
 * @throws ERR_DP_PARAMETER unless d is an integer >= 1
 */
export function secondMomentSensitivity(
  dimension: number,
  neighbours: Neighbours,
): { readonly l1: number; readonly l2: number } {
  checkCount('dimension', dimension, 1);
  if (neighbours === 'replace') return { l1: dimension + 1, l2: Math.SQRT2 * (1 + Number.EPSILON) };
  return { l1: (dimension + 1) / 2, l2: 1 };
}

/**
 * d × d, with N(0, σ²) on and above the diagonal.
 * @throws ERR_DP_PARAMETER unless d is an integer >= 1 and σ finite and >= 0
 */
export function symmetricGaussianNoise(
  source: RandomSource,
  dimension: number,
  { sigma }: { readonly sigma: number },
): number[][] {
  const draws = new RealDraws(source);
  return mirrored(dimension, { sigma }, () => draws.normal());
}

/**
 * d × d, with Laplace noise of scale b on and above the diagonal.
 * @throws ERR_DP_PARAMETER unless d is an integer >= 1 and b finite and >= 0
 */
export function symmetricLaplaceNoise(
  source: RandomSource,
  dimension: number,
  { scale }: { readonly scale: number },
): number[][] {
  const draws = new RealDraws(source);
  return mirrored(dimension, { scale }, () => draws.laplace());
}

/** @param by the factor of what is drawn, under its name */
function mirrored(dimension: number, by: Readonly<Record<string, number>>, draw: () => number): number[][] {
  const [[name, factor]] = Object.entries(by) as [[string, number]];
  checkScale(name, factor);
  checkCount('dimension', dimension, 1);
  const entries = Array.from({ length: (dimension * (dimension + 1)) / 2 }, () =>
    factor === 0 ? 0 : factor * draw(),
  );
  return fromUpperTriangle(entries, dimension);
}

/**
 * d × d, Wishart with k degrees of freedom and scale matrix sI, so of mean s k I; by Bartlett's decomposition s L Lᵀ, where L is lower
 * triangular with N(0, 1) below the diagonal and roots of chi-squares of k, k − 1, … degrees of freedom on it. Its proof, and why the
 * published calibration with d + 1 degrees of freedom is not private, stand in wishart-calibration.ts.
 * @throws ERR_DP_PARAMETER unless d >= 1, k >= d + 1 and s is finite and >= 0
 */
export function wishartNoise(
  source: RandomSource,
  dimension: number,
  { degreesOfFreedom, scale }: { readonly degreesOfFreedom: number; readonly scale: number },
): number[][] {
  checkWishart(dimension, degreesOfFreedom);
  checkScale('scale', scale);
  const draws = new RealDraws(source);
  const L = squareOf(dimension, (i, j) => {
    if (i === j) return Math.sqrt(2 * draws.gamma((degreesOfFreedom - i) / 2));
    return j < i ? draws.normal() : 0;
  });
  return squareOf(dimension, (i, j) => (scale === 0 ? 0 : scale * dot(L[i]!, L[j]!)));
}
