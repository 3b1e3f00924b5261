/**
 * The piecewise mechanism: a bounded number in, a bounded number out, likelier within an interval around the true one.
 *
 * Wang et al., "Collecting and analyzing multidimensional data with local differential privacy" (ICDE 2019), algorithm 2. With e = exp(ε/2) and
 * C = (e + 1)/(e − 1) the output for t in [−1, 1] lies in [−C, C]; its density is p on [l, l + C − 1], l = (C + 1) t/2 − (C − 1)/2, and p/exp(ε)
 * elsewhere. Densities of two inputs thus differ by a factor of at most exp(ε): (ε, 0), locally. The mean of the output is t.
 */

import type { RealDraws } from '../random/real.ts';

interface Piecewise {
  /** Largest output. */
  readonly bound: number;
  /** The width of the interval of high density. */
  readonly width: number;
  /** Probability of that interval, whatever t. */
  readonly inside: number;
}

/** ε > 0 and finite. */
export function piecewise(epsilon: number): Piecewise {
  const e = Math.exp(epsilon / 2);
  const bound = (e + 1) / Math.expm1(epsilon / 2);
  return { bound, width: bound - 1, inside: e / (e + 1) };
}

/** Where the interval of high density begins for t in [−1, 1]. */
export function piecewiseLow({ bound }: Piecewise, t: number): number {
  return ((bound + 1) * t - (bound - 1)) / 2;
}

export function drawPiecewise(draws: RealDraws, mechanism: Piecewise, t: number): number {
  const { bound, width, inside } = mechanism;
  const low = piecewiseLow(mechanism, t);
  if (draws.uniform() < inside) return low + width * draws.uniform();
  // The rest has length bound + 1, in two parts.
  const at = -bound + (bound + 1) * draws.uniform();
  return at < low ? at : at + width;
}
