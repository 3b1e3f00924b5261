/** Revoked owners: who they are, and their contributions dropped. */
import { among, countOf, erasing, listed, rowOf, rowsOf, sql, type Work } from '@eigenveil/server';
import type { TaskId } from '@eigenveil/task';
import type { OwnerId } from '@eigenveil/wire';
import { deleteBodies } from './contributions.ts';
import { idsOf, locked } from './rows.ts';
import { dropsRevoked } from './rules.ts';
import type { StoredRevocations } from './store.ts';

/** See keepRevocations of the store. In the order of the owners: two processes that keep lists at once cannot wait for each other. */
export function* keepRevocations(
  { number, issuedAt }: StoredRevocations,
  owners: readonly OwnerId[],
): Work<number> {
  yield sql`
    INSERT INTO revocations AS kept (only_row, number, issued_at) VALUES (true, ${number}, ${issuedAt})
      ON CONFLICT (only_row) DO UPDATE SET number = excluded.number, issued_at = excluded.issued_at
      WHERE (excluded.number, excluded.issued_at) > (kept.number, kept.issued_at)`;
  return yield* countOf(sql`
    INSERT INTO revoked_owners (owner_id) SELECT value FROM ${listed(owners.toSorted())} WHERE true
      ON CONFLICT (owner_id) DO NOTHING`);
}

/** See revocations of the store. */
export function* readRevocations(): Work<StoredRevocations | undefined> {
  const row = yield* rowOf<{ number: number | string; issuedAt: string }>(
    sql`SELECT number, issued_at AS "issuedAt" FROM revocations`,
  );
  return row && { ...row, number: Number(row.number) };
}

/** See isRevoked of the store. */
export function* isRevoked(ownerId: OwnerId): Work<boolean> {
  return (yield* countOf(sql`SELECT 1 FROM revoked_owners WHERE owner_id = ${ownerId}`)) > 0;
}

/** See tasksWithRevoked of the store. */
export function tasksWithRevoked(): Work<TaskId[]> {
  // In this order, SQLite looks up each owner by the key of contributions, which are many.
  return idsOf(sql`
    SELECT task_id AS id FROM tasks WHERE (state = 'open' OR (state = 'closed' AND fixation IS NULL))
      AND EXISTS (SELECT 1 FROM revoked_owners CROSS JOIN contributions
        WHERE contributions.task_id = tasks.task_id AND contributions.owner_id = revoked_owners.owner_id AND NOT withdrawn)`);
}

/**
 * See dropRevoked of the store. Contributions are stored under the same lock: none of an owner who was revoked before can come behind this one's
 * back.
 */
export function* dropRevoked(taskId: TaskId): Work<number> {
  if (!dropsRevoked(yield* locked(taskId))) return 0;
  const dropped = yield* rowsOf<{ ownerId: OwnerId; batch: number | null }>(sql`
    UPDATE contributions SET withdrawn = true
      WHERE task_id = ${taskId} AND NOT withdrawn AND owner_id IN (SELECT owner_id FROM revoked_owners)
      RETURNING owner_id AS "ownerId", batch`);
  // Also of those whose contributions have not come to their end.
  yield erasing`
    DELETE FROM uploads WHERE task_id = ${taskId} AND owner_id IN (SELECT owner_id FROM revoked_owners)`;
  if (dropped.length === 0) return 0;
  yield* deleteBodies(
    taskId,
    dropped.map(({ ownerId }) => ownerId),
  );
  const batches = among([...new Set(dropped.flatMap(({ batch }) => batch ?? []))]);
  yield erasing`DELETE FROM partial_products WHERE task_id = ${taskId} AND batch ${batches}`;
  yield sql`UPDATE contributions SET batch = NULL WHERE task_id = ${taskId} AND batch ${batches}`;
  yield sql`UPDATE tasks SET contributions = contributions - ${dropped.length} WHERE task_id = ${taskId}`;
  return dropped.length;
}
