/**
 * The audit log: what the CSP has used its secret keys and shares for, each entry bound to the one before it by a hash. It
 * holds digests, never a secret, and outlives the tasks that it tells of.
 */
import { DatabaseSync } from 'node:sqlite';
import { databaseFile, ServerError } from '@eigenveil/server';
import { TaskId } from '@eigenveil/task';
import { Digest, digestBytes, digestJson } from '@eigenveil/wire';
import { z } from 'zod';

/**
 * - `key made`: a Paillier key was drawn for a task; the digest is the task's.
 * - `unblinded`: the key is about to decrypt a blinded aggregate; the digest is that of its ciphertexts. Once per task, or with
 *   the same digest again after a crash.
 * - `key destroyed`: with the digest of the request that was unblinded, or none where the task was ended.
 * - `computation answered`: the last message that the data user needs to decode an answer is about to leave, for the request with this
 *   digest, one entry for each; with `rotated` the first that depends on the rotation, also when a check fails instead, since that ends the
 *   task as an answer does.
 * - `computation resumed`: the answer with `rotated` is about to be given again, the same, after a line broke or a server was restarted.
 * - `computation started`: shares of that request are about to enter a computation, whether it will come to an answer or not. Written for the
 *   first, second, fourth, eighth, … of a task, so that the n-th entry says that there were 2^(n−1): a data user whose line breaks
 *   again and again does not fill the log.
 * - `restored`: the database was put back from the backup with this digest. The one entry of no task: it ends them all.
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
] as const;
export type AuditOperation = (typeof AUDIT_OPERATIONS)[number];

const AuditEntry = z.strictObject({
  /** 1, 2, 3, … */
  sequence: z.int().min(1),
  time: z.iso.datetime(),
  taskId: TaskId.nullable(),
  operation: z.enum(AUDIT_OPERATIONS),
  requestDigest: Digest.nullable(),
  previousHash: Digest,
  /** Of all the members above. */
  hash: Digest,
});
export type AuditEntry = z.infer<typeof AuditEntry>;

export const AUDIT_TABLE = `
  CREATE TABLE audit (
    sequence       INTEGER PRIMARY KEY,
    time           TEXT NOT NULL,
    task_id        TEXT NOT NULL,
    operation      TEXT NOT NULL,
    request_digest TEXT,
    previous_hash  TEXT NOT NULL,
    hash           TEXT NOT NULL
  ) STRICT;
`;

/** A restoration is of no task. */
export const AUDIT_OF_NO_TASK = `
  ALTER TABLE audit RENAME TO old_audit;
  CREATE TABLE audit (
    sequence       INTEGER PRIMARY KEY,
    time           TEXT NOT NULL,
    task_id        TEXT,
    operation      TEXT NOT NULL,
    request_digest TEXT,
    previous_hash  TEXT NOT NULL,
    hash           TEXT NOT NULL
  ) STRICT;
  INSERT INTO audit SELECT * FROM old_audit;
  DROP TABLE old_audit;
`;

const SELECT = `
  SELECT sequence, time, task_id AS taskId, operation, request_digest AS requestDigest,
         previous_hash AS previousHash, hash
  FROM audit`;

/** What the first entry follows. */
const BEGINNING = digestBytes('audit log');

export class AuditError extends Error {
  override readonly name = 'AuditError';
  readonly code = 'ERR_AUDIT_BROKEN';
}

export interface AuditedUse {
  readonly taskId: TaskId | null;
  readonly operation: AuditOperation;
  readonly requestDigest: Digest | null;
}

/** Adds an entry. To be called within the transaction that does what it tells of, so that there is neither without the other. */
export function appendAudit(db: DatabaseSync, time: Date, use: AuditedUse): void {
  if (!db.isTransaction) throw new TypeError('an audit entry expected the transaction of what it tells of');
  const last = db.prepare('SELECT sequence, hash FROM audit ORDER BY sequence DESC LIMIT 1').get();
  const { taskId, operation, requestDigest } = use;
  const entry = {
    sequence: Number(last?.sequence ?? 0) + 1,
    time: time.toISOString(),
    taskId,
    operation,
    requestDigest,
    previousHash: (last?.hash as Digest | undefined) ?? BEGINNING,
  };
  db.prepare('INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?)').run(...Object.values(entry), hashOf(entry));
}

/**
 * The entries in their order, as they stand in the database of a CSP that may be running.
 * @throws ERR_DATABASE
 */
export function readAudit(dataDirectory: string): Record<string, unknown>[] {
  const path = databaseFile(dataDirectory);
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { readOnly: true }); // evidence is not to be touched
    return db.prepare(`${SELECT} ORDER BY sequence`).all();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown reason';
    throw new ServerError('ERR_DATABASE', `"${path}" expected a database with an audit log: ${reason}`, {
      cause,
    });
  } finally {
    db?.close();
  }
}

export interface VerifiedAudit {
  readonly entries: readonly AuditEntry[];
  /** To be noted elsewhere: it vouches for every entry up to now. */
  readonly lastHash: Digest;
}

/**
 * Checks that every entry is what was appended, none was removed or put elsewhere, that no task's key or shares were used against
 * the rules, and that the entry with a hash that was noted before is among them. Without a noted hash it cannot be seen that the latest entries were removed, or that somebody has
 * computed the whole log anew.
 * @throws ERR_AUDIT_BROKEN, which names the first entry that is wrong
 */
export function verifyAudit(rows: readonly Record<string, unknown>[], noted?: Digest): VerifiedAudit {
  let lastHash = BEGINNING;
  let isNotedThere = noted === undefined || noted === BEGINNING;
  const tasks = new Map<TaskId, AuditedTask>();
  let isRestored = false;
  const entries = rows.map((row, i) => {
    const place = `entry ${i + 1}`;
    const parsed = AuditEntry.safeParse({ ...row });
    if (!parsed.success) throw new AuditError(`${place} was changed: it has the wrong form`);
    const { hash, ...content } = parsed.data;
    if (content.sequence !== i + 1)
      throw new AuditError(`${place} has number ${content.sequence}: entries were removed or added`);
    if (content.previousHash !== lastHash)
      throw new AuditError(
        `${place} does not follow the one before it: it was put here, or that was changed`,
      );
    if (hash !== hashOf(content)) throw new AuditError(`${place} was changed: it has another hash`);
    if (content.taskId === null) {
      if (content.operation !== 'restored')
        throw new AuditError(`${place} breaks the rules: "${content.operation}" expected a task`);
      isRestored = true;
      for (const [id, known] of tasks) tasks.set(id, { ...known, isOver: true });
    } else {
      const known = followRules(tasks.get(content.taskId), content, place, isRestored);
      tasks.set(content.taskId, known);
    }
    lastHash = hash;
    isNotedThere ||= hash === noted;
    return parsed.data;
  });
  if (!isNotedThere)
    throw new AuditError(
      `none of ${entries.length} entries has the noted hash: the latest were removed, or all computed anew`,
    );
  return { entries, lastHash };
}

/** What the entries of a task have told so far. */
interface AuditedTask {
  /** The one request that its key and shares may be used for, as soon as it is known. */
  readonly request: Digest | null | undefined;
  readonly isKeyDestroyed: boolean;
  readonly isAnswered: boolean;
  /** The database was restored since, which has ended it. */
  readonly isOver: boolean;
  /** Its key was made before there was a log, so that its unblinding may be missing too. */
  readonly isOlder: boolean;
}

/**
 * What is known of a task after one more entry.
 * @throws ERR_AUDIT_BROKEN where no honest CSP would have written it
 */
function followRules(
  before: AuditedTask | undefined,
  { taskId, operation, requestDigest }: AuditedUse,
  place: string,
  isRestored: boolean,
): AuditedTask {
  const broken = (why: string) =>
    new AuditError(`${place} breaks the rules: "${operation}" of task ${taskId} ${why}`);
  const known = before ?? {
    request: undefined,
    isKeyDestroyed: false,
    isAnswered: false,
    isOlder: operation !== 'key made',
    isOver: isRestored && operation !== 'key made',
  };
  if (known.isOver && operation !== 'key made' && operation !== 'key destroyed')
    throw broken('follows "restored"');
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
      if (known.request !== requestDigest && !(known.isOlder && known.request === undefined))
        throw broken('expected a request that was unblinded');
      return {
        ...known,
        request: requestDigest,
        isAnswered: operation === 'computation answered' || known.isAnswered,
      };
    case 'computation resumed':
      if (!known.isAnswered || known.request !== requestDigest)
        throw broken('expected an answer that was given, to the same request');
      return known;
    case 'restored':
      throw broken('expected no task');
  }
}

function hashOf(content: Omit<AuditEntry, 'hash'>): Digest {
  return digestJson('audit entry', content);
}
