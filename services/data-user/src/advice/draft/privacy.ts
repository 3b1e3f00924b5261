/**
 * The part of a draft that asks for differential privacy: of one task, or of two that share a budget. The
 * first of two releases the mean, and the second has its ranges around it: rows are shorter there than around
 * the middle of ranges that were written down beforehand, so that they can be clipped to less and take less
 * noise. docs/privacy.md says what both promise together.
 */

import { CodedError } from '@eigenveil/platform';
import { defaultClippingNorm, partOfBudget, restOfBudget, SHARE_OF_MEAN } from '@eigenveil/privacy';
import { basisFeatures, type TaskProposal } from '@eigenveil/task';
import { Projection } from '@eigenveil/wire';
import { CODES } from '@eigenveil/wire/errors';
import type { z } from 'zod';
import type { DraftBasis } from './basis.ts';
import type { Draft } from './draft.ts';

/** The part of an earlier task's result that is needed. Whoever fetched it has checked its signature. */
export const EarlierResult = Projection.pick({
  features: true,
  mean: true,
  differentialPrivacy: true,
}).loose();
export type EarlierResult = z.infer<typeof EarlierResult>;

/** The setting with consent, so that the draft can be checked; who drafts takes it out again. */
export interface PrivacyDraft {
  readonly features: Draft['features'];
  readonly differentialPrivacy: Pick<
    NonNullable<TaskProposal['differentialPrivacy']>,
    'epsilon' | 'delta' | 'neighbours' | 'clippingNorm' | 'dataIndependentRanges'
  >;
}

/** The budget that rows shall spend: of two tasks, both together. */
interface Wanted {
  readonly features: Draft['features'];
  readonly epsilon: number;
  readonly delta: number;
  /** The clipping norm that a draft of the method has: √(d/3) where it is not given. */
  readonly clippingNorm?: ((features: number) => number | null) | undefined;
}

const NEIGHBOURS = 'add-remove';

/** One task, or with `meanFirst` the first of two. */
export function draftPrivacy(
  { features, epsilon, delta, clippingNorm = defaultClippingNorm }: Wanted,
  meanFirst: boolean,
): PrivacyDraft {
  const own = meanFirst ? partOfBudget({ epsilon, dpDelta: delta }, SHARE_OF_MEAN) : epsilon;
  return drafted(features, own, delta, clippingNorm(features.length));
}

/**
 * One task that stands on a basis: rows are clipped to as much as those of the first link are by default, in
 * the units of the last, or as the components would be.
 */
export function draftPrivacyOn({ links }: DraftBasis, { features, epsilon, delta }: Wanted): PrivacyDraft {
  const first = defaultClippingNorm(links[0]!.task.features.length);
  const norm = links.reduce((length, { task }) => length / basisFeatures(task)[0]!.max, first);
  return drafted(features, epsilon, delta, Math.min(norm, defaultClippingNorm(features.length)));
}

/**
 * The second of two tasks: ranges around the mean that the first has released, and what that one has left of
 * ε.
 * @throws ERR_TASK_INVALID unless the earlier task is a first one; ERR_DP_PARAMETER where nothing is left
 */
export function draftAround(earlier: EarlierResult, { features, epsilon, delta }: Wanted): PrivacyDraft {
  const around = featuresAround(earlier, features);
  const { differentialPrivacy: spent } = earlier;
  if (spent?.neighbours !== NEIGHBOURS || spent.noise === 'owners')
    throw invalid('the earlier task expected with neighbours add-remove, and noise of servers or csp');
  const rest = restOfBudget({ epsilon, dpDelta: delta }, { epsilon: spent.epsilon, dpDelta: spent.delta });
  // Half of what other drafts take, as rows around their mean are shorter, and half again, as units are of
  // ranges twice as wide.
  return drafted(around, rest, delta, defaultClippingNorm(features.length) / 4);
}

function drafted(
  features: Draft['features'],
  epsilon: number,
  delta: number,
  clippingNorm: number | null,
): PrivacyDraft {
  return {
    features,
    differentialPrivacy: {
      epsilon,
      delta,
      neighbours: NEIGHBOURS,
      clippingNorm,
      dataIndependentRanges: true,
    },
  };
}

/**
 * The features with the earlier task's mean in the middle, and as far to both sides as the earlier range was
 * wide: no value within that lies outside of these. A mean beyond its range, which noise makes, counts as the
 * range's end. A feature that does not vary keeps its range.
 * @throws ERR_TASK_INVALID unless the earlier task had differential privacy, released its mean, and had these
 *   very features
 */
function featuresAround(
  { features: earlier, mean, differentialPrivacy }: EarlierResult,
  features: Draft['features'],
): Draft['features'] {
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
    if (min === max) return { ...feature, min, max };
    const width = max - min;
    const centre = min + (width * (1 + Math.max(-1, Math.min(1, at)))) / 2;
    return {
      ...feature,
      min: Math.min(min, rounded(centre - width, width)),
      max: Math.max(max, rounded(centre + width, width)),
    };
  });
}

/**
 * Ranges are read by people: they have the digits that tell the width to six. A range that is a little off
 * clips a little more.
 */
function rounded(value: number, width: number): number {
  const beyond = Math.max(0, Math.ceil(Math.log10(Math.abs(value) / width)));
  return Number(value.toPrecision(Math.min(17, 6 + beyond)));
}

function invalid(message: string): CodedError {
  return new CodedError(CODES.ERR_TASK_INVALID, message);
}
