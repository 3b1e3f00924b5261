/**
 * The CSP's counter of an owner's ledger: how many entries the owner has made, and a digest of the last one,
 * which is bound to all before it. By it an owner notices that its ledger is an old one, or one of two.
 * Entries have random bytes, so the digest tells the CSP nothing of what they say.
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
