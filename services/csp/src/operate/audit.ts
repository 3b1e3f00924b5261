/**
 * The audit log says what the CSP has used its secret keys and shares for. A hash binds each entry to the one
 * before it. It holds digests, never a secret, and outlives the tasks that it tells about.
 */
import type { DatabaseSync } from 'node:sqlite';
import {
  auditBroken,
  ChainedLog,
  databaseFile,
  LINK,
  SqliteDriver,
  type VerifiedLog,
} from '@eigenveil/server';
import { TaskId } from '@eigenveil/task';
import { Digest } from '@eigenveil/wire';
import { z } from 'zod';

/**
 * The operations of entries:
 *
 * - `key made`: a Paillier key was drawn for a task; the digest is the task's.
 * - `unblinded`: the key is about to decrypt a blinded aggregate; the digest is that of its ciphertexts.
 *   There is one such entry per task, or another one with the same digest after a crash.
 * - `key destroyed`: the key is gone. The digest is that of the request that was unblinded; there is none
 *   where the task was ended.
 * - `computation answered`: the last message that the data user needs to decode an answer is about to
 *   leave. There is one entry for each answer to the request with this digest. With `rotated` it is the first
 *   message that depends on the rotation, also when a check fails instead, since that ends the task as an
 *   answer does.
 * - `computation resumed`: the same answer with `rotated` is about to be given again, after a connection
 *   broke or a server was restarted.
 * - `computation started`: shares of that request are about to enter a computation, whether it will lead to
 *   an answer or not. It is written for the first, second, fourth, eighth, … computation of a task, so that
 *   the n-th entry says that there were 2^(n−1): a data user whose connection breaks again and again does not
 *   fill the log.
 * - `restored`: the database was put back from the backup with this digest. The entry belongs to no task:
 *   it ends them all.
 * - `records fixed`: only the set of records with this root counts, even if owners are revoked later.
 * - `ended by operator`: a command has ended the task; what it had is destroyed with it.
 * - `owner revoked`, `data user revoked` (with the thumbprint of its key), `token revoked` (with the
 *   token's hash): these entries belong to no task.
 *
 * followRules() checks that the entries of a task follow one another as these sentences say.
 */
export const AUDIT_OPERATIONS = [
  'key made',
  'unblinded',
  'key destroyed',
  'computation answered',
  'restored',
  'computation started',
  'computation resumed',
  'records fixed',
  'ended by operator',
  'owner revoked',
  'token revoked',
  'data user revoked',
] as const;
export type AuditOperation = (typeof AUDIT_OPERATIONS)[number];

const OF_NO_TASK: ReadonlySet<AuditOperation> = new Set([
  'restored',
  'owner revoked',
  'token revoked',
  'data user revoked',
]);

const AuditEntry = z.strictObject({
  ...LINK,
  taskId: TaskId.nullable(),
  operation: z.enum(AUDIT_OPERATIONS),
  requestDigest: Digest.nullable(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

export const AUDIT_TABLE = `
  CREATE TABLE audit (
    sequence       INTEGER PRIMARY KEY,
    time           TEXT NOT NULL,
    task_id        TEXT,
    operation      TEXT NOT NULL,
    request_digest TEXT,
    previous_hash  TEXT NOT NULL,
    hash           TEXT NOT NULL
  ) STRICT;
`;

export interface AuditedUse {
  readonly taskId: TaskId | null;
  readonly operation: AuditOperation;
  readonly requestDigest: Digest | null;
}

const LOG = new ChainedLog<AuditedUse>(AuditEntry, ['taskId', 'operation', 'requestDigest']);

/** Adds an entry (see ChainedLog). */
export function appendAudit(db: DatabaseSync, time: Date, use: AuditedUse): void {
  if (!db.isTransaction)
    throw new TypeError('an audit entry expected the transaction of the change that it records');
  new SqliteDriver(db).within(LOG.append(time, use));
}

/**
 * Returns the entries in their order, as they stand in the database of a CSP that may be running.
 * @throws ERR_DATABASE
 */
export function readAudit(dataDirectory: string): Record<string, unknown>[] {
  return LOG.read(databaseFile(dataDirectory));
}

export type VerifiedAudit = VerifiedLog<AuditEntry>;

/**
 * Checks the chain (see ChainedLog), and that no task's key or shares were used against the rules.
 * @throws ERR_AUDIT_BROKEN, which names the first entry that is wrong
 */
export function verifyAudit(rows: readonly Record<string, unknown>[], noted?: Digest): VerifiedAudit {
  const tasks = new Map<TaskId, AuditedTask>();
  /** Thumbprints and hashes that were revoked since the last restoration, which may forget them. */
  const revoked = new Set<string>();
  return LOG.verify(rows, noted, (content, place) => {
    if (content.taskId === null) {
      const { operation, requestDigest } = content;
      if (!OF_NO_TASK.has(operation))
        throw auditBroken(`${place} breaks the rules: "${operation}" expected a task`);
      if (operation === 'restored') {
        revoked.clear();
        for (const [id, known] of tasks) tasks.set(id, { ...known, over: operation });
      } else {
        const subject = `${operation} ${requestDigest}`;
        if (requestDigest === null || revoked.has(subject))
          throw auditBroken(`${place} breaks the rules: "${operation}" expected once of somebody`);
        revoked.add(subject);
      }
    } else {
      const known = followRules(tasks.get(content.taskId), content, place);
      tasks.set(content.taskId, known);
    }
  });
}

/** The state of a task, as its entries so far tell it. */
interface AuditedTask {
  /** The one request that the task's key and shares may be used for, once it is known. */
  readonly request: Digest | null | undefined;
  readonly isKeyDestroyed: boolean;
  readonly isAnswered: boolean;
  readonly isFixed: boolean;
  /**
   * The event that has ended the task for good: a restoration of the database, or a command of the operator.
   */
  readonly over: 'restored' | 'ended by operator' | undefined;
}

/**
 * Returns the state of a task after one more entry.
 * @throws ERR_AUDIT_BROKEN if no honest CSP would have written the entry
 */
function followRules(
  before: AuditedTask | undefined,
  { taskId, operation, requestDigest }: AuditedUse,
  place: string,
): AuditedTask {
  const broken = (why: string) =>
    auditBroken(`${place} breaks the rules: "${operation}" of task ${taskId} ${why}`);
  const known = before ?? {
    request: undefined,
    isKeyDestroyed: false,
    isAnswered: false,
    isFixed: false,
    over: undefined,
  };
  if (before === undefined && operation !== 'key made') throw broken('expected "key made" before it');
  if (known.over !== undefined && operation !== 'key made' && operation !== 'key destroyed')
    throw broken(`follows "${known.over}"`);
  switch (operation) {
    case 'key made':
      if (before !== undefined) throw broken('expected to be its first entry');
      return known;
    case 'unblinded':
      if (known.isKeyDestroyed) throw broken('follows "key destroyed"');
      if (known.request !== undefined && known.request !== requestDigest)
        throw broken('expected the request unblinded before');
      return { ...known, request: requestDigest };
    case 'key destroyed':
      return { ...known, isKeyDestroyed: true };
    case 'computation started':
    case 'computation answered':
      if (known.request !== requestDigest) throw broken('expected a request that was unblinded');
      return {
        ...known,
        request: requestDigest,
        isAnswered: operation === 'computation answered' || known.isAnswered,
      };
    case 'computation resumed':
      if (!known.isAnswered || known.request !== requestDigest)
        throw broken('expected an answer that was given, to the same request');
      return known;
    case 'records fixed':
      if (known.isFixed || known.isKeyDestroyed || known.request !== undefined)
        throw broken('expected once, before the unblinding');
      return { ...known, isFixed: true };
    case 'ended by operator':
      return { ...known, over: operation };
    case 'restored':
    case 'owner revoked':
    case 'token revoked':
    case 'data user revoked':
      throw broken('expected no task');
  }
}
