/** Revoked owners in SQLite: who they are, and their contributions dropped; within the transactions of the store. */
import type { TaskId } from '@eigenveil/task';
import type { OwnerId } from '@eigenveil/wire';
import type { Prepare } from './sqlite-rows.ts';
import type { StoredRevocations } from './store.ts';

export function keepRevocations(
  prepare: Prepare,
  { number, issuedAt }: StoredRevocations,
  owners: readonly OwnerId[],
): number {
  prepare(
    `INSERT INTO revocations (only_row, number, issued_at) VALUES (1, ?, ?)
       ON CONFLICT (only_row) DO UPDATE SET number = excluded.number, issued_at = excluded.issued_at
       WHERE (excluded.number, excluded.issued_at) > (number, issued_at)`,
  ).run(number, issuedAt);
  const insert = prepare(
    'INSERT INTO revoked_owners (owner_id) VALUES (?) ON CONFLICT (owner_id) DO NOTHING',
  );
  return owners.reduce((sum, ownerId) => sum + Number(insert.run(ownerId).changes), 0);
}

export function readRevocations(prepare: Prepare): StoredRevocations | undefined {
  const row = prepare('SELECT number, issued_at FROM revocations').get();
  return row && { number: row.number as number, issuedAt: row.issued_at as string };
}

export function revokedAmong(prepare: Prepare, owners: readonly OwnerId[]): ReadonlySet<OwnerId> {
  const find = prepare('SELECT 1 FROM revoked_owners WHERE owner_id = ?');
  return new Set(owners.filter((ownerId) => find.get(ownerId) !== undefined));
}

export function tasksWithRevoked(prepare: Prepare): TaskId[] {
  // In this order, each owner is looked up by the key of contributions, which are many.
  const rows = prepare(
    `SELECT task_id FROM tasks WHERE (state = 'open' OR (state = 'closed' AND fixation IS NULL))
       AND EXISTS (SELECT 1 FROM revoked_owners CROSS JOIN contributions
         WHERE contributions.task_id = tasks.task_id AND contributions.owner_id = revoked_owners.owner_id AND withdrawn = 0)`,
  ).all();
  return rows.map((row) => row.task_id as TaskId);
}

/** Returns how many contributions it has dropped. */
export function dropRevoked(prepare: Prepare, taskId: TaskId): number {
  const dropped = prepare(
    `UPDATE contributions SET withdrawn = 1
       WHERE task_id = ? AND withdrawn = 0 AND owner_id IN (SELECT owner_id FROM revoked_owners)
       RETURNING sequence, batch`,
  ).all(taskId);
  // Also of those whose contributions have not come to their end.
  prepare('DELETE FROM uploads WHERE task_id = ? AND owner_id IN (SELECT owner_id FROM revoked_owners)').run(
    taskId,
  );
  if (dropped.length === 0) return 0;
  for (const { sequence } of dropped)
    prepare('DELETE FROM contribution_bodies WHERE task_id = ? AND sequence = ?').run(taskId, sequence!);
  for (const batch of new Set(dropped.map((row) => row.batch!)))
    if (batch !== null) {
      prepare('DELETE FROM partial_products WHERE task_id = ? AND batch = ?').run(taskId, batch);
      prepare('UPDATE contributions SET batch = NULL WHERE task_id = ? AND batch = ?').run(taskId, batch);
    }
  prepare('UPDATE tasks SET contributions = contributions - ? WHERE task_id = ?').run(dropped.length, taskId);
  return dropped.length;
}
