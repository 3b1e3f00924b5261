/** The wishes that the form of a draft holds: how they begin for a method, what is wrong with them, and their draft. */
import type { Sample } from '@eigenveil/data-user/draft';
import { type Flags, flagsSchema, METHODS, type MethodName } from '@eigenveil/methods';
import { explainIssue } from '@eigenveil/wire/explain';
import { capital } from '../../common/format.ts';
import {
  type Choice,
  choiceOf,
  firstDraft,
  probableRoles,
  type Role,
  targetFlag,
  wishesFor,
} from './first-draft.ts';
import { type Json, type Member, memberOf } from './members.ts';

export interface Wanted {
  readonly method: MethodName;
  /** One role for each column. */
  readonly roles: readonly Role[];
  /** Values of the method's own flags, without the column that is predicted. */
  readonly flags: { readonly [name: string]: Json };
  readonly components: string;
  readonly owners: string;
  /** Empty means one that computes the method. */
  readonly twoParty: '' | 'garbled' | 'rotated';
  /** Empty means no differential privacy. */
  readonly epsilon: string;
}

const OWNERS = '10';
/** Proposed where a method needs one. */
const EPSILON = '1';

/** Returns the wishes for a method: what is probable, and of the wishes before what no method decides. */
export function wantedFor(sample: Sample, method: MethodName, before?: Wanted): Wanted {
  const roles = probableRoles(sample, method);
  const { owners = OWNERS, twoParty = '', epsilon = '' } = before ?? {};
  return {
    method,
    roles,
    flags: usualFlags(method),
    components: String(probableComponents(sample, roles, method)),
    owners,
    twoParty,
    epsilon: METHODS[method].isLinear && epsilon.trim() === '' ? EPSILON : epsilon,
  };
}

const flagsOf = (method: MethodName): Flags => METHODS[method].draft.flags;

/** Returns the method's flags as members of a form, except those that name a column or a result. */
export function flagMembers(method: MethodName): Member[] {
  return Object.entries(flagsOf(method)).flatMap(([name, { schema, description, names }]) =>
    names === undefined ? [{ ...memberOf(name, schema), says: `${capital(description)}.` }] : [],
  );
}

/** Returns the values that the method's flags have where nobody gives others. */
function usualFlags(method: MethodName): Wanted['flags'] {
  return Object.fromEntries(
    Object.entries(flagsOf(method)).flatMap(([name, { default: usual }]) =>
      usual === undefined ? [] : [[name, usual as Json]],
    ),
  );
}

/**
 * Returns the number of components to propose: for a method of labels one less than the number of classes in
 * the sample.
 */
function probableComponents({ columns }: Sample, roles: readonly Role[], method: MethodName): number {
  const features = roles.filter((role) => role === 'feature').length;
  if (METHODS[method].labellings === 0) return wishesFor(features).components;
  const classes = columns[roles.indexOf('first')]?.labels?.length ?? 2;
  return Math.max(1, Math.min(features, classes - 1));
}

/** Returns the first fault of the wishes as a whole, or null, and the faults of flags by their names. */
export function faultsOf(
  sample: Sample,
  { method, roles, flags, epsilon }: Wanted,
): { readonly fault: string | null; readonly flags: ReadonlyMap<string, string> } {
  const choice = choiceOf(sample, roles, method);
  if (typeof choice === 'string') return { fault: choice, flags: new Map() };
  const { success, error } = flagsSchema(method).safeParse(flagsWith(choice, flags));
  return {
    fault:
      METHODS[method].isLinear && epsilon.trim() === ''
        ? 'This method needs an ε: its sums are released with noise alone.'
        : null,
    flags: new Map(
      success ? [] : error.issues.map((issue) => [String(issue.path[0]), explainIssue(issue, 'the draft')]),
    ),
  };
}

/**
 * Returns the JSON of the proposal.
 * @throws RangeError for columns that the method does not take; as `firstDraft`
 */
export async function draftWanted(sample: Sample, wanted: Wanted): Promise<string> {
  const { method, roles, flags, components, owners, twoParty, epsilon } = wanted;
  const choice = choiceOf(sample, roles, method);
  if (typeof choice === 'string') throw new RangeError(choice);
  const { hasComponents, takesEpsilon } = METHODS[method].draft;
  return firstDraft(
    sample,
    { ...choice, flags: flagsWith(choice, flags), components: hasComponents ? Number(components) : 0 },
    {
      owners: Number(owners),
      twoParty: twoParty === '' ? undefined : twoParty,
      epsilon: !takesEpsilon || epsilon.trim() === '' ? undefined : Number(epsilon),
    },
  );
}

/** Returns the flags with the column that is predicted. */
function flagsWith({ method, target }: Choice, flags: Wanted['flags']): Wanted['flags'] {
  const flag = targetFlag(method);
  return flag === undefined || target === undefined ? flags : { ...flags, [flag]: target };
}
