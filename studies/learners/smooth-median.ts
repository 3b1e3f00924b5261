/**
 * The median with noise of its smooth sensitivity (Nissim, Raskhodnikova and Smith, "Smooth sensitivity and sampling in private data
 * analysis", 2007).
 *
 * Promise: that of its noise, (ε, 0) unless another is asked for, for one of n values that is replaced by another of [0, Λ]; n is odd and public.
 *
 * Proof note. With x_0 = 0 and x_{n+1} = Λ around the values in order, m = (n + 1)/2, the sensitivity at distance k is
 * A(k) = max over t = 0 … k + 1 of x_{m+t} − x_{m+t−k−1}, and S = max over k of e^{−βk} A(k), that is the largest
 * (x_j − x_i) e^{−β(j−i−1)} over i <= m <= j, i < j: e^β-smooth, and never below the local sensitivity. What lies beyond the ends adds nothing:
 * i = 0 has the least exponent of all that are at 0.
 *
 * The median moves by S at most, and S by a factor e^β: what the noise has to bear, and what each noise promises, is in smooth-noise.ts.
 *
 * S in O(n log n), by Orshanskiy's J-list: if a later j is better for some i, it is so for i + 1, as both differences lose x_{i+1} − x_i, of which e^{−βj}
 * leaves the later j less. So the best j of each i never falls as i grows, and each half of the i needs only its part of the j.
 */
import type { RandomSource } from '@eigenveil/privacy';
import { checkEpsilon, checkPositive, checkScale, invalid } from '@eigenveil/privacy/parts';
import { RealDraws } from '../privacy/random/real.ts';
import { SMOOTH_NOISES, type SmoothNoise } from './smooth-noise.ts';

/** Relative, of products of exponentials. */
const ROUNDING = 1e-12;

/**
 * S, rounded up, in the units of the values.
 * @param beta β >= 0, how slowly it changes
 * @throws ERR_DP_PARAMETER unless there is an odd number of values, all in [0, Λ], and Λ is finite and positive
 */
export function smoothSensitivityOfMedian(
  values: readonly number[],
  { largest, beta }: { readonly largest: number; readonly beta: number },
): number {
  checkValues(values, largest);
  checkScale('beta', beta);
  const x = [0, ...values.toSorted((a, b) => a - b), largest];
  const m = (values.length + 1) / 2;
  const at = (i: number, j: number) => (x[j]! - x[i]!) * Math.exp(-beta * (j - i - 1));
  let best = 0;
  // The middle i looks at all j that are left; those below it then need none behind its best, those above none before it.
  const search = (low: number, high: number, from: number, to: number): void => {
    if (low > high) return;
    const i = (low + high) >> 1;
    let bestJ = Math.max(from, i + 1);
    for (let j = bestJ + 1; j <= to; j += 1) if (at(i, j) >= at(i, bestJ)) bestJ = j;
    best = Math.max(best, at(i, bestJ));
    search(low, i - 1, from, bestJ);
    search(i + 1, high, bestJ, to);
  };
  search(0, m, m, values.length + 1);
  return best * (1 + ROUNDING);
}

/** ε, and δ where the noise needs one. */
export interface Noisy {
  readonly epsilon: number;
  readonly dpDelta?: number;
  /** The tighter one with (ε, 0), unless another is asked for. */
  readonly noise?: SmoothNoise;
}

/**
 * @param values an odd number of them; what lies beyond [0, Λ] counts as its nearer end
 * @returns the noisy median, which may lie beyond [0, Λ]; the median itself for ε = Infinity
 * @throws as `smoothSensitivityOfMedian`, and as the noise admits a budget
 */
export function privateMedian(
  source: RandomSource,
  values: readonly number[],
  { largest, epsilon, dpDelta = 0, noise = SMOOTH_NOISES.derived }: Noisy & { readonly largest: number },
): number {
  checkEpsilon(epsilon);
  const inside = values.map((value) => Math.min(largest, Math.max(0, value)));
  checkValues(inside, largest);
  const median = inside.toSorted((a, b) => a - b)[(inside.length - 1) / 2]!;
  if (epsilon === Infinity) return median;
  const { beta, factor } = noise.admits({ epsilon, dpDelta });
  const scale = factor * smoothSensitivityOfMedian(inside, { largest, beta });
  return median + scale * noise.draw(new RealDraws(source));
}

function checkValues(values: readonly number[], largest: number): void {
  checkPositive('largest', largest);
  if (values.length % 2 !== 1) throw invalid('values', 'an odd number of them', values.length);
  if (!values.every((value) => value >= 0 && value <= largest)) {
    throw invalid('values', `numbers in [0, ${largest}]`, 'another');
  }
}
