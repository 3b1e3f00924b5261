/** How long a process waits for PostgreSQL: the settings of a service, and the times that follow from them. */
import { DATABASE_WAITS } from '../cli/settings.ts';

/** The values of the settings of these names. */
export type PostgresWaits = { readonly [Name in keyof typeof DATABASE_WAITS]: number };

/** The waits of commands that have no settings of their own for them. */
export const STANDARD_WAITS: PostgresWaits = {
  databaseAnswerSeconds: DATABASE_WAITS.databaseAnswerSeconds.default,
  databaseLockSeconds: DATABASE_WAITS.databaseLockSeconds.default,
};

/** A server that is there connects, says whether it is well, and lets a connection go within so much. */
const PROMPT_MILLISECONDS = 5000;

/** The times that follow from the settings, in milliseconds. */
export function timesOfWaits({ databaseAnswerSeconds, databaseLockSeconds }: PostgresWaits) {
  const answer = 1000 * databaseAnswerSeconds;
  return {
    /** The client gives up a server that does not answer at all. This is longer than the server itself allows a statement. */
    answer,
    /** No statement of ours takes long. The server ends one that does: it waits for something that is broken. */
    statement: Math.round((2 / 3) * answer),
    lock: 1000 * databaseLockSeconds,
    prompt: Math.min(PROMPT_MILLISECONDS, answer),
  };
}
