/** The first text of a proposal: the sample's columns and what the operator wishes, completed by the schema. */
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

/** As `task draft` has them where no flag says otherwise. */
const PLAIN = { outputs: [], allowFullRank: false, hours: 72 };
const COMPONENTS = 5;
/** `garbled` computes no more features. */
const MOST_GARBLED = 100;

/** What is proposed of so many features. A covariance matrix has no more than two fewer to give without consent. */
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
  /** Null: the result is exact. */
  readonly epsilon: number | null;
}

/**
 * The JSON of `task draft`, but for `$schema`, which is a place on somebody's machine.
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

/** What `--lower` and `--upper` are where they are not given. */
export const LEVELS: AskedLevels = { lower: 0.005, upper: 0.995 };

/**
 * The JSON of `task draft --method pca --ranges-from`: of all features of a histogram, for its owners and as many rows of each. Notes say what the ranges hold.
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
