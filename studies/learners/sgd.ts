/**
 * Stochastic gradient descent with per-row clipping and Gaussian noise (Abadi et al., "Deep learning with differential privacy", 2016).
 *
 * Promise: (ε, δ) for a row, with its label, that is added or removed, of all parameters that ever were.
 *
 * Proof note. In each of T steps every row is in the lot with probability q, on its own (Poisson: what renyi.ts is proved for). The gradient of each row
 * of the lot is scaled down to length C where it is longer, so that a row adds at most C to their sum; N(0, σ²C²) is added to every entry, and σ is
 * the least for which T steps keep (ε, δ). What happens to the noisy sum is post-processing: it is divided by the public `lot`, about what a lot has,
 * never by the number that it had. Start and order come without a look at rows.
 */
import type { RandomSource } from '@eigenveil/privacy';
import { checkCount, checkPositive, invalid } from '@eigenveil/privacy/parts';
import type { Budget } from '../privacy/methods/stage.ts';
import { RealDraws } from '../privacy/random/real.ts';
import { largestAt } from './forests.ts';
import type { Model } from './models.ts';
import { noiseOfSteps } from './renyi.ts';

interface Descent extends Budget {
  readonly steps: number;
  /** q in (0, 1]. */
  readonly rate: number;
  /** The public number that the sum of gradients is divided by. */
  readonly lot: number;
  /** C; Infinity clips nothing, and is for ε = Infinity alone. */
  readonly clippingNorm: number;
  readonly learningRate: number;
}

/**
 * @returns the parameters at the end, and the class of the largest score with the mean of those after each step's second half
 * @throws ERR_DP_PARAMETER for a setting out of range
 */
export function privateDescent(
  source: RandomSource,
  rows: readonly (readonly number[])[],
  labels: readonly number[],
  model: Model,
  setting: Descent,
): { readonly last: Float64Array; readonly predict: (row: readonly number[]) => number } {
  const { steps, rate, lot, clippingNorm, learningRate, epsilon } = setting;
  checkCount('steps', steps, 1);
  checkPositive('lot', lot);
  checkPositive('learningRate', learningRate);
  if (epsilon !== Infinity) checkPositive('clippingNorm', clippingNorm);
  else if (!(clippingNorm > 0)) throw invalid('clippingNorm', 'a number > 0 or Infinity', clippingNorm);
  if (labels.length !== rows.length) throw invalid('labels', `${rows.length}, one a row`, labels.length);
  const noise = noiseOfSteps(setting, setting);
  const deviation = noise === 0 ? 0 : noise * clippingNorm;
  const last = model.start(source);
  const draws = new RealDraws(source);
  const mean = new Float64Array(last.length);
  const gradient = new Float64Array(last.length);
  const sum = new Float64Array(last.length);
  const from = Math.floor(steps / 2);
  for (let step = 0; step < steps; step += 1) {
    sum.fill(0);
    for (let row = 0; row < rows.length; row += 1) {
      if (rate < 1 && draws.uniform() >= rate) continue;
      model.gradient(last, rows[row]!, labels[row]!, gradient);
      addClipped(sum, gradient, clippingNorm);
    }
    for (let i = 0; i < last.length; i += 1) {
      const noisy = deviation === 0 ? sum[i]! : sum[i]! + deviation * draws.normal();
      last[i]! -= (learningRate * noisy) / lot;
      if (step >= from) mean[i]! += last[i]! / (steps - from);
    }
  }
  return { last, predict: (row) => largestAt(model.scores(mean, row)) };
}

function addClipped(sum: Float64Array, gradient: Float64Array, clippingNorm: number): void {
  let square = 0;
  for (let i = 0; i < gradient.length; i += 1) square += gradient[i]! ** 2;
  const factor = Math.min(1, clippingNorm / Math.sqrt(square));
  // A gradient of zeros has no direction: 0 · NaN would spread.
  if (square === 0) return;
  for (let i = 0; i < gradient.length; i += 1) sum[i]! += factor * gradient[i]!;
}
