/** The differential-privacy setting of a task, and the part of a task that its noise is a function of. */

import { LEAST_PARAMETER } from '../calibration/rounded-gaussian.ts';
import { checkCount, invalid, type Neighbours } from '../parameters.ts';
import { rationalOf } from '../rational.ts';

/**
 * The drawers of the noise: each server all of it; the CSP alone all of it; or each owner its part. With
 * `csp` nothing is promised against the CSP, which knows all noise of a result that it is shown.
 */
export type NoiseDrawers = 'servers' | 'csp' | 'owners';

export interface PrivacySetting {
  readonly epsilon: number;
  readonly delta: number;
  readonly neighbours: Neighbours;
  /** C: rows of features in [-1, 1] are scaled down to this length; √d never clips. */
  readonly clippingNorm: number;
  readonly noise: NoiseDrawers;
  /**
   * The number of owners, with `owners`, that are relied on to add their noise and to keep it to themselves;
   * null otherwise.
   */
  readonly honestOwners: number | null;
  /**
   * Consent: the features' ranges come from domain knowledge, or from a result that has a guarantee of its
   * own and that the task names. Ranges taken from the rows would be outside of the guarantee.
   */
  readonly dataIndependentRanges: true | 'rangesFrom';
}

/** w_V and w_M (sensitivity.ts). Powers of two, so that all that is computed from them is exact in doubles. */
export interface SumWeights {
  readonly V: number;
  readonly M: number;
}

export interface StageTask {
  readonly weights: SumWeights;
  /** True if R is summed. */
  readonly collectsR: boolean;
  readonly features: number;
  /** Classes that are summed apart, per labelling; one labelling of one class where all rows are alike. */
  readonly classes: readonly number[];
  readonly fractionBits: number;
  readonly maximumOwners: number;
  readonly setting: PrivacySetting;
}

const LARGEST_EPSILON = 100;
const LARGEST_DELTA = 0.01;

/** @throws ERR_DP_PARAMETER */
export function checkSetting(setting: PrivacySetting): void {
  const { epsilon, delta, neighbours, clippingNorm, noise, honestOwners, dataIndependentRanges } = setting;
  if (!(epsilon >= LEAST_PARAMETER && epsilon <= LARGEST_EPSILON)) {
    throw invalid('epsilon', `a number in [${LEAST_PARAMETER}, ${LARGEST_EPSILON}]`, epsilon);
  }
  if (!(delta >= LEAST_PARAMETER && delta <= LARGEST_DELTA)) {
    throw invalid('delta', `a number in [${LEAST_PARAMETER}, ${LARGEST_DELTA}]`, delta);
  }
  if (neighbours !== 'add-remove' && neighbours !== 'replace') {
    throw invalid('neighbours', 'add-remove or replace', neighbours);
  }
  if (!(clippingNorm > 0 && clippingNorm < Infinity)) {
    throw invalid('clippingNorm', 'a finite number > 0', clippingNorm);
  }
  if (!['servers', 'csp', 'owners'].includes(noise)) throw invalid('noise', 'servers, csp or owners', noise);
  if (noise === 'owners') checkCount('honestOwners', honestOwners ?? 0, 1);
  else if (honestOwners !== null) throw invalid('honestOwners', 'none unless owners add noise', honestOwners);
  if (dataIndependentRanges !== true && dataIndependentRanges !== 'rangesFrom') {
    throw invalid('dataIndependentRanges', 'consent, true', dataIndependentRanges);
  }
}

/**
 * √(d/3): the C that drafts take, in units of features in [−1, 1]. So long are rows, in root mean square,
 * whose features spread evenly over their ranges. A function of d alone, since one that looks at rows would
 * have to be private itself.
 * @example
 * import { defaultClippingNorm } from '@eigenveil/privacy';
 *
 * defaultClippingNorm(12); // → 2
 */
export function defaultClippingNorm(features: number): number {
  return Math.sqrt(features / 3);
}

/**
 * B² = ⌊C² 4^fractionBits⌋: the largest squared length of a clipped row of integers, exactly. At most d
 * 4^fractionBits, the length that no row exceeds.
 * @throws ERR_DP_PARAMETER when all rows would be clipped to nothing
 */
export function clippingBound({
  features,
  fractionBits,
  setting,
}: Pick<StageTask, 'features' | 'fractionBits' | 'setting'>): bigint {
  const { numerator, denominator } = rationalOf('clippingNorm', setting.clippingNorm);
  const unit = 1n << BigInt(2 * fractionBits);
  const bound = (numerator ** 2n * unit) / denominator ** 2n;
  if (bound < 1n) throw invalid('clippingNorm', `at least 2^-${fractionBits}`, setting.clippingNorm);
  const longest = BigInt(features) * unit;
  return bound < longest ? bound : longest;
}
