/**
 * A privacy budget that cannot be overspent: basic, advanced and zero-concentrated composition.
 *
 * Proof notes. All three bounds hold for mechanisms and costs that are chosen by looking at the outputs
 * before, as long as no cost is allowed that would pass the budget:
 *
 * - basic: (εᵢ, δᵢ) compose to (Σεᵢ, Σδᵢ) (Dwork and Roth 2014, theorem 3.16; costs that depend on outputs:
 *   Rogers, Roth, Ullman and Vadhan, "Privacy odometers and filters", 2016).
 * - advanced: they compose to (√(2 ln(1/δ′) Σεᵢ²) + Σ εᵢ (e^εᵢ − 1), Σδᵢ + δ′) for any δ′ > 0 (Dwork,
 *   Rothblum and Vadhan, "Boosting and differential privacy", 2010, theorem III.3, there for equal εᵢ;
 *   Azuma's inequality bounds steps of unequal size alike). Costs that depend on outputs: Whitehouse, Ramdas,
 *   Rogers and Wu, "Fully-adaptive composition in differential privacy", 2023, with ½Σεᵢ² as second term,
 *   which is smaller than the one used here.
 * - zcdp: ρᵢ-zCDP compose to Σρᵢ (Bun and Steinke 2016, lemma 1.7; costs that depend on outputs: Feldman and
 *   Zrnic, "Individual privacy accounting via a Rényi filter", 2021); (ε, 0) is ε²/2-zCDP (Bun and Steinke,
 *   proposition 1.4). The sum is compared with the ρ that the budget's (ε, δ) allows (calibration/zcdp.ts).
 */

import { CodedError } from '@eigenveil/platform';
import { epsilonOfZcdp, rhoOfBudget } from './calibration/zcdp.ts';
import { PRIVACY_CODES } from './codes.ts';
import { checkDelta, checkEpsilon, checkPositive, invalid } from './parameters.ts';

/**
 * ε in (0, Infinity]. Basic: δ in [0, 1). Advanced: 0 < slack <= δ < 1, where slack is δ′. zCDP: δ in (0, 1).
 */
export type PrivacyBudget =
  | { readonly composition: 'basic'; readonly epsilon: number; readonly dpDelta: number }
  | {
      readonly composition: 'advanced';
      readonly epsilon: number;
      readonly dpDelta: number;
      readonly slack: number;
    }
  | { readonly composition: 'zcdp'; readonly epsilon: number; readonly dpDelta: number };

/** The cost of one mechanism: (ε, δ), δ in [0, 1) and 0 unless said; or ρ of zCDP. */
export type PrivacyCost =
  | { readonly epsilon: number; readonly dpDelta?: number }
  | { readonly rhoZcdp: number };

/** Sums of doubles are off by this part of themselves at most; three tenths must fit into 0.3. */
const SUM_ROUNDING = 1e-12;

interface Totals {
  readonly epsilon: number;
  readonly epsilonSquared: number;
  /** Σ εᵢ (e^εᵢ − 1). */
  readonly drift: number;
  readonly dpDelta: number;
  readonly rhoZcdp: number;
}

/**
 * @example
 * import { BudgetAccountant } from '@eigenveil/privacy';
 *
 * const accountant = new BudgetAccountant({ composition: 'basic', epsilon: 1, dpDelta: 1e-6 });
 * accountant.spend({ epsilon: 0.75 }); // another 0.75 would throw
 * accountant.spent(); // → { epsilon: 0.75, dpDelta: 0 }
 */
export class BudgetAccountant {
  readonly #budget: PrivacyBudget;
  /** The ρ that the budget allows, for zCDP. */
  readonly #rhoZcdp: number;
  #totals: Totals = { epsilon: 0, epsilonSquared: 0, drift: 0, dpDelta: 0, rhoZcdp: 0 };

  /** @throws ERR_DP_PARAMETER for a budget out of range */
  constructor(budget: PrivacyBudget) {
    checkEpsilon(budget.epsilon);
    if (budget.composition === 'basic') checkDeltaOrZero(budget.dpDelta);
    else checkDelta(budget.dpDelta);
    if (budget.composition === 'advanced' && !(budget.slack > 0 && budget.slack <= budget.dpDelta)) {
      throw invalid('slack', `a number in (0, ${budget.dpDelta}], the budget's delta`, budget.slack);
    }
    this.#budget = { ...budget };
    this.#rhoZcdp = budget.composition === 'zcdp' ? rhoOfBudget(budget) : 0;
  }

  /**
   * Call before the data are touched: throws where `spend` would, and records nothing.
   * @throws ERR_BUDGET_EXHAUSTED when the cost does not fit, ERR_DP_PARAMETER when it is out of range or of a
   *   kind that this composition cannot add
   */
  check(cost: PrivacyCost): void {
    const totals = this.#with(cost);
    if (!this.#fits(totals)) {
      const { epsilon, dpDelta } = this.#budget;
      const would = this.#spent(totals);
      throw new CodedError(
        PRIVACY_CODES.ERR_BUDGET_EXHAUSTED,
        `budget expected at most epsilon ${epsilon} with delta ${dpDelta}, got ${would.epsilon} with ${would.dpDelta}`,
      );
    }
  }

  /**
   * Call once per noise drawn.
   * @throws as `check`, and then records nothing
   */
  spend(cost: PrivacyCost): void {
    this.check(cost);
    this.#totals = this.#with(cost);
  }

  /** Returns what everything spent so far adds up to, as (ε, δ). Before the first cost ε is 0. */
  spent(): { readonly epsilon: number; readonly dpDelta: number } {
    return this.#spent(this.#totals);
  }

  #with(cost: PrivacyCost): Totals {
    const { composition } = this.#budget;
    if ('rhoZcdp' in cost) {
      if (composition !== 'zcdp')
        throw invalid('cost', `epsilon and delta for ${composition} composition`, 'rho of zCDP');
      checkPositive('rhoZcdp', cost.rhoZcdp);
      return { ...this.#totals, rhoZcdp: this.#totals.rhoZcdp + cost.rhoZcdp };
    }
    const { epsilon, dpDelta = 0 } = cost;
    checkEpsilon(epsilon);
    checkDeltaOrZero(dpDelta);
    if (composition === 'zcdp' && dpDelta > 0)
      throw invalid('dpDelta', '0 or a cost as rho for zcdp composition', dpDelta);
    return {
      epsilon: this.#totals.epsilon + epsilon,
      epsilonSquared: this.#totals.epsilonSquared + epsilon ** 2,
      drift: this.#totals.drift + epsilon * Math.expm1(epsilon),
      dpDelta: this.#totals.dpDelta + dpDelta,
      rhoZcdp: this.#totals.rhoZcdp + epsilon ** 2 / 2,
    };
  }

  #fits(totals: Totals): boolean {
    if (this.#budget.composition === 'zcdp') return totals.rhoZcdp <= this.#rhoZcdp * (1 + SUM_ROUNDING);
    const { epsilon, dpDelta } = this.#spent(totals);
    return (
      epsilon <= this.#budget.epsilon * (1 + SUM_ROUNDING) &&
      dpDelta <= this.#budget.dpDelta * (1 + SUM_ROUNDING)
    );
  }

  #spent(totals: Totals): { readonly epsilon: number; readonly dpDelta: number } {
    const budget = this.#budget;
    if (budget.composition === 'basic') return { epsilon: totals.epsilon, dpDelta: totals.dpDelta };
    if (budget.composition === 'advanced') {
      if (totals.epsilon === 0) return { epsilon: 0, dpDelta: 0 };
      const deviation = Math.sqrt(2 * Math.log(1 / budget.slack) * totals.epsilonSquared);
      return { epsilon: deviation + totals.drift, dpDelta: totals.dpDelta + budget.slack };
    }
    if (totals.rhoZcdp === 0) return { epsilon: 0, dpDelta: 0 };
    const { dpDelta } = budget;
    return {
      epsilon: totals.rhoZcdp === Infinity ? Infinity : epsilonOfZcdp(totals.rhoZcdp, dpDelta),
      dpDelta,
    };
  }
}

function checkDeltaOrZero(dpDelta: number): void {
  if (dpDelta !== 0) checkDelta(dpDelta);
}
