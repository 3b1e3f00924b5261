/**
 * Who operates the data user: `admin`, whose token lies in the data directory, and named operators, whose tokens end by themselves and are kept as
 * hashes. What an operator does is written into the audit log before it is done: nothing is done that is not in the log, and an entry may tell of
 * something that was then refused.
 */
import { CodedError } from '@eigenveil/platform';
import { type AdminToken, hashOneTimeToken } from '@eigenveil/server';
import type { TaskId } from '@eigenveil/task';
import { CODES } from '@eigenveil/wire';
import { z } from 'zod';
import type { OperatorAction, OperatorOperation } from './operator-log.ts';

export const OperatorName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,31}$/,
    'expected 1 to 32 small letters, digits, points, hyphens and underscores',
  );

/** The operator whose token is that of the data directory. */
export const ADMIN = 'admin';

export interface StoredOperator {
  readonly name: string;
  readonly tokenHash: string;
  readonly addedAt: string;
  /** All times ISO 8601. */
  readonly expiresAt: string;
  readonly revokedAt: string | null;
}

/** Where operators and their log are kept. Every method is one durable transaction. */
export interface OperatorStore {
  /** Adds an operator, also in place of one of this name who is revoked or has expired, and notes it; returns whether it did. */
  add(operator: Pick<StoredOperator, 'name' | 'tokenHash' | 'expiresAt'>, now: Date): Promise<boolean>;
  /** Revokes an operator and notes it; returns whether there was one who was not revoked. */
  revoke(name: string, now: Date): Promise<boolean>;
  /** All, by name. */
  list(): Promise<StoredOperator[]>;
  named(name: string): Promise<StoredOperator | undefined>;
  withHash(tokenHash: string): Promise<StoredOperator | undefined>;
  /** Notes an action of `admin`, or of an operator who is not revoked; returns whether it did. */
  note(action: OperatorAction, now: Date): Promise<boolean>;
  /** The entries of the log in their order, unverified. */
  log(): Promise<Record<string, unknown>[]>;
}

/** An operator whose token is right. */
export interface KnownOperator {
  readonly name: string;
  /** What keys of its sessions follow from: another token has others. A secret of `admin`, a hash of others. */
  readonly token: string;
  readonly expiresAt: Date | null;
}

export class Operators {
  readonly #store: OperatorStore;
  readonly #admin: AdminToken;
  readonly #now: () => Date;

  constructor(dependencies: {
    readonly store: OperatorStore;
    readonly admin: AdminToken;
    readonly now: () => Date;
  }) {
    this.#store = dependencies.store;
    this.#admin = dependencies.admin;
    this.#now = dependencies.now;
  }

  /**
   * Whose token it is. It has 256 random bits, so a look-up by its hash gives nothing away through timing.
   * @throws ERR_AUTH_REQUIRED for nobody's, or that of one who is revoked; ERR_TOKEN_EXPIRED
   */
  async withToken(presented: string): Promise<KnownOperator> {
    if (this.isAdmin(presented)) return { name: ADMIN, token: presented, expiresAt: null };
    const found = known(await this.#store.withHash(hashOneTimeToken(presented)));
    if (found === undefined) throw refused();
    if (found.expiresAt <= this.#now())
      throw new CodedError(CODES.ERR_TOKEN_EXPIRED, "the operator's token has expired; ask for another one");
    return found;
  }

  isAdmin(presented: string): boolean {
    return this.#admin.isRight(presented);
  }

  /** An operator who may have sessions; undefined for nobody, and for one who is revoked. Sessions end before the token does. */
  async named(name: string): Promise<KnownOperator | undefined> {
    if (name !== ADMIN) return known(await this.#store.named(name));
    const token = this.#admin.current;
    return token === undefined ? undefined : { name, token, expiresAt: null };
  }

  /**
   * To be called before it is done.
   * @throws ERR_AUTH_REQUIRED for an operator who was revoked since it asked
   */
  async note(operator: string, operation: OperatorOperation, taskId: TaskId | null): Promise<void> {
    const action = { operator, operation, taskId, subject: null };
    if (!(await this.#store.note(action, this.#now()))) throw refused();
  }
}

function known(stored: StoredOperator | undefined): (KnownOperator & { expiresAt: Date }) | undefined {
  if (stored === undefined || stored.revokedAt !== null) return undefined;
  return { name: stored.name, token: stored.tokenHash, expiresAt: new Date(stored.expiresAt) };
}

export function refused(cause?: unknown): CodedError {
  return new CodedError(CODES.ERR_AUTH_REQUIRED, "this needs an operator's token", { cause });
}
