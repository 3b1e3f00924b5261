/**
 * Symmetric noise for a d × d matrix of second moments Σ x xᵀ: the upper triangle is drawn and mirrored. Over real numbers, for
 * published methods (see random/real.ts).
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
import { RealDraws } from '../random/real.ts';

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
  checkScale('sigma', sigma);
  const draws = new RealDraws(source);
  return mirrored(dimension, () => (sigma === 0 ? 0 : sigma * draws.normal()));
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
  checkScale('scale', scale);
  const draws = new RealDraws(source);
  return mirrored(dimension, () => (scale === 0 ? 0 : scale * draws.laplace()));
}

function mirrored(dimension: number, draw: () => number): number[][] {
  checkCount('dimension', dimension, 1);
  const matrix = Array.from({ length: dimension }, () => new Array<number>(dimension).fill(0));
  for (let i = 0; i < dimension; i++) {
    for (let j = i; j < dimension; j++) {
      matrix[i]![j] = draw();
      matrix[j]![i] = matrix[i]![j]!;
    }
  }
  return matrix;
}
