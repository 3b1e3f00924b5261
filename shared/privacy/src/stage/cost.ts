/**
 * Tells what the result of a task costs the rows that it is computed from, in whichever relation of
 * neighbours a budget is kept.
 *
 * Proof notes.
 * - ρ. Noise of servers, and of the CSP, is rounded from a discrete Gaussian on a lattice, which is ρ-zCDP
 *   for ρ = Σ (change_i/σ_i)²/2 (Canonne, Kamath and Steinke 2020, theorem 4; a lattice that all changes lie
 *   on, and rounding is post-processing): at most 1/(2σ²) for the least σ, in sensitivities, that gives (ε,
 *   δ). The noise of owners is made for the ρ that gives (ε, δ) (stage/noise-plan.ts). Pure ε, of histograms
 *   with discrete Laplace noise, is ε²/2-zCDP (Bun and Steinke 2016, proposition 1.4).
 * - From `add-remove` to `replace`. Data sets that differ in one row's content are two steps apart: one row
 *   less, then one more. So (ε, δ) gives (2ε, (1 + e^ε) δ), and ρ-zCDP gives 4ρ (Bun and Steinke 2016,
 *   proposition 1.9). There is no way back: a count that takes no noise under `replace` tells a row that is
 *   missing.
 */
import { calibrateRoundedGaussian } from '../calibration/rounded-gaussian.ts';
import { rhoOfBudget } from '../calibration/zcdp.ts';
import { invalid, type Neighbours } from '../parameters.ts';
import type { PrivacySetting } from './setting.ts';

/** Two guarantees, both of which are true of the result: (ε, δ), and ρ-zCDP. */
export interface TaskCost {
  readonly epsilon: number;
  /** 1 where nothing is left of it. */
  readonly dpDelta: number;
  readonly rhoZcdp: number;
}

/**
 * @param neighbours the relation in which the cost is told
 * @throws ERR_DP_PARAMETER for a guarantee of `replace` that is asked for in `add-remove`, or that is out of
 *   range
 */
export function costOfTask(
  {
    epsilon,
    delta,
    noise,
    neighbours: own,
  }: Pick<PrivacySetting, 'epsilon' | 'delta' | 'noise' | 'neighbours'>,
  neighbours: Neighbours,
): TaskCost {
  if (own === 'replace' && neighbours === 'add-remove')
    throw invalid('neighbours', 'add-remove, which no guarantee of replace amounts to', own);
  const budget = { epsilon, dpDelta: delta };
  const rhoZcdp =
    delta === 0
      ? epsilon ** 2 / 2
      : noise === 'owners'
        ? rhoOfBudget(budget)
        : 1 / (2 * calibrateRoundedGaussian({ sensitivity: 1, ...budget }) ** 2);
  return own === neighbours ? { ...budget, rhoZcdp } : { ...replacing(budget), rhoZcdp: 4 * rhoZcdp };
}

/** Returns what a guarantee of `add-remove` amounts to in `replace`. */
export function replacing({ epsilon, dpDelta }: { readonly epsilon: number; readonly dpDelta: number }) {
  return { epsilon: 2 * epsilon, dpDelta: Math.min(1, (1 + Math.exp(epsilon)) * dpDelta) };
}
