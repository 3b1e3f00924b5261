/** Rows of contributions to a task, and their bodies. */
import { among, erasing, rowOf, rows, rowsOf, sql, type Work } from '@eigenveil/server';
import type { TaskId } from '@eigenveil/task';
import type { OwnerId, TreeContribution } from '@eigenveil/wire';
import type { NewContribution, StoredContribution } from './store.ts';

/** A statement that writes bodies of owners who have none in the task. */
export function insertBodies(taskId: TaskId, contributions: readonly NewContribution[]) {
  const bodies = contributions.map(({ ownerId, record, bytes }) => [taskId, ownerId, record, bytes]);
  return sql`INSERT INTO contribution_bodies (task_id, owner_id, record, bytes) VALUES ${rows(bodies)}`;
}

/**
 * Writes the bodies of those owners who have none in the task; returns who they are. Where another transaction is about to write the
 * same owner's, this waits for its end. In the order of the owners: two such transactions cannot wait for each other.
 */
export function* writeBodies(taskId: TaskId, contributions: readonly NewContribution[]): Work<OwnerId[]> {
  const byOwner = Map.groupBy(contributions, ({ ownerId }) => ownerId);
  const inOrder = [...byOwner.keys()].sort().map((ownerId) => byOwner.get(ownerId)![0]!);
  const written = yield* rowsOf<{ ownerId: OwnerId }>(
    sql`${insertBodies(taskId, inOrder)} ON CONFLICT (task_id, owner_id) DO NOTHING RETURNING owner_id AS "ownerId"`,
  );
  return written.map(({ ownerId }) => ownerId);
}

export function* deleteBodies(taskId: TaskId, owners: readonly OwnerId[]): Work<void> {
  yield erasing`DELETE FROM contribution_bodies WHERE task_id = ${taskId} AND owner_id ${among(owners)}`;
}

export function* contributionOf(taskId: TaskId, ownerId: OwnerId): Work<StoredContribution | undefined> {
  const row = yield* rowOf<StoredContribution>(sql`
    SELECT owner_id AS "ownerId", digest, receipt, withdrawn FROM contributions
      WHERE task_id = ${taskId} AND owner_id = ${ownerId}`);
  return row && { ...row, withdrawn: Boolean(row.withdrawn) };
}

/** See contributions of the store. */
export function* treeContributions(
  taskId: TaskId,
  after: OwnerId | '',
  limit: number,
): Work<TreeContribution[]> {
  const found = yield* rowsOf<TreeContribution>(sql`
    SELECT owner_id AS "ownerId", digest AS "contributionDigest" FROM contributions
      WHERE task_id = ${taskId} AND owner_id > ${after} AND NOT withdrawn ORDER BY owner_id LIMIT ${limit}`);
  return [...found];
}

/** See records of the store. */
export function* recordsOf(taskId: TaskId, after: number, limit: number) {
  const found = yield* rowsOf<{ sequence: number; record: string }>(sql`
    SELECT sequence, record FROM contributions JOIN contribution_bodies USING (task_id, owner_id)
      WHERE task_id = ${taskId} AND sequence > ${after} ORDER BY sequence LIMIT ${limit}`);
  return [...found];
}
