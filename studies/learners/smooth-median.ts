/**
 * The median under (ε, 0), with noise of its smooth sensitivity (Nissim, Raskhodnikova and Smith, "Smooth sensitivity and sampling in private data
 * analysis", 2007).
 *
 * Promise: (ε, 0) for one of n values that is replaced by another of [0, Λ]; n is odd and public.
 *
 * Proof note. With x_0 = 0 and x_{n+1} = Λ around the values in order, m = (n + 1)/2, the sensitivity at distance k is
 * A(k) = max over t = 0 … k + 1 of x_{m+t} − x_{m+t−k−1}, and S = max over k of e^{−βk} A(k), that is the largest
 * (x_j − x_i) e^{−β(j−i−1)} over i <= m <= j, i < j: e^β-smooth, and never below the local sensitivity. What lies beyond the ends adds nothing:
 * i = 0 has the least exponent of all that are at 0.
 *
 * Noise sZ with density h(z) = (√2/π)/(1 + z⁴), γ = 4 of that paper. |d ln h/dz| = 4|z|³/(1 + z⁴) is at most 3^{3/4}, at z⁴ = 3: a shift by S costs
 * 3^{3/4} S/s. Stretching by e^λ, |λ| <= β, changes ln(e^λ h(e^λ z)) by |λ| |1 − 4z⁴/(1 + z⁴)| <= 3β. With β = ε/6 and s = 2 · 3^{3/4} S/ε both are ε/2.
 * The paper's β = ε/(2(γ + 1)) and s = 2(γ + 1)S/ε hold as well, with 4.6 against 10 S/ε of noise and a larger S: the same argument, less tight.
 *
 * S in O(n log n), by Orshanskiy's J-list: if a later j is better for some i, it is so for i + 1, as both differences lose x_{i+1} − x_i, of which e^{−βj}
 * leaves the later j less. So the best j of each i never falls as i grows, and each half of the i needs only its part of the j.
 */
import type { RandomSource } from '@eigenveil/privacy';
import { checkEpsilon, checkPositive, checkScale, invalid } from '@eigenveil/privacy/parts';
import { RealDraws } from '../privacy/random/real.ts';

/** 3^{3/4}, rounded up. */
const STEEPEST = 2.279508;
/** Relative, of products of exponentials. */
const ROUNDING = 1e-12;
/** The largest (1 + z²)/(1 + z⁴), at z² = √2 − 1. */
const CAUCHY_BOUND = (1 + Math.SQRT2) / 2;

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

/** How smooth S must be for an ε, and how much noise it takes. */
export function admissible(epsilon: number): { readonly beta: number; readonly factor: number } {
  checkEpsilon(epsilon);
  return { beta: epsilon / 6, factor: (2 * STEEPEST) / epsilon };
}

/**
 * @param values an odd number of them; what lies beyond [0, Λ] counts as its nearer end
 * @returns the noisy median, which may lie beyond [0, Λ]; the median itself for ε = Infinity
 * @throws as `smoothSensitivityOfMedian`, and unless ε > 0
 */
export function privateMedian(
  source: RandomSource,
  values: readonly number[],
  { largest, epsilon }: { readonly largest: number; readonly epsilon: number },
): number {
  checkEpsilon(epsilon);
  const inside = values.map((value) => Math.min(largest, Math.max(0, value)));
  checkValues(inside, largest);
  const median = inside.toSorted((a, b) => a - b)[(inside.length - 1) / 2]!;
  if (epsilon === Infinity) return median;
  const { beta, factor } = admissible(epsilon);
  return (
    median + factor * smoothSensitivityOfMedian(inside, { largest, beta }) * quartic(new RealDraws(source))
  );
}

/** Density (√2/π)/(1 + z⁴), out of Cauchy's by rejection. */
export function quartic(draws: RealDraws): number {
  for (;;) {
    const z = Math.tan(Math.PI * (draws.uniform() - 0.5));
    if (draws.uniform() * CAUCHY_BOUND <= (1 + z * z) / (1 + z ** 4)) return z;
  }
}

function checkValues(values: readonly number[], largest: number): void {
  checkPositive('largest', largest);
  if (values.length % 2 !== 1) throw invalid('values', 'an odd number of them', values.length);
  if (!values.every((value) => value >= 0 && value <= largest)) {
    throw invalid('values', `numbers in [0, ${largest}]`, 'another');
  }
}
