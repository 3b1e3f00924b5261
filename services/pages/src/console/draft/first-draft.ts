/** The first text of a proposal: the sample's columns and what the operator wishes, completed by the schema. */
import {
  type DraftOptions,
  draftOf,
  draftPrivacy,
  proposalOf,
  type Sample,
  withoutConsent,
} from '@eigenveil/data-user/draft';
import { TaskProposal } from '@eigenveil/task/schema';
import { explainIssues } from '@eigenveil/wire/explain';

/** As `task draft` has them where no flag says otherwise. */
const HOURS = 72;
const DELTA = 1e-6;

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
    epsilon === null ? null : draftPrivacy({ features: draft.features, epsilon, delta: DELTA }, false);
  const all = { ...wishes, outputs: [], allowFullRank: false, hours: HOURS };
  const proposal = TaskProposal.safeParse(proposalOf(draft, all, privacy));
  if (!proposal.success) throw new RangeError(explainIssues(proposal.error, 'the draft'));
  return textOf(withoutConsent(proposal.data));
}

export function textOf(proposal: unknown): string {
  return `${JSON.stringify(proposal, null, 2)}\n`;
}
