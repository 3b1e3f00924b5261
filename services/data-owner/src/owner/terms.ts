/**
 * Terms in messages to an owner. Each user interface has names of its own for members of a task and of the
 * policy, for options, and for the next step.
 */
import { term, type Words } from '@eigenveil/platform';

export type OwnerTerm =
  | 'again'
  | 'allowSimulated'
  | 'atLeast'
  | 'dataset'
  | 'delta'
  | 'discardPending'
  | 'enrol'
  | 'epsilon'
  | 'fullRank'
  | 'home'
  | 'memory'
  | 'moment'
  | 'neighbours'
  | 'noHome'
  | 'noPrice'
  | 'ownersFolder'
  | 'saidNow'
  | 'sayBudget'
  | 'spent'
  | 'totalNeighbours';

/** Makes a term for an option or a command. */
export const ownerTerm = (name: OwnerTerm, text: string, value?: string): Words => term(name, text, value);

/** Makes a term for a member of the policy. */
export const rule = (name: string): Words => term(`policy.${name}`, `"${name}"`);

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
