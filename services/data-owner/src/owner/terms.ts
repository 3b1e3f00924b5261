/** Terms in messages to an owner: surfaces call members of a task and of the policy, options, and the next step by names of their own. */
import { term, type Words } from '@eigenveil/platform';

export type OwnerTerm =
  | 'allowSimulated'
  | 'dataset'
  | 'discardPending'
  | 'enrol'
  | 'fullRank'
  | 'home'
  | 'memory'
  | 'noHome'
  | 'ownersFolder'
  | 'sayBudget';

/** Words with an option or a command in them. */
export const ownerTerm = (name: OwnerTerm, text: string, value?: string): Words => term(name, text, value);

/** A member of the policy. */
export const rule = (name: string): Words => term(`policy.${name}`, `"${name}"`);

/** Members of a task that a policy is about. */
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

/** A member of the task. */
export const member = (name: TaskTerm): Words => term(`task.${name}`, `"${name}"`);
