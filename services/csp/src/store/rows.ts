/** Reads and writes rows of the CSP's tables in SQLite. */
import { type Database, forgetAnswer, type SqliteDriver } from '@eigenveil/server';
import type { Task, TaskId } from '@eigenveil/task';
import type { Counted, Digest, OwnerId } from '@eigenveil/wire';
import type { StoredTask } from './store.ts';

/** The number of a task's computations that have begun, and of those that were answered. */
interface Computations {
  readonly starts: number;
  readonly answers: number;
}

/** The condition on a task that has shares for an answer. */
export const GIVES_ANSWERS = "state = 'unblinded' AND sealed_shares IS NOT NULL";

/** Returns the digest of the request that gave the task's shares, or undefined when there are none. */
export function requestOfShares(db: Database, taskId: TaskId): Digest | null | undefined {
  const request = `SELECT unblinding_digest FROM tasks WHERE task_id = ? AND ${GIVES_ANSWERS}`;
  const row = db.prepare(request).get(taskId);
  return row && (row.unblinding_digest as Digest | null);
}

/** Adds to the counts of the task's computations, and returns the new counts. */
export function countComputation(db: Database, taskId: TaskId, more: Computations): Computations {
  const row = db
    .prepare(
      `INSERT INTO computations (task_id, starts, answers) VALUES (?1, ?2, ?3)
       ON CONFLICT (task_id) DO UPDATE SET starts = starts + ?2, answers = answers + ?3
       RETURNING starts, answers`,
    )
    .get(taskId, more.starts, more.answers)!;
  return { starts: Number(row.starts), answers: Number(row.answers) };
}

/** Returns whether the task still has its secret key. */
export function hasKey(db: Database, taskId: TaskId): boolean {
  const key = 'SELECT 1 FROM tasks WHERE task_id = ? AND sealed_secret_key IS NOT NULL';
  return db.prepare(key).get(taskId) !== undefined;
}

/** Returns the count of the owner's ledger, or undefined if nothing was counted. */
export function countedOf(db: Database, ownerId: OwnerId): Counted | undefined {
  const row = db.prepare('SELECT counter, digest FROM owner_counters WHERE owner_id = ?').get(ownerId);
  return row && { counter: Number(row.counter), digest: row.digest as Digest };
}

/** Ends a task and destroys its secrets; the caller writes the audit entry and empties the log. */
export function endTaskRows(db: Database, driver: SqliteDriver, taskId: TaskId): void {
  db.prepare(
    `UPDATE tasks SET state = 'ended', sealed_secret_key = NULL, sealed_shares = NULL,
       records_removed = records_added WHERE task_id = ?`,
  ).run(taskId);
  db.prepare('DELETE FROM records WHERE task_id = ?').run(taskId);
  db.prepare('DELETE FROM withdrawals WHERE task_id = ?').run(taskId);
  db.prepare('DELETE FROM refinements WHERE task_id = ?').run(taskId);
  driver.within(forgetAnswer(taskId));
}

/** Returns a task in its current state. */
export function readTask(db: Database, taskId: TaskId): StoredTask | undefined {
  const row = db.prepare('SELECT * FROM tasks WHERE task_id = ?').get(taskId);
  if (row === undefined) return undefined;
  return {
    task: JSON.parse(row.task as string) as Task,
    digest: row.digest as Digest,
    agreement: row.agreement as string,
    state: row.state as StoredTask['state'],
    sealedSecretKey: row.sealed_secret_key as Uint8Array | null,
    fixation:
      row.fixed_root === null
        ? null
        : {
            verifiedOwners: row.fixed_owners as number,
            contributionsRoot: row.fixed_root as Digest,
          },
    unblindingDigest: row.unblinding_digest as Digest | null,
    sealedShares: row.sealed_shares as Uint8Array | null,
  };
}
