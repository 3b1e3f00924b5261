/**
 * The owners that the CSP has revoked, as this data user knows them. It checks owner tokens without asking
 * the CSP. Therefore it fetches the CSP's signed list every minute, before it closes a task and before it
 * fixes a task's records, and drops the contributions of owners in the list.
 */
import { CodedError } from '@eigenveil/platform';
import type { Logger } from '@eigenveil/server';
import {
  CODES,
  type OwnerId,
  PROOF_WINDOW_SECONDS,
  REVOCATIONS,
  toProblem,
  verifyStatement,
} from '@eigenveil/wire';
import { revokedOwner } from '../store/rules.ts';
import type { DataUserStore } from '../store/store.ts';
import type { CspClient } from './csp.ts';

const POLL_MILLISECONDS = 60_000;
/** The greatest age of the list with which a task is closed, by the clocks of both services. */
const LONGEST_AGE_MILLISECONDS = 600_000;
const RETRY_AFTER_SECONDS = 60;

interface RevocationsDependencies {
  readonly store: Pick<
    DataUserStore,
    'keepRevocations' | 'revocations' | 'isRevoked' | 'tasksWithRevoked' | 'dropRevoked'
  >;
  readonly csp: Pick<CspClient, 'identity' | 'revocations'>;
  readonly now: () => Date;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

export class Revocations {
  readonly #deps: RevocationsDependencies;
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(dependencies: RevocationsDependencies) {
    this.#deps = dependencies;
  }

  /** Fetches the list now and every minute; a CSP that cannot be reached stops nothing here. */
  start(): void {
    if (this.#isStopped) return;
    this.#polling = this.refresh().catch((error: unknown) => {
      if (this.#isStopped) return;
      this.#deps.log.warn(
        { err: error },
        'the list of revoked owners is as it was; it is fetched again in a minute',
      );
    });
    this.#timer = setTimeout(() => this.start(), POLL_MILLISECONDS).unref();
  }

  /** Stops fetching. Call it after requests to the CSP have been broken off. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#polling;
  }

  /** Returns the milliseconds since the CSP signed the list that is kept; undefined while there is none. */
  async age(): Promise<number | undefined> {
    const kept = await this.#deps.store.revocations();
    return kept && this.#deps.now().getTime() - Date.parse(kept.issuedAt);
  }

  /**
   * Checks that an owner is not revoked.
   * @throws ERR_OWNER_REVOKED
   */
  async check(ownerId: OwnerId): Promise<void> {
    if (await this.#deps.store.isRevoked(ownerId)) throw revokedOwner();
  }

  /**
   * Fetches the list, keeps it and drops the contributions of owners in it. Owners that were in any earlier
   * list stay revoked, also when this one lacks them.
   * @throws ERR_REVOCATIONS_INVALID for a list of somebody else, one that was numbered before the one that is
   *   kept, or one from the future; ERR_REVOCATIONS_STALE for one that the CSP has signed too long ago; and
   *   the error that kept it from being fetched
   */
  async refresh(): Promise<void> {
    const { store, csp, now, log } = this.#deps;
    // The list that is kept is read first: another process may keep a later list while this one is on its
    // way.
    const kept = await store.revocations();
    const { list } = await csp.revocations();
    const { number, issuedAt, owners } = await verifyStatement(REVOCATIONS, list, await csp.identity());
    if (kept !== undefined && number < kept.number)
      throw invalid(`number ${kept.number}, which it has given before, or a later one, got ${number}`);
    const issued = new Date(issuedAt);
    if (issued.getTime() > now().getTime() + 1000 * PROOF_WINDOW_SECONDS)
      throw invalid(`a time that is not in the future, got ${issuedAt}: compare the clocks of both`);
    const added = await store.keepRevocations({ number, issuedAt: issued.toISOString() }, owners);
    if (added > 0) log.info({ number, added, revoked: owners.length }, 'the CSP has revoked owners');
    await this.#drop();
    const age = now().getTime() - issued.getTime();
    if (age > LONGEST_AGE_MILLISECONDS)
      throw stale(`the CSP has signed its list ${minutes(age)} ago: compare the clocks of both`);
  }

  /**
   * Fetches the list for a task that is about to be closed. Where the CSP cannot be asked, the list that is
   * kept is good enough for ten minutes.
   * @throws ERR_REVOCATIONS_STALE, ERR_REVOCATIONS_INVALID
   */
  async requireFresh(): Promise<void> {
    try {
      await this.refresh();
    } catch (error) {
      const { code } = toProblem(error);
      if (code === 'ERR_REVOCATIONS_INVALID' || code === 'ERR_REVOCATIONS_STALE') throw error;
      const age = await this.age();
      if (age === undefined || age > LONGEST_AGE_MILLISECONDS) {
        const what = age === undefined ? 'was never fetched' : `is ${minutes(age)} old`;
        throw stale(`the CSP's list ${what}, and fetching it failed with ${code}`, error);
      }
      await this.#drop();
    }
  }

  /**
   * Drops the contributions of revoked owners from all tasks. No process may count before the last process
   * that took contributions knows of these owners, so each drops what it finds.
   */
  async #drop(): Promise<void> {
    const { store, log } = this.#deps;
    for (const taskId of await store.tasksWithRevoked()) {
      const contributions = await store.dropRevoked(taskId);
      if (contributions > 0) log.info({ taskId, contributions }, 'dropped contributions of revoked owners');
    }
  }
}

function minutes(milliseconds: number): string {
  return `${Math.floor(milliseconds / 60_000)} minutes`;
}

function invalid(expected: string): CodedError {
  return new CodedError(
    CODES.ERR_REVOCATIONS_INVALID,
    `the CSP's list of revoked owners expected ${expected}`,
  );
}

function stale(why: string, cause?: unknown): CodedError {
  const message = `no task is closed with a list of revoked owners older than ${minutes(LONGEST_AGE_MILLISECONDS)}: ${why}`;
  return new CodedError(CODES.ERR_REVOCATIONS_STALE, message, {
    cause,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
