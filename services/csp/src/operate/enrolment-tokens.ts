/**
 * Enrolment tokens: one-time secrets by which the CSP's operator decides who may become an owner. Links of
 * the owners' page can hold one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { closing } from '@eigenveil/command';
import { databaseFile, hashOneTimeToken, newOneTimeToken, openSigningKey } from '@eigenveil/server';
import type { TaskId } from '@eigenveil/task';
import { ownerLink } from '@eigenveil/wire/owner-link';
import { renderUnicodeCompact } from 'uqr';
import { SqliteCspStore } from '../store/sqlite-store.ts';
import type { CspStore } from '../store/store.ts';

/**
 * Tokens of one transaction. It takes some milliseconds, for which a service that enrols at the same time
 * waits.
 */
const BATCH = 500;
/**
 * The pause between transactions, in which the service gets its turn: SQLite gives its lock to whoever asks
 * when it is free, not to the one that has waited longest.
 */
const PAUSE_MILLISECONDS = 20;
/** The number of light modules around a QR code that its standard asks for (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/**
 * Makes tokens (32 random bytes each) that can be used for `lifetimeSeconds`; only their hashes are kept. If
 * it is interrupted, hashes of tokens that nobody has seen may have been stored: they admit nobody.
 */
export async function makeEnrolmentTokens(
  store: Pick<CspStore, 'addEnrolmentTokens'>,
  options: { readonly count: number; readonly lifetimeSeconds: number; readonly now: Date },
): Promise<string[]> {
  const tokens = Array.from({ length: options.count }, newOneTimeToken);
  const expiresAt = new Date(options.now.getTime() + 1000 * options.lifetimeSeconds);
  const hashes = tokens.map(hashOneTimeToken);
  for (let first = 0; first < hashes.length; first += BATCH) {
    if (first > 0) await sleep(PAUSE_MILLISECONDS);
    await store.addEnrolmentTokens(hashes.slice(first, first + BATCH), expiresAt);
  }
  return tokens;
}

/** Makes enrolment tokens directly in the database of a CSP that may be running. */
export async function inviteOwners(
  dataDirectory: string,
  count: number,
  lifetimeSeconds: number,
): Promise<string[]> {
  await using store = closing(new SqliteCspStore(databaseFile(dataDirectory)));
  return await makeEnrolmentTokens(store, { count, lifetimeSeconds, now: new Date() });
}

interface LinkedPage {
  /** The address of the owners' page. */
  readonly page: string;
  /** The addresses of the services for owners. */
  readonly csp: string;
  readonly dataUser?: string | undefined;
  readonly task?: TaskId | undefined;
}

/** Returns a function that makes a link from a token. The link names this CSP with its identity. */
export async function invitationLinks(
  dataDirectory: string,
  { page, csp, dataUser, task }: LinkedPage,
): Promise<(token: string) => string> {
  const { thumbprint } = await openSigningKey(dataDirectory);
  const more = { ...(dataUser && { dataUser }), ...(task && { task }) };
  return (token) => ownerLink(page, { csp, thumbprint, ...more, token });
}

/** Writes a link as a QR code of characters, light on a dark terminal. */
export function qrCode(link: string): string {
  return renderUnicodeCompact(link, { border: QUIET_ZONE });
}
