/** Revoked owners in PostgreSQL: who they are, and their contributions dropped; within the transactions of the store. */
import type { PostgresQueries } from '@eigenveil/server';
import type { TaskId } from '@eigenveil/task';
import type { OwnerId } from '@eigenveil/wire';
import type { StoredRevocations } from './store.ts';

/** In the order of the owners: two processes that keep lists at once cannot wait for each other. */
export async function keepRevocations(
  db: PostgresQueries,
  { number, issuedAt }: StoredRevocations,
  owners: readonly OwnerId[],
): Promise<number> {
  await db.query({
    text: `
      INSERT INTO revocations AS kept (number, issued_at) VALUES ($1, $2)
      ON CONFLICT (only_row) DO UPDATE SET number = excluded.number, issued_at = excluded.issued_at
      WHERE (excluded.number, excluded.issued_at) > (kept.number, kept.issued_at)`,
    values: [number, issuedAt],
  });
  const { rowCount } = await db.query({
    text: `
      INSERT INTO revoked_owners (owner_id) SELECT id FROM unnest($1::text[]) AS new (id) ORDER BY id COLLATE "C"
      ON CONFLICT (owner_id) DO NOTHING`,
    values: [owners],
  });
  return rowCount;
}

export async function readRevocations(db: PostgresQueries): Promise<StoredRevocations | undefined> {
  const text = 'SELECT number::text, issued_at FROM revocations';
  const row = (await db.query<{ number: string; issued_at: string }>({ text })).rows[0];
  return row && { number: Number(row.number), issuedAt: row.issued_at };
}

export async function revokedAmong(
  db: PostgresQueries,
  owners: readonly OwnerId[],
): Promise<ReadonlySet<OwnerId>> {
  const text = 'SELECT owner_id FROM revoked_owners WHERE owner_id = ANY ($1)';
  const { rows } = await db.query<{ owner_id: OwnerId }>({ text, values: [owners] });
  return new Set(rows.map((row) => row.owner_id));
}

export async function tasksWithRevoked(db: PostgresQueries): Promise<TaskId[]> {
  const text = `
    SELECT task_id FROM tasks WHERE (state = 'open' OR (state = 'closed' AND fixation IS NULL))
      AND EXISTS (SELECT FROM revoked_owners JOIN contributions USING (owner_id)
        WHERE contributions.task_id = tasks.task_id AND NOT withdrawn)`;
  const { rows } = await db.query<{ task_id: TaskId }>({ text });
  return rows.map((row) => row.task_id);
}

/** Of a task that is locked; returns how many contributions it has dropped. */
export async function dropRevoked(db: PostgresQueries, taskId: TaskId): Promise<number> {
  const { rows } = await db.query<{ owner_id: OwnerId; batch: number | null }>({
    text: `
      UPDATE contributions SET withdrawn = true
      WHERE task_id = $1 AND NOT withdrawn AND owner_id IN (SELECT owner_id FROM revoked_owners)
      RETURNING owner_id, batch`,
    values: [taskId],
  });
  // Also of those whose contributions have not come to their end.
  await db.query({
    text: 'DELETE FROM uploads WHERE task_id = $1 AND owner_id IN (SELECT owner_id FROM revoked_owners)',
    values: [taskId],
  });
  if (rows.length === 0) return 0;
  const batches = [...new Set(rows.flatMap(({ batch }) => batch ?? []))];
  await db.query({
    text: `
      WITH bodies AS (DELETE FROM contribution_bodies WHERE task_id = $1 AND owner_id = ANY ($2)),
        products AS (DELETE FROM partial_products WHERE task_id = $1 AND batch = ANY ($3::integer[])),
        unmarked AS (UPDATE contributions SET batch = NULL WHERE task_id = $1 AND batch = ANY ($3::integer[]))
      UPDATE tasks SET contributions = contributions - $4 WHERE task_id = $1`,
    values: [taskId, rows.map((row) => row.owner_id), batches, rows.length],
  });
  return rows.length;
}
