/**
 * The Laplace mechanism over real numbers, for published methods (see random/real.ts for what doubles do to the proof).
 *
 * Proof note (Dwork, McSherry, Nissim and Smith, "Calibrating noise to sensitivity in private data analysis", 2006). Let
 * ‖q(D) − q(D′)‖₁ <= Δ for all neighbours, under whichever neighbouring relation Δ was derived for: add or remove one row, or
 * replace one. At every output z the densities exp(−‖z − q(D)‖₁/b) and exp(−‖z − q(D′)‖₁/b) differ by a factor of at most
 * exp(Δ/b), which is exp(ε) for b = Δ/ε: (ε, 0)-differential privacy.
 */

import type { RandomSource } from '@eigenveil/privacy';
import { checkEpsilon, checkPositive, checkScale } from '@eigenveil/privacy/parts';
import { RealDraws } from '../random/real.ts';

/**
 * The scale b = Δ/ε, rounded up, in units of the query; 0 for ε = Infinity.
 * @throws ERR_DP_PARAMETER unless Δ is finite and positive and ε > 0
 */
export function calibrateLaplace(parameters: {
  readonly sensitivity: number;
  readonly epsilon: number;
}): number {
  const { sensitivity, epsilon } = parameters;
  checkPositive('sensitivity', sensitivity);
  checkEpsilon(epsilon);
  return (sensitivity / epsilon) * (1 + Number.EPSILON);
}

/**
 * The values with independent Laplace noise of scale b (variance 2b²), in the units of the values.
 * @throws ERR_DP_PARAMETER unless b is finite and >= 0
 */
export function laplaceMechanism(
  source: RandomSource,
  values: readonly number[],
  { scale }: { readonly scale: number },
): number[] {
  checkScale('scale', scale);
  if (scale === 0) return [...values];
  const draws = new RealDraws(source);
  return values.map((value) => value + scale * draws.laplace());
}
