/** Describes the faults of a form, by the labels of its fields. */
import { faultsOf } from '@eigenveil/wire/explain';
import type { z } from 'zod';

/**
 * Returns all faults in one text.
 * @param labels of fields, by the names of members
 */
export function faultsInWords(error: z.ZodError, labels: ReadonlyMap<PropertyKey, string>): string {
  return faultsOf(error)
    .map(({ path: [name = ''], words }) => `“${labels.get(name) ?? String(name)}”: ${words}`)
    .join('; ');
}
