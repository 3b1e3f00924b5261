/**
 * The piecewise mechanism: a bounded number in, a bounded number out, likelier within an interval around the true one.
 *
 * Wang et al., "Collecting and analyzing multidimensional data with local differential privacy" (ICDE 2019), algorithm 2. With e = exp(ε/2) and
 * C = (e + 1)/(e − 1) the output for t in [−1, 1] lies in [−C, C]; its density is p on [l, l + C − 1], l = (C + 1) t/2 − (C − 1)/2, and p/exp(ε)
 * elsewhere. Densities of two inputs thus differ by a factor of at most exp(ε): (ε, 0), locally. The mean of the output is t.
 */

import type { RealDraws } from '../random/real.ts';

/** @param epsilon positive and finite */
export function piecewise(epsilon: number) {
  const e = Math.exp(epsilon / 2);
  const bound = (e + 1) / Math.expm1(epsilon / 2);
  const [width, inside] = [bound - 1, e / (e + 1)];
  /** Where the interval of high density begins for t in [−1, 1]. */
  const lowOf = (t: number): number => ((bound + 1) * t - (bound - 1)) / 2;
  return {
    /** Largest output. */
    bound,
    /** The width of the interval of high density. */
    width,
    /** Probability of that interval, whatever t. */
    inside,
    lowOf,
    draw: (draws: RealDraws, t: number): number => {
      const low = lowOf(t);
      if (draws.uniform() < inside) return low + width * draws.uniform();
      // The rest has length bound + 1, in two parts.
      const at = -bound + (bound + 1) * draws.uniform();
      return at < low ? at : at + width;
    },
  };
}
