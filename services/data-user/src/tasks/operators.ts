/**
 * The operators of the data user: `admin`, whose token is in the data directory, and named operators, whose
 * tokens expire and are kept as hashes. An operator's action is written into a log, a chain of hashes (see
 * ChainedLog), before it is done: nothing is done that is not in the log, and the action of an entry may then have
 * been refused.
 */

import { CodedError } from '@eigenveil/platform';
import {
  type AdminToken,
  auditBroken,
  ChainedLog,
  hashOneTimeToken,
  LINK,
  type VerifiedLog,
} from '@eigenveil/server';
import { TaskId } from '@eigenveil/task';
import { CODES, type Digest } from '@eigenveil/wire';
import { z } from 'zod';

/**
 * - `signed in`: the operator's token was exchanged for a session of the console.
 * - `task created`, `task renewed`, `task closed`, `task cancelled`, `result fetched`: the operator has asked
 *   for it, of this task. It
 *   may have been refused then.
 * - `operator added`, `operator revoked`: by a command on the machine; the subject is the operator's name.
 * - `restored`: the database was put back from the backup with this digest, and all operators were revoked.
 */
const OPERATOR_OPERATIONS = [
  'signed in',
  'task created',
  'task renewed',
  'task closed',
  'task cancelled',
  'result fetched',
  'operator added',
  'operator revoked',
  'restored',
] as const;
type OperatorOperation = (typeof OPERATOR_OPERATIONS)[number];

/** The operations that are done on the machine, without an operator. */
const ON_THE_MACHINE = ['operator added', 'operator revoked', 'restored'] as const;
const isOnTheMachine = (operation: OperatorOperation) =>
  (ON_THE_MACHINE as readonly OperatorOperation[]).includes(operation);

const Entry = z.strictObject({
  ...LINK,
  operator: z.string().nullable(),
  operation: z.enum(OPERATOR_OPERATIONS),
  taskId: TaskId.nullable(),
  subject: z.string().nullable(),
});
type OperatorEntry = z.infer<typeof Entry>;
export type OperatorAction = Pick<OperatorEntry, 'operator' | 'operation' | 'taskId' | 'subject'>;

export function onTheMachine(operation: (typeof ON_THE_MACHINE)[number], subject: string): OperatorAction {
  return { operator: null, operation, taskId: null, subject };
}

export const OPERATOR_LOG = new ChainedLog<OperatorAction>(Entry, [
  'operator',
  'operation',
  'taskId',
  'subject',
]);

/**
 * Checks the chain, and that every action was done by somebody who was an operator at that time.
 * @param admin the operator whom nobody adds
 * @throws ERR_AUDIT_BROKEN, which names the first entry that is wrong
 */
export function verifyOperatorLog(
  rows: readonly Record<string, unknown>[],
  admin: string,
  noted?: Digest,
): VerifiedLog<OperatorEntry> {
  const operators = new Set<string>();
  return OPERATOR_LOG.verify(rows, noted, ({ operator, operation, taskId, subject }, place) => {
    const require = (holds: boolean, expected: string) => {
      if (!holds) throw auditBroken(`${place} breaks the rules: "${operation}" expected ${expected}`);
    };
    const isOfTask = operation.startsWith('task ') || operation === 'result fetched';
    require((taskId !== null) === isOfTask, isOfTask ? 'a task' : 'no task');
    if (!isOnTheMachine(operation)) {
      require(subject === null, 'no subject');
      require(operator === admin ||
        operators.has(operator ?? ''), 'an operator who was added and not revoked');
      return;
    }
    require(operator === null && subject !== null, 'a subject, and no operator');
    if (operation === 'restored') operators.clear();
    else if (operation === 'operator added') operators.add(subject!);
    else require(operators.delete(subject!), 'an operator who was added and not revoked');
  });
}

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
