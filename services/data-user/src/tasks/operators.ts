/**
 * The operators of the data user: `admin`, whose token is in the data directory, and named operators, whose
 * tokens expire and are kept as hashes. An operator's action is written into the audit log before it is done:
 * nothing is done that is not in the log, and the action of an entry may then have been refused.
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
  /** The time as ISO 8601, like all times here. */
  readonly expiresAt: string;
  readonly revokedAt: string | null;
}

/** The place where operators and their log are kept. Every method is one durable transaction. */
export interface OperatorStore {
  /**
   * Adds an operator, also in place of one of this name who is revoked or has expired, and logs it; returns
   * whether it did.
   */
  add(operator: Pick<StoredOperator, 'name' | 'tokenHash' | 'expiresAt'>, now: Date): Promise<boolean>;
  /** Revokes an operator and logs it; returns whether there was one who was not revoked. */
  revoke(name: string, now: Date): Promise<boolean>;
  /** Returns all operators, by name. */
  list(): Promise<StoredOperator[]>;
  named(name: string): Promise<StoredOperator | undefined>;
  withHash(tokenHash: string): Promise<StoredOperator | undefined>;
  /** Logs an action of `admin`, or of an operator who is not revoked; returns whether it did. */
  note(action: OperatorAction, now: Date): Promise<boolean>;
  /** Returns the entries of the log in their order, unverified. */
  log(): Promise<Record<string, unknown>[]>;
}

/** An operator whose token is right. */
export interface KnownOperator {
  readonly name: string;
  /**
   * The input from which the keys of its sessions follow: after a change of the token they are others. It is
   * a secret for `admin`, a hash for others.
   */
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
   * Returns the operator who has this token. It has 256 random bits, so that the timing of a look-up by its
   * hash tells nothing.
   * @throws ERR_AUTH_REQUIRED if nobody has it, or somebody who is revoked; ERR_TOKEN_EXPIRED
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

  /**
   * Returns an operator who may have sessions; undefined if there is none of this name, or if it is revoked.
   * Sessions end before the token does.
   */
  async named(name: string): Promise<KnownOperator | undefined> {
    if (name !== ADMIN) return known(await this.#store.named(name));
    const token = this.#admin.current;
    return token === undefined ? undefined : { name, token, expiresAt: null };
  }

  /**
   * Logs an operation; it must be called before the operation is done.
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
