/**
 * Shares one budget between two tasks over the same rows: less noise than when ε and δ are added up.
 *
 * Proof note. Let two tasks have Gaussian noise that moves neighbours at most h₁ and h₂ deviations apart, the
 * second for every result of the first, on which it may depend. Together they are (ε, δ)-differentially
 * private by the equality of gaussian.ts for h² = h₁² + h₂²: Dong, Roth and Su, "Gaussian differential
 * privacy" (2022), corollary 3.3 (μ-GDP composes adaptively to √(μ₁² + μ₂²)) and their corollary 2.13. So
 * 1/σ², for noise of σ = 1/h sensitivities, is what tasks share.
 *
 * Noise is not Gaussian but drawn on a fine lattice. The proof of rounded-gaussian.ts compares the
 * probabilities of every point on the lattice, for all D values at once; so it does for those of two tasks,
 * whose probabilities multiply, conditional ones for the second. As D is counted over both, what was left of
 * ε and δ for it is enough. It needs that both tasks have the same relation of neighbours, and noise of
 * servers or of the CSP; that of owners is accounted otherwise.
 */

import { invalid } from '../parameters.ts';
import { leastThatHolds } from './bisect.ts';
import { calibrateRoundedGaussian } from './rounded-gaussian.ts';

export interface Budget {
  readonly epsilon: number;
  readonly dpDelta: number;
}

/**
 * The share of 1/σ² that the first of two tasks gets where it releases a mean, and the second has ranges
 * around that. Chosen by measurement.
 */
export const SHARE_OF_MEAN = 0.3;
/** The digits of an ε that people read. */
const DIGITS = 4;

/**
 * The ε of a task that takes this share of 1/σ² of a budget, at the budget's δ; rounded down to four digits.
 * `share` is in (0, 1).
 * @throws ERR_DP_PARAMETER
 */
export function partOfBudget(budget: Budget, share: number): number {
  if (!(share > 0 && share < 1)) throw invalid('share', 'a number in (0, 1)', share);
  return epsilonFor(sigmaOf(budget) / Math.sqrt(share), budget.dpDelta);
}

/**
 * The ε of a second task, at the budget's δ, so that it and a first one that has spent `spent` keep the
 * budget together; rounded down to four digits.
 * @throws ERR_DP_PARAMETER where nothing is left
 * @example
 * import { partOfBudget, restOfBudget } from '@eigenveil/privacy';
 *
 * const budget = { epsilon: 1, dpDelta: 1e-6 };
 * const first = { epsilon: partOfBudget(budget, 0.3), dpDelta: 1e-6 };
 * const second = restOfBudget(budget, first); // more than 1 − first.epsilon
 */
export function restOfBudget(budget: Budget, spent: Budget): number {
  const left = 1 / sigmaOf(budget) ** 2 - 1 / sigmaOf(spent) ** 2;
  if (!(left > 0)) {
    throw invalid(
      'epsilon',
      `more for both tasks than the first one alone has spent, ${spent.epsilon}`,
      budget.epsilon,
    );
  }
  return epsilonFor(1 / Math.sqrt(left), budget.dpDelta);
}

function sigmaOf({ epsilon, dpDelta }: Budget): number {
  return calibrateRoundedGaussian({ sensitivity: 1, epsilon, dpDelta });
}

/** The largest ε with few digits whose noise is no less than σ. */
function epsilonFor(sigma: number, dpDelta: number): number {
  const most = leastThatHolds((epsilon) => sigmaOf({ epsilon, dpDelta }) <= sigma, 1);
  const unit = 10 ** (Math.floor(Math.log10(most)) + 1 - DIGITS);
  // `most` stands a little above the ε that has just σ, which the first of these is below but by a rare
  // chance.
  const candidates = [0, 1].map((less) =>
    Number(((Math.floor(most / unit) - less) * unit).toPrecision(DIGITS)),
  );
  return candidates.find((epsilon) => sigmaOf({ epsilon, dpDelta }) >= sigma)!;
}
