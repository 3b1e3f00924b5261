/** Enrolment tokens: one-time secrets by which the CSP's operator decides who may become an owner. */
import { setTimeout as sleep } from 'node:timers/promises';
import { databaseFile, hashOneTimeToken, newOneTimeToken } from '@eigenveil/server';
import { SqliteCspStore } from '../store/sqlite-store.ts';
import type { CspStore } from '../store/store.ts';

/** In one transaction: some milliseconds, for which a service that enrols at the same time waits. */
const BATCH = 500;
/** In between, so that the service comes to its turn: SQLite's lock goes to whoever asks when it is free, not to who has waited longest. */
const PAUSE_MILLISECONDS = 20;

/**
 * Makes tokens (32 random bytes each) that can be used for `lifetimeSeconds`; only their hashes are kept. When it is interrupted, the
 * hashes of some tokens that nobody has seen may have been stored: they admit nobody.
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

/** The same, directly in the database of a CSP that may be running. */
export async function inviteOwners(
  dataDirectory: string,
  count: number,
  lifetimeSeconds: number,
): Promise<string[]> {
  const store = new SqliteCspStore(databaseFile(dataDirectory));
  try {
    return await makeEnrolmentTokens(store, { count, lifetimeSeconds, now: new Date() });
  } finally {
    store.close();
  }
}
