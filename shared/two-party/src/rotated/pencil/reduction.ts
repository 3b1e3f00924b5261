/**
 * Reduces each discriminant method to one problem, (S_B + ρ′I) w = ν (S̄ + ρI) w, and its eigenvalue λ a
 * function of ν in [0, 1].
 *
 * - DCA: λ = ν. The book's form (S̄ + (ρ + ρ′)I) w = λ (S_W + ρI) w, with S_W = S̄ − S_B, is (S_B + ρ′I) w =
 *   (1 − 1/λ) (S̄ + (ρ + ρ′)I) w.
 * - LDA, S_B w = λ (S̄ − S_B + ρI) w: λ = ν/(1 − ν).
 * - MDR: the same with S_B of utility, and S_B of utility plus S_B of privacy in place of S̄.
 *
 * ν is at most 1, since S_B is at most S̄, as long as ρ′ is at most ρ.
 */

import type { MethodParameters } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import { PROJECTION_CODES } from '@eigenveil/projection/portable';

/** 1 − ν below this number of times the noise on ν is no distance from 0, where λ has it for a divisor. */
const LEAST_MARGIN = 2 ** 14;

interface Reduction {
  /** ρ and ρ′ of the reduced problem. */
  readonly ridge: number;
  readonly signalRidge: number;
  readonly eigenvalue: (nu: number) => number;
  /**
   * Returns whether a largest ν, with noise of about 2^−noiseExponent, leaves the method's own B positive
   * definite.
   */
  readonly isDefinite: (nu: number, noiseExponent: number) => boolean;
}

/**
 * @throws ERR_PROGRAM_INVALID for PCA, ridge and histograms, and for ρ′ < 0 or ρ′ > ρ, which `garbled`
 * computes
 */
export function reductionOf(method: MethodParameters): Reduction {
  const divides = { isDefinite: (nu: number, n: number) => 1 - nu >= LEAST_MARGIN * 2 ** -n };
  switch (method.kind) {
    case 'pca':
    case 'ridge':
    case 'histogram':
      throw new CodedError(
        PROJECTION_CODES.ERR_PROGRAM_INVALID,
        `"method" expected a pencil, got ${method.kind}`,
      );
    case 'lda':
    case 'mdr':
      return { ridge: method.ridge, signalRidge: 0, eigenvalue: (nu) => nu / (1 - nu), ...divides };
    case 'dca': {
      const { form, ridge, signalRidge } = method;
      if (signalRidge < 0 || (form === 'standard' && signalRidge > ridge)) {
        throw new CodedError(
          PROJECTION_CODES.ERR_PROGRAM_INVALID,
          `"signalRidge" expected from 0 to the ridge with the two-party protocol rotated, got ${signalRidge}: garbled computes others`,
        );
      }
      return form === 'standard'
        ? { ridge, signalRidge, eigenvalue: (nu) => nu, isDefinite: () => true }
        : { ridge: ridge + signalRidge, signalRidge, eigenvalue: (nu) => 1 / (1 - nu), ...divides };
    }
  }
}
