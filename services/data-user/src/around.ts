/**
 * Ranges around a mean that an earlier task has released under differential privacy. Rows are shorter around their mean than around the middle of ranges that
 * were written down beforehand, so that they can be clipped to less and take less noise. docs/privacy.md says what both tasks promise together.
 */

import { defaultClippingNorm } from '@eigenveil/privacy';
import type { TaskProposal } from '@eigenveil/task';
import { Projection, ServiceError } from '@eigenveil/wire';
import type { z } from 'zod';

/** What is needed of an earlier task's result. Its signature was checked by who fetched it. */
export const EarlierResult = Projection.pick({
  features: true,
  mean: true,
  differentialPrivacy: true,
}).loose();
export type EarlierResult = z.infer<typeof EarlierResult>;

/**
 * The features with the earlier task's mean in the middle, and as far to both sides as the earlier range was wide: no value within that lies
 * outside of these. A mean beyond its range, which noise makes, counts as the range's end.
 * @throws ERR_TASK_INVALID unless the earlier task had differential privacy, released its mean, and had these very features
 */
export function featuresAround(
  { features: earlier, mean, differentialPrivacy }: EarlierResult,
  features: TaskProposal['features'],
): TaskProposal['features'] {
  if (differentialPrivacy === null)
    throw invalid(
      'the earlier task expected with differential privacy: a mean without it is no public centre',
    );
  if (mean === undefined) throw invalid('the earlier task expected with "mean" among its outputs');
  const before = new Map(earlier.map(({ name, min, max }, i) => [name, { min, max, at: mean[i]! }]));
  if (before.size !== features.length || !features.every(({ name }) => before.has(name)))
    throw invalid('the earlier task expected with the same features');
  return features.map((feature) => {
    const { min, max, at } = before.get(feature.name)!;
    const width = max - min;
    const centre = min + (width * (1 + Math.max(-1, Math.min(1, at)))) / 2;
    return { ...feature, min: rounded(centre - width), max: rounded(centre + width) };
  });
}

/**
 * √(d/3)/4: half of what drafts take, as rows around their mean are shorter, and half again, as features are in units of ranges of twice the width.
 */
export function clippingNormAround(features: number): number {
  return defaultClippingNorm(features) / 4;
}

/** Ranges are read by people. A range that is a little off clips a little more. */
function rounded(value: number): number {
  return Number(value.toPrecision(6));
}

function invalid(message: string): ServiceError {
  return new ServiceError('ERR_TASK_INVALID', message);
}
