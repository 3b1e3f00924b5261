/**
 * Makes the first text of a proposal from the sample's columns and the operator's wishes; the schema
 * completes it.
 */
import {
  type AskedLevels,
  type DraftOptions,
  draftOf,
  draftPrivacy,
  draftRanged,
  proposalOf,
  type Sample,
  withOwnCells,
  withoutConsent,
} from '@eigenveil/data-user/draft';
import { TaskProposal, USUAL_DELTA } from '@eigenveil/task/schema';
import { explainIssues } from '@eigenveil/wire/explain';
import type { CheckedResult } from '../result/verify.ts';

/** The values that `task draft` has where no flag says otherwise. */
const PLAIN = { outputs: [], allowFullRank: false, hours: 72 };
const COMPONENTS = 5;
/** The most features that `garbled` computes. */
const MOST_GARBLED = 100;

/**
 * Returns the wishes that are proposed for a number of features. Without consent a covariance matrix gives at
 * most two components fewer than it has features.
 */
export function wishesFor(features: number): { components: number; twoParty: 'garbled' | 'rotated' } {
  return {
    components: Math.max(1, Math.min(COMPONENTS, features - 2)),
    twoParty: features > MOST_GARBLED ? 'rotated' : 'garbled',
  };
}

export interface FirstWishes {
  readonly components: number;
  readonly owners: number;
  readonly twoParty: TaskProposal['twoParty'];
  /** Null means that the result is exact. */
  readonly epsilon: number | null;
}

/**
 * Returns the JSON of `task draft`, without `$schema`, which is a place on somebody's machine.
 * @throws ERR_TASK_INVALID as draftOf; RangeError for wishes that no proposal has; ERR_DP_PARAMETER
 */
export function firstDraft(sample: Sample, options: DraftOptions, wishes: FirstWishes): string {
  const { epsilon } = wishes;
  const draft = draftOf(sample, options);
  const privacy =
    epsilon === null ? null : draftPrivacy({ features: draft.features, epsilon, delta: USUAL_DELTA }, false);
  return proposalText(proposalOf(draft, { ...wishes, ...PLAIN }, privacy));
}

function proposalText(drafted: unknown): string {
  const proposal = TaskProposal.safeParse(drafted);
  if (!proposal.success) throw new RangeError(explainIssues(proposal.error, 'the draft'));
  return textOf(withoutConsent(withOwnCells(proposal.data)));
}

/** The values of `--lower` and `--upper` where they are not given. */
export const LEVELS: AskedLevels = { lower: 0.005, upper: 0.995 };

/**
 * Returns the JSON of `task draft --method pca --ranges-from`, for all features of a histogram, its owners
 * and the same number of rows of each. Notes say how many of the rows the ranges hold.
 * @throws ERR_TASK_INVALID as draftRanged
 */
export function rangedDraft(
  { task, projection, provenance }: CheckedResult,
  levels: AskedLevels,
): { readonly text: string; readonly notes: readonly string[] } {
  const { features, maximumOwners: owners, minimumOwners, maximumSamplesPerOwner: maximumSamples } = task;
  const unranged = { method: { kind: 'pca' as const }, features, labellings: [], rows: 0 };
  const basis = { digest: provenance.projectionDigest, links: [{ task, projection }] };
  const { draft, notes } = draftRanged(basis, unranged, levels);
  const { components, twoParty } = wishesFor(features.length);
  const all = { components, twoParty, owners, minimumOwners, maximumSamples, ...PLAIN };
  return { text: proposalText(proposalOf(draft, all, null)), notes };
}

export function textOf(proposal: unknown): string {
  return `${JSON.stringify(proposal, null, 2)}\n`;
}
