/**
 * Terms in messages to an owner. Each user interface has names of its own for members of a task and of the
 * policy, for options, and for the next step.
 */
import type { Output } from '@eigenveil/methods';
import { term, type Words } from '@eigenveil/platform';

export type OwnerTerm =
  | 'again'
  | 'allowSimulated'
  | 'atLeast'
  | 'dataset'
  | 'delta'
  | 'discardPending'
  | 'drawer'
  | 'enrol'
  | 'epsilon'
  | 'fittingReleases'
  | 'fullRank'
  | 'home'
  | 'memory'
  | 'moment'
  | 'name'
  | 'neighbours'
  | 'noHome'
  | 'noPrice'
  | 'output'
  | 'ownersFolder'
  | 'readAgain'
  | 'refinedColumns'
  | 'relation'
  | 'saidNow'
  | 'sayBudget'
  | 'spent'
  | 'takes'
  | 'totalNeighbours'
  | 'withdrawAgain';

/** Makes a term for an option or a command. */
export const ownerTerm = (name: OwnerTerm, text: string, value?: string): Words => term(name, text, value);

/** Makes a term for a member of the policy, or for a part of one: `series.totalEpsilon`. */
export const rule = (name: string): Words => term(`policy.${name}`, `"${name.slice(name.indexOf('.') + 1)}"`);

/** Says that a task is taken only where a member of the policy says so. */
export const takes = (name: string): Words => ownerTerm('takes', `which takes "${name}"`, name);

/** Names something as it stands in a task, for readers of one, behind words for it. */
export const nameInTask = (name: string): Words => ownerTerm('name', ` (${name})`);

/** Names an output of a task. */
export const outputTerm = (output: Output): Words => ownerTerm('output', output, output);

/** The members of a task that a policy is about. */
export type TaskTerm =
  | 'minimumOwners'
  | 'keyBits'
  | 'twoParty'
  | 'components'
  | 'basis'
  | 'sketch.refine'
  | 'sketch'
  | 'outputs'
  | 'method.scale'
  | 'exact'
  | 'allowFullRank'
  | 'series'
  | 'releases'
  | 'differentialPrivacy'
  | 'differentialPrivacy.epsilon'
  | 'differentialPrivacy.delta'
  | 'differentialPrivacy.neighbours'
  | 'differentialPrivacy.noise';

/** Makes a term for a member of the task. */
export const member = (name: TaskTerm): Words => term(`task.${name}`, `"${name}"`);
