/**
 * A proposal from a draft and what the person who drafts wishes: the same by command line and on the console.
 */
import { LIMITS, methodOf, type Output } from '@eigenveil/methods';
import { asTitle, type ClosesWhen, type FeatureRun, featureRuns, type TaskProposal } from '@eigenveil/task';
import { type Draft, roomFor } from './draft.ts';
import { withCells } from './grains.ts';
import type { PrivacyDraft } from './privacy.ts';

export interface Wishes {
  /** The title as somebody has typed it. A task that has none is known by its id alone. */
  readonly title?: string | undefined;
  readonly components: number;
  /** The largest number of owners. */
  readonly owners: number;
  /** Half of them where it is not given. */
  readonly minimumOwners?: number | undefined;
  /** Room for more than the sample's rows where it is not given: see `roomFor`. */
  readonly maximumSamples?: number | undefined;
  readonly outputs: readonly Output[];
  readonly allowFullRank: boolean;
  /**
   * Asks for no floor, which takes the consent to a full rank. The task is not exact where this is not given.
   */
  readonly exact?: boolean | undefined;
  /** The number of releases; as many as by default where it is not given. */
  readonly releases?: number | undefined;
  readonly hours: number;
  readonly twoParty: TaskProposal['twoParty'];
  /** The conditions on which the task closes; by the operator alone where it is not given, or empty. */
  readonly closes?: readonly ClosesWhen[] | undefined;
}

const LEAST_OWNERS = 2;
const HOUR = 3_600_000;

/**
 * Makes what the schema of a proposal completes and checks. Outputs that the two-party protocol reveals
 * anyway are among the declared ones; a linear method has a protocol of its own, and no outputs.
 * @param privacy null where the result shall be exact
 */
export function proposalOf({ rows, ...draft }: Draft, wishes: Wishes, privacy: PrivacyDraft | null) {
  const { components, owners, minimumOwners, maximumSamples, allowFullRank, hours } = wishes;
  const { title, exact = false, releases, closes = [] } = wishes;
  const { sketch } = draft;
  const { isLinear, revealedByRotation } = methodOf(draft);
  const twoParty = isLinear ? 'linear' : wishes.twoParty;
  const outputs = isLinear ? [] : wishes.outputs;
  const revealed = twoParty === 'rotated' || sketch !== undefined ? revealedByRotation : [];
  return {
    ...(title !== undefined && { title: asTitle(title) }),
    ...draft,
    ...privacy,
    ...(privacy && draft.rangesFrom !== undefined && { differentialPrivacy: counted(privacy) }),
    // Without a floor nothing goes by grains, and many features stand in few entries.
    ...(sketch && exact && { features: draft.features.map(({ grain: _, ...feature }) => feature) }),
    components,
    maximumOwners: owners,
    minimumOwners: minimumOwners ?? Math.max(LEAST_OWNERS, Math.ceil(owners / 2)),
    maximumSamplesPerOwner: maximumSamples ?? roomFor(rows),
    twoParty,
    outputs: [...new Set([...outputs, ...revealed])],
    allowFullRank: allowFullRank || exact,
    exact,
    ...(releases !== undefined && { releases }),
    deadline: new Date(Date.now() + hours * HOUR).toISOString(),
    ...(closes.length > 0 && { closes: [...closes] }),
  };
}

const counted = ({ differentialPrivacy }: PrivacyDraft) => ({
  ...differentialPrivacy,
  dataIndependentRanges: 'rangesFrom' as const,
});

/**
 * The ranges and classes of a draft are the sample's, so that the consent is left to the person who corrects
 * them; ranges that follow from a histogram have a guarantee of their own.
 */
export function withoutConsent(proposal: TaskProposal) {
  const needsNone = proposal.rangesFrom !== undefined && proposal.labellings.length === 0;
  return proposal.differentialPrivacy === null || needsNone
    ? proposal
    : {
        ...proposal,
        differentialPrivacy: { ...proposal.differentialPrivacy, dataIndependentRanges: false },
      };
}

/**
 * Returns the same proposal with cells: a grain that is finer than its cells is one. Grains of components are
 * those that follow from their basis.
 */
export function withOwnCells(proposal: TaskProposal): TaskProposal {
  const { basis, features, fractionBits } = proposal;
  return basis === undefined ? { ...proposal, features: withCells(features, fractionBits) } : proposal;
}

/**
 * The features as a file has them: where there are so many that only a sketch takes them, with runs in one
 * entry each.
 */
export function featuresOfFile({ features }: TaskProposal): readonly FeatureRun[] {
  return features.length > LIMITS.features ? featureRuns(features) : features;
}
