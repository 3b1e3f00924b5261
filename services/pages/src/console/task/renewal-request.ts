/** The request for a renewal, by the deadline that somebody has written. */
import { faultsOf } from '@eigenveil/wire/explain';
import { OPERATOR_ROUTES } from '@eigenveil/wire/routes/data-user/operator';
import type { z } from 'zod';
import { capital } from '../../common/format.ts';

const SCHEMA = OPERATOR_ROUTES.renewTask.body.json;
export type RenewalRequest = z.output<typeof SCHEMA>;

/**
 * Returns the body of the request, or what is wrong with the deadline.
 * @param deadline as it is written; empty for as much time as the task had
 * @param now by the clock of the service
 */
export function renewalRequest(deadline: string, now: Date): RenewalRequest | string {
  const text = deadline.trim();
  if (text === '') return {};
  const { data, error } = SCHEMA.safeParse({ deadline: text });
  if (data === undefined) return `${capital(String(faultsOf(error)[0]!.words))}.`;
  return new Date(text) > now ? data : 'Expected a time in the future.';
}
