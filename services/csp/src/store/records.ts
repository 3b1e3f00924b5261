/**
 * A task's set of verified records in the CSP's tables in SQLite. Until it is fixed, records are added, and
 * removed again when their owners withdraw or are revoked.
 */
import { CodedError } from '@eigenveil/platform';
import type { Database } from '@eigenveil/server';
import type { TaskId } from '@eigenveil/task';
import { CODES, type Digest, type FixationRequest, type OwnerId } from '@eigenveil/wire';
import { ownerRevoked } from '../service/refusals.ts';
import { isOwnerRevoked } from './admission.ts';
import { readTask } from './rows.ts';
import type { RecordChanges, VerifiedRecord } from './store.ts';

/**
 * The condition on a task whose records may still change: they are not fixed, and its unblinding has not
 * begun without fixing them.
 */
export const TAKES_RECORDS = "state = 'agreed' AND unblinding_digest IS NULL AND fixed_root IS NULL";

function takesRecords(db: Database, taskId: TaskId): boolean {
  return db.prepare(`SELECT 1 FROM tasks WHERE task_id = ? AND ${TAKES_RECORDS}`).get(taskId) !== undefined;
}

/** Returns the two numbers that change whenever the records of a task do. */
export function recordChanges(db: Database, taskId: TaskId): RecordChanges {
  const row = db
    .prepare('SELECT records_added AS added, records_removed AS removed FROM tasks WHERE task_id = ?')
    .get(taskId);
  return { added: Number(row?.added ?? 0), removed: Number(row?.removed ?? 0) };
}

/** Removes the record of an owner, if it is there; returns whether it was. */
export function removeRecord(db: Database, taskId: TaskId, ownerId: OwnerId): boolean {
  const { changes } = db
    .prepare('DELETE FROM records WHERE task_id = ? AND owner_id = ?')
    .run(taskId, ownerId);
  if (changes === 0) return false;
  db.prepare('UPDATE tasks SET records_removed = records_removed + 1 WHERE task_id = ?').run(taskId);
  return true;
}

/**
 * Adds records as the store's addRecords says. It needs a transaction, like all functions below that write.
 */
export function addRecords(db: Database, taskId: TaskId, records: readonly VerifiedRecord[]): number {
  const find = db.prepare('SELECT contribution_digest FROM records WHERE task_id = ? AND owner_id = ?');
  const insert = db.prepare('INSERT INTO records (task_id, owner_id, contribution_digest) VALUES (?, ?, ?)');
  const stored = readTask(db, taskId);
  const isOpen = takesRecords(db, taskId);
  let added = 0;
  for (const { ownerId, contributionDigest } of records) {
    const known = find.get(taskId, ownerId);
    if (known !== undefined) {
      if (known.contribution_digest === contributionDigest) continue;
      throw new CodedError(CODES.ERR_CONTRIBUTION_CONFLICT, '"records" expected one contribution per owner');
    }
    if (isOpen && isOwnerRevoked(db, ownerId)) throw ownerRevoked();
    if (hasWithdrawn(db, taskId, ownerId)) continue;
    if (!isOpen) throw fixed();
    insert.run(taskId, ownerId, contributionDigest);
    added += 1;
  }
  const owners = countRecords(db, taskId) + added;
  if (owners > (stored?.task.maximumOwners ?? 0)) {
    throw new CodedError(
      CODES.ERR_TASK_FULL,
      `"records" expected at most ${stored?.task.maximumOwners} owners, got ${owners}`,
    );
  }
  db.prepare('UPDATE tasks SET records_added = records_added + ? WHERE task_id = ?').run(added, taskId);
  return owners;
}

export function countRecords(db: Database, taskId: TaskId): number {
  const { added, removed } = recordChanges(db, taskId);
  return added - removed;
}

export function recordsOf(
  db: Database,
  taskId: TaskId,
  after: OwnerId | '',
  limit: number,
): VerifiedRecord[] {
  const rows = db
    .prepare(
      `SELECT owner_id, contribution_digest FROM records WHERE task_id = ? AND owner_id > ?
       ORDER BY owner_id LIMIT ?`,
    )
    .all(taskId, after, limit);
  return rows.map((row) => ({
    ownerId: row.owner_id as OwnerId,
    contributionDigest: row.contribution_digest as Digest,
  }));
}

export function withdraw(db: Database, taskId: TaskId, ownerId: OwnerId): void {
  if (hasWithdrawn(db, taskId, ownerId)) return;
  if (!takesRecords(db, taskId)) throw fixed();
  db.prepare('INSERT INTO withdrawals (task_id, owner_id) VALUES (?, ?)').run(taskId, ownerId);
  removeRecord(db, taskId, ownerId);
}

/** Fixes the records and returns whether it did: they may have changed since they were read. */
export function fixRecords(
  db: Database,
  taskId: TaskId,
  fixation: FixationRequest,
  asOf: RecordChanges,
): boolean {
  const { changes } = db
    .prepare(
      `UPDATE tasks SET fixed_owners = ?, fixed_root = ?
       WHERE task_id = ? AND ${TAKES_RECORDS} AND records_added = ? AND records_removed = ?`,
    )
    .run(fixation.verifiedOwners, fixation.contributionsRoot, taskId, asOf.added, asOf.removed);
  return changes === 1;
}

function hasWithdrawn(db: Database, taskId: TaskId, ownerId: OwnerId): boolean {
  const withdrawal = 'SELECT 1 FROM withdrawals WHERE task_id = ? AND owner_id = ?';
  return db.prepare(withdrawal).get(taskId, ownerId) !== undefined;
}

function fixed(): CodedError {
  return new CodedError(CODES.ERR_TASK_CLOSED, "the task's set of records is fixed, or the task has ended");
}
