/** The work of the commands `operators` and `audit`, beside a service that may be running. */
import { COMMAND_CODES, closing } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import { hashOneTimeToken, newOneTimeToken } from '@eigenveil/server';
import { DAY_MILLISECONDS } from '@eigenveil/task/ids';
import { Digest } from '@eigenveil/wire/digest';
import { openForCommand, type Place, readOperatorLog } from '../../store/open.ts';
import { ADMIN, OperatorName, verifyOperatorLog } from '../../tasks/operators.ts';

export { readOperatorLog } from '../../store/open.ts';

/**
 * Opens the store of operators.
 * @throws ERR_DATABASE, ERR_SCHEMA_NEWER
 */
export async function openOperators(place: Place) {
  return closing(await openForCommand(place));
}

/**
 * Adds an operator whose token is valid for this number of days.
 * @throws ERR_CONFIGURATION for a name that nobody can have, or that somebody has already
 */
export async function addOperator(place: Place, given: string, days: number) {
  const named = OperatorName.safeParse(given);
  if (!named.success || named.data === ADMIN)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"NAME" expected 1 to 32 small letters, digits, points, hyphens and underscores, and not ${ADMIN}`,
    );
  const name = named.data;
  const token = newOneTimeToken();
  const now = new Date();
  const expiresAt = new Date(now.getTime() + days * DAY_MILLISECONDS).toISOString();
  await using store = await openOperators(place);
  if (!(await store.operators.add({ name, tokenHash: hashOneTimeToken(token), expiresAt }, now)))
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"NAME" expected nobody's: ${name} is an operator; revoke it first`,
    );
  return { name, token, expiresAt };
}

/**
 * Returns the log after verifying it.
 * @throws ERR_AUDIT_BROKEN, ERR_DATABASE
 */
export async function verifiedLog(place: Place, noted: string | undefined) {
  return verifyOperatorLog(await readOperatorLog(place), ADMIN, Digest.optional().parse(noted));
}
