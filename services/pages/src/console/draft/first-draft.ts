/**
 * Makes the first text of a proposal from the sample's columns and the operator's wishes; the schema
 * completes it.
 */

import {
  type AskedLevels,
  type Draft,
  type DraftOptions,
  draftOf,
  draftPrivacy,
  draftRanged,
  proposalOf,
  type Sample,
  type SampleColumn,
  withOwnCells,
  withoutConsent,
} from '@eigenveil/data-user/draft';
import { draftingOf, type Flags, LIMITS, METHODS, type MethodName } from '@eigenveil/methods';

import { TaskProposal, USUAL_DELTA } from '@eigenveil/task/schema';
import { parseJson } from '@eigenveil/wire/errors';
import { explainIssues } from '@eigenveil/wire/explain';
import { obstaclesTo } from '../create/check-proposal.ts';
import type { CheckedResult } from '../result/verify.ts';
import { isObject, type Json } from './members.ts';

/** The values that `task draft` has where no flag says otherwise. */
const PLAIN = { outputs: [], allowFullRank: false, hours: 72 };
const COMPONENTS = 5;
/** The most features that `garbled` computes. */
const MOST_GARBLED = 100;

/**
 * Returns the number of components that is proposed. Without consent a covariance matrix gives at most two fewer
 * than it has features.
 */
export function usualComponents(features: number): number {
  return Math.max(1, Math.min(COMPONENTS, features - 2));
}

interface FirstWishes {
  /** Undefined means as many as the task allows, but not more than these. */
  readonly components: number | undefined;
  readonly mostComponents: number;
  readonly owners: number;
  /** Undefined means one that computes the method, the usual one first. */
  readonly twoParty: TaskProposal['twoParty'] | undefined;
  /** Undefined means that the result is exact. */
  readonly epsilon: number | undefined;
}

/** Changes a draft by earlier results. */
export type Amend = (draft: Draft) => Draft;

/**
 * Returns the proposal of `task draft`, with consent to its ranges; of those that the wishes leave open the first one
 * that is computed, or the one with the fewest obstacles.
 * @throws ERR_TASK_INVALID and ZodError as draftOf; RangeError for wishes that no proposal has;
 *   ERR_DP_PARAMETER; as `amend`
 */
export async function firstDraft(
  sample: Sample,
  options: Omit<DraftOptions, 'epsilon' | 'components'>,
  { components, mostComponents, owners, twoParty, epsilon }: FirstWishes,
  amend: Amend = (draft) => draft,
): Promise<TaskProposal> {
  const { clippingNorm } = draftingOf(options.method);
  const numbers =
    components === undefined
      ? Array.from({ length: mostComponents }, (_, i) => mostComponents - i)
      : [components];
  const drafts = await Promise.all(
    numbers.map(async (number) => amend(await draftOf(sample, { ...options, components: number, epsilon }))),
  );
  let best: { readonly proposal: TaskProposal; readonly obstacles: number } | undefined;
  const { features } = drafts[0]!;
  const privacy =
    epsilon === undefined
      ? null
      : draftPrivacy({ features, epsilon, delta: USUAL_DELTA, clippingNorm }, false);
  for (const protocol of twoParty === undefined ? protocolsFor(features.length) : [twoParty]) {
    for (const [i, draft] of drafts.entries()) {
      const wishes = { components: numbers[i]!, owners, twoParty: protocol, ...PLAIN };
      const proposal = complete(proposalOf(draft, wishes, privacy));
      const obstacles = obstaclesTo(proposal, { now: new Date(), written: null }).length;
      if (best === undefined || obstacles < best.obstacles) best = { proposal, obstacles };
      if (obstacles === 0) return proposal;
    }
  }
  return best!.proposal;
}

/** Returns the protocols to try, the usual one first. */
function protocolsFor(features: number): readonly ('garbled' | 'rotated')[] {
  return features > MOST_GARBLED ? ['rotated', 'garbled'] : ['garbled', 'rotated'];
}

function complete(drafted: unknown): TaskProposal {
  const proposal = TaskProposal.safeParse(drafted);
  if (!proposal.success) throw new RangeError(explainIssues(proposal.error, 'the draft'));
  return withOwnCells(proposal.data);
}

/** Returns the JSON of a drafted proposal, without `$schema`, which is a place on somebody's machine. */
export const draftedText = (proposal: TaskProposal): string => textOf(withoutConsent(proposal));

/** The values of `--lower` and `--upper` where they are not given. */
export const LEVELS: AskedLevels = { lower: 0.005, upper: 0.995 };

/**
 * Returns the JSON of `task draft pca --ranges-from`, for all features of a histogram, its owners
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
  const components = usualComponents(features.length);
  const [twoParty] = protocolsFor(features.length);
  const all = { components, twoParty: twoParty!, owners, minimumOwners, maximumSamples, ...PLAIN };
  return { text: draftedText(complete(proposalOf(draft, all, null))), notes };
}

export function textOf(proposal: unknown): string {
  return `${JSON.stringify(proposal, null, 2)}\n`;
}

/** Returns a text that was just drafted, with the title that somebody has given the one before. */
export function withTitleOf(before: string, text: string): string {
  const old = parsed(before);
  const next = parsed(text);
  return isObject(old) && isObject(next) && typeof old.title === 'string'
    ? textOf({ ...next, title: old.title })
    : text;
}

/** Returns the value of a text, or null for one that is not JSON. */
export const parsed = (text: string): Json => (parseJson(text) ?? null) as Json;

/**
 * `first` means the labels, and where there are two labellings the utility labels; `second` means the privacy
 * labels. `target` means the feature that is predicted.
 */
export type Role = 'feature' | 'target' | 'first' | 'second' | 'out';

/** Returns the name of the method's flag that names a column to predict; undefined where nothing is predicted. */
export function targetFlag(method: MethodName): string | undefined {
  const { flags }: { readonly flags: Flags } = METHODS[method].draft;
  return Object.keys(flags).find((name) => flags[name]!.names === 'target');
}

/** A column with more different texts is probably a name, and not a label. */
const PROBABLE_LABELS = 20;

/**
 * Returns probable roles. Columns of numbers are features, except those that look like labels; these and
 * columns of texts are labels where the method takes some. The rest is left out, as are columns without a name.
 */
export function probableRoles({ columns }: Sample, method: MethodName): Role[] {
  let labels: number = METHODS[method].labellings;
  let role: Role = 'first';
  return columns.map((column) => {
    if (column.name.trim() === '') return 'out';
    const isText = column.noFeature !== undefined;
    if (!isText && column.labelLike === undefined) return 'feature';
    const isProbable = problemOf(column, 'first') === null && (column.labels?.length ?? 0) <= PROBABLE_LABELS;
    if (labels === 0 || !isProbable) return 'out';
    const given = role;
    labels -= 1;
    role = 'second';
    return given;
  });
}

const CELLS = {
  missing: 'is missing',
  'no number': 'is no number',
  blanks: 'has blanks around it',
  long: 'is too long for a label',
  type: 'is neither a number nor a text',
} as const;

/** Returns the reason for which a column cannot have a role, or null where it can. */
export function problemOf({ name, noFeature, noLabel, labels }: SampleColumn, role: Role): string | null {
  if (role === 'out') return null;
  if (name.trim() === '') return 'it has no name: give it one in the file';
  const isNumber = role === 'feature' || role === 'target';
  const cell = isNumber ? noFeature : noLabel;
  if (cell !== undefined) return `its cell in row ${cell.row} ${CELLS[cell.kind]}`;
  if (isNumber) return null;
  if (labels === undefined) return `it has more than ${LIMITS.classes} different labels`;
  return labels.length < 2 ? 'it has one label alone' : null;
}

/** Returns a warning about a column that looks like labels and is a feature nevertheless. */
export function warningOf({ labelLike }: SampleColumn, role: Role): string | null {
  return labelLike !== undefined && role === 'feature'
    ? `it looks like a label, with ${labelLike} different whole numbers: such a feature makes the others worthless`
    : null;
}

export type Choice = Pick<DraftOptions, 'method' | 'labels' | 'ignore'> & { readonly target?: string };

/**
 * Returns labels in the order that the method takes them, the column that is predicted, and those that are left out.
 * @returns the fault in a sentence, where the labels are too few or too many
 */
export function choiceOf({ columns }: Sample, roles: readonly Role[], method: MethodName): Choice | string {
  const named = (role: Role) => columns.flatMap(({ name }, i) => (roles[i] === role ? [name] : []));
  const [first, second] = [named('first'), named('second')];
  const wanted = METHODS[method].labellings;
  if (first.length !== Math.min(1, wanted))
    return wanted === 0
      ? 'This method takes no labels: leave label columns out.'
      : `One column has to be the ${wanted === 2 ? 'utility labels' : 'labels'}, and ${first.length === 0 ? 'none is' : 'several are'}.`;
  if (second.length !== Math.max(0, wanted - 1))
    return wanted === 2
      ? 'One other column has to be the privacy labels.'
      : 'This method takes no privacy labels.';
  const targets = named('target');
  const predicts = targetFlag(method) !== undefined;
  if (targets.length !== (predicts ? 1 : 0))
    return predicts
      ? `One column has to be what is predicted, and ${targets.length === 0 ? 'none is' : 'several are'}.`
      : 'This method predicts no column.';
  if (named('feature').length === 0) return 'At least one column has to be a feature.';
  const [target] = targets;
  const chosen = { method, labels: [...first, ...second], ignore: named('out') };
  return target === undefined ? chosen : { ...chosen, target };
}
