/**
 * Reads a policy from a file, such as an organisation has for all of its owners, and tells what is wrong with
 * it by the fields of the form.
 */
import { OwnerPolicy } from '@eigenveil/data-owner/portable';
import { parseJson } from '@eigenveil/wire/errors';
import { faultsOf } from '@eigenveil/wire/explain';
import { GRAIN_RULE, LABELS, PARTS } from './policy-form.ts';

/** The most faults that are told: a file that has more is something else. */
const MOST_FAULTS = 20;

/** Returns the policy that a file holds, or all that is wrong with it, each in a sentence. */
export function policyOfFile(
  text: string,
): { readonly policy: OwnerPolicy } | { readonly faults: readonly string[] } {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return {
      faults: ['This file is something else: choose one that was saved here, or by the command line.'],
    };
  const policy = OwnerPolicy.safeParse(value);
  if (policy.success) return { policy: policy.data };
  const told = faultsOf(policy.error);
  const faults = policy.error.issues.flatMap((issue, i) => {
    const place = placeOf(issue.path);
    if (issue.code === 'invalid_union') return [`${place}: ${GRAIN_RULE}`];
    if (issue.code !== 'unrecognized_keys') return [`${place}: ${String(told[i]!.words)}`];
    const where = place === '' ? 'a policy' : place;
    return issue.keys.map((name) => `“${name}” is no rule of ${where}`);
  });
  const more = faults.length - MOST_FAULTS;
  return { faults: more > 0 ? [...faults.slice(0, MOST_FAULTS), `and ${more} more`] : faults };
}

/** Returns the label of the field that a place in the file belongs to, with that of its part. */
function placeOf([name, part]: readonly PropertyKey[]): string {
  if (name === undefined) return '';
  const label = `“${LABELS.get(name) ?? String(name)}”`;
  return typeof part === 'string' ? `${label}, “${PARTS.get(`${String(name)}.${part}`) ?? part}”` : label;
}
