/** A proposal on its way from a draft to a task, and what to know of its sample before it is created. */
import { type MethodName, methodOf } from '@eigenveil/methods';
import type { TaskProposal } from '@eigenveil/task/schema';
import { count } from '../../common/format.ts';

/** The sample that a proposal was drafted from. */
export interface Drafted {
  readonly file: File;
  /** The method that was chosen beside the sample. */
  readonly method: MethodName;
  /** The least and the largest value of each column of numbers. */
  readonly ranges: ReadonlyMap<string, { readonly min: number; readonly max: number }>;
  /** Columns that follow from others, and how. */
  readonly following: readonly { readonly name: string; readonly why: string }[];
  /** Words on what the draft has taken from elsewhere. */
  readonly notes: readonly string[];
}

export interface Proposal {
  /** JSON, as far as it is written. */
  readonly text: string;
  /** Null where it was not drafted from a sample. */
  readonly drafted: Drafted | null;
}

export const NO_PROPOSAL: Proposal = { text: '', drafted: null };

/**
 * Says that a draft is not of the method that is chosen by now, or null where it is.
 * @param chosen null where no sample is there
 */
export function outdatedWords(drafted: Drafted | null, chosen: MethodName | null): string | null {
  if (drafted === null || chosen === null || drafted.method === chosen) return null;
  return `This is still the draft of ${drafted.method}, and ${chosen} is chosen above. Write the draft again for ${chosen}.`;
}

/** Returns the number of features whose ranges are the sample's. */
function sampledRanges({ ranges }: Drafted, { features }: TaskProposal): number {
  return features.filter(({ name, min, max }) => {
    const range = ranges.get(name);
    return range !== undefined && range.min === min && range.max === max;
  }).length;
}

/** Warns of consent to ranges that are the sample's; null where nothing has to be said. */
export function consentWarning(drafted: Drafted | null, task: TaskProposal): string | null {
  if (drafted === null || task.differentialPrivacy?.dataIndependentRanges !== true) return null;
  const sampled = sampledRanges(drafted, task);
  return sampled === 0
    ? null
    : `The consent says that ranges do not come from rows, but those of ${count(sampled, 'feature')} of ${task.features.length} are still the least and the largest value in the sample. ε does not cover what they tell of its rows. Write ranges that you know from elsewhere.`;
}

/** Returns warnings about all that a task still has from the sample that it was drafted from. */
export function warningsOf(drafted: Drafted, task: TaskProposal): string[] {
  const { following, notes } = drafted;
  const { features } = task;
  const sampled = sampledRanges(drafted, task);
  const consent = consentWarning(drafted, task);
  const names = new Set(features.map(({ name }) => name));
  const dependent = methodOf(task).isLinear ? [] : following.filter(({ name }) => names.has(name));
  return [
    ...(sampled === 0
      ? []
      : [
          `The ranges of ${count(sampled, 'feature')} of ${features.length} are the least and the largest value in the sample, and everybody who sees the task sees them.`,
        ]),
    ...(consent === null ? [] : [consent]),
    ...dependent.map(
      ({ name, why }) =>
        `${name} ${why}: it adds nothing to the others, and the noise of the floor averages away by it.`,
    ),
    ...notes.map((note) => `${note}.`),
  ];
}
