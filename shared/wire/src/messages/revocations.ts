/**
 * The owners whose keys the CSP admits no longer: a numbered list that it signs again for each answer, since
 * data users check owner tokens without asking it.
 */
import { z } from 'zod';
import { OwnerId } from '../identity/owner-id.ts';

export const REVOCATIONS = {
  type: 'eigenveil-revocations+jws',
  code: 'ERR_REVOCATIONS_INVALID',
  schema: z.strictObject({
    /** Rises with each revocation and each restored backup; 0 where there was none of either. */
    number: z.int().min(0),
    issuedAt: z.iso.datetime(),
    /** Every owner that was ever revoked, in the order of the ids' characters. */
    owners: z
      .array(OwnerId)
      .refine(isAscending, { error: 'expected owner ids in ascending order, each once' }),
  }),
} as const;
export type Revocations = z.infer<(typeof REVOCATIONS)['schema']>;

function isAscending(ids: readonly string[]): boolean {
  return ids.every((id, i) => i === 0 || ids[i - 1]! < id);
}
