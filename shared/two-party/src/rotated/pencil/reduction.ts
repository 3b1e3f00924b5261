/** The one problem, (S_B + ρ′I) w = ν (S̄ + ρI) w, that `rotated` solves for every discriminant method. */
import { type MethodParameters, methodOf, type Pencil } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import { PROJECTION_CODES } from '@eigenveil/projection/portable';

/** 1 − ν below this number of times the noise on ν is no distance from 0, where λ has it for a divisor. */
const LEAST_MARGIN = 2 ** 14;

/** @throws ERR_PROGRAM_INVALID for ρ′ < 0 or ρ′ > ρ, which `garbled` computes */
export function reductionOf(task: { readonly method: MethodParameters }): Pencil {
  const { pencil, name } = methodOf(task);
  if (pencil === undefined) throw new RangeError(`"method" expected a pencil, got ${name}`);
  const { ridge, signalRidge } = pencil;
  if (signalRidge >= 0 && signalRidge <= ridge) return pencil;
  throw new CodedError(
    PROJECTION_CODES.ERR_PROGRAM_INVALID,
    `"signalRidge" expected from 0 to the ridge with the two-party protocol rotated, got ${signalRidge}: garbled computes others`,
  );
}

/**
 * Returns whether a largest ν, with noise of about 2^−noiseExponent, leaves the method's own noise matrix positive
 * definite.
 */
export function isDefinite({ divides }: Pencil, nu: number, noiseExponent: number): boolean {
  return !divides || 1 - nu >= LEAST_MARGIN * 2 ** -noiseExponent;
}
