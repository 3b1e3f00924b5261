/** Rows of contributions in SQLite, within the transactions of the store: written, marked, deleted and read. */
import type { TaskId } from '@eigenveil/task';
import type { Digest, OwnerId } from '@eigenveil/wire';
import type { Prepare } from './sqlite-rows.ts';
import type { NewContribution, StoredContribution } from './store.ts';

export function insertContribution(
  prepare: Prepare,
  taskId: TaskId,
  sequence: number,
  { ownerId, digest, bytes, record, receipt }: NewContribution,
): void {
  prepare(
    'INSERT INTO contributions (task_id, owner_id, sequence, digest, receipt) VALUES (?, ?, ?, ?, ?)',
  ).run(taskId, ownerId, sequence, digest, receipt);
  prepare('INSERT INTO contribution_bodies (task_id, sequence, record, bytes) VALUES (?, ?, ?, ?)').run(
    taskId,
    sequence,
    record,
    bytes,
  );
}

/** Of an owner who has withdrawn before anything of it had come. */
export function markWithdrawn(prepare: Prepare, taskId: TaskId, ownerId: OwnerId): void {
  const row = prepare(
    'UPDATE tasks SET last_sequence = last_sequence + 1 WHERE task_id = ? RETURNING last_sequence',
  ).get(taskId);
  prepare(
    `INSERT INTO contributions (task_id, owner_id, sequence, digest, receipt, withdrawn)
       VALUES (?, ?, ?, '', '', 1)`,
  ).run(taskId, ownerId, row!.last_sequence!);
}

/** Marks a contribution that is there as withdrawn, and deletes its body. */
export function removeContribution(prepare: Prepare, taskId: TaskId, ownerId: OwnerId): void {
  const row = prepare(
    'UPDATE contributions SET withdrawn = 1 WHERE task_id = ? AND owner_id = ? RETURNING sequence',
  ).get(taskId, ownerId);
  prepare('DELETE FROM contribution_bodies WHERE task_id = ? AND sequence = ?').run(taskId, row!.sequence!);
  prepare('UPDATE tasks SET contributions = contributions - 1 WHERE task_id = ?').run(taskId);
}

export function contributionOf(
  prepare: Prepare,
  taskId: TaskId,
  ownerId: OwnerId,
): StoredContribution | undefined {
  const row = prepare(
    'SELECT owner_id, digest, receipt, withdrawn FROM contributions WHERE task_id = ? AND owner_id = ?',
  ).get(taskId, ownerId);
  return (
    row && {
      ownerId: row.owner_id as OwnerId,
      digest: row.digest as Digest,
      receipt: row.receipt as string,
      withdrawn: row.withdrawn === 1,
    }
  );
}
