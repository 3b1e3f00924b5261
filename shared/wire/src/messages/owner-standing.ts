/**
 * The statements of the CSP about an owner: the counter of the owner's ledger, and whether its key is still admitted.
 *
 * The counter says how many entries the owner has made, with a digest of the last one, which is bound to all before it.
 * By it an owner notices that its ledger is an old one, or one of two. Entries have random bytes, so the digest tells the
 * CSP nothing of what they say. The revocations are a numbered list that the CSP signs again for each answer, since data
 * users check owner tokens without asking it.
 */
import { z } from 'zod';
import { Digest, digestBytes } from '../identity/digest.ts';
import { OwnerId } from '../identity/owner-id.ts';

/** The digest that the first entry follows. */
export const NO_ENTRY = digestBytes('budget entry');

/**
 * Sets the counter, if it is one less now and the entry before is `previous`. With counter 0 it only asks.
 */
export const CounterRequest = z.strictObject({
  counter: z.int().min(0),
  digest: Digest,
  previous: Digest,
});
export type CounterRequest = z.infer<typeof CounterRequest>;

export const COUNTER = {
  type: 'eigenveil-counter+jws',
  code: 'ERR_PEER_PROTOCOL',
  schema: z.strictObject({ ownerId: OwnerId, counter: z.int().min(0), digest: Digest }),
} as const;
/** The counter and the digest that the CSP holds. */
export type Counted = Pick<z.infer<(typeof COUNTER)['schema']>, 'counter' | 'digest'>;

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
