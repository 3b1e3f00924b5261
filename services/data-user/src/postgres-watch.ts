/** What the console shows of a task, read from PostgreSQL and counted there. */
import type { PostgresQueries } from '@eigenveil/server';
import type { TaskId } from '@eigenveil/task';
import { type ShownRow, shownOf } from './postgres-rows.ts';
import type { DataUserStore, Refused, StoredOwner, WatchedTask } from './store.ts';
import { spread } from './store-rules.ts';

type Row = ShownRow & { readonly refused: readonly Refused[] };

export async function watched(db: PostgresQueries, taskId: TaskId): Promise<WatchedTask | undefined> {
  const { rows } = await db.query<Row>({
    text: `
      SELECT task, state, contributions, last_sequence, failure, timings, entered, activity, fixation,
        (SELECT coalesce(json_agg(json_build_object('code', code, 'count', count, 'lastAt', last_at)
            ORDER BY count DESC, code), '[]')
          FROM refusals WHERE refusals.task_id = tasks.task_id) AS refused
      FROM tasks WHERE task_id = $1`,
    values: [taskId],
  });
  const row = rows[0];
  if (row === undefined) return undefined;
  return { ...shownOf(row), refused: row.refused };
}

/** See owners of the store. */
export async function ownersOf(
  db: PostgresQueries,
  taskId: TaskId,
  after: number,
  limit: number,
): Promise<StoredOwner[]> {
  const { rows } = await db.query<StoredOwner>({
    text: `
      SELECT sequence, owner_id AS "ownerId", receipt, withdrawn FROM contributions
      WHERE task_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3`,
    values: [taskId, after, limit],
  });
  return rows;
}

/** In the order of the keys: two processes that count at once cannot wait for each other. */
export async function addRefused(
  db: PostgresQueries,
  refused: Parameters<DataUserStore['addRefused']>[0],
): Promise<void> {
  await db.query({
    text: `
      INSERT INTO refusals (task_id, code, count, last_at)
      SELECT task_id, code, count, last_at
      FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) AS new (id, code, count, last_at)
        JOIN tasks ON task_id = id COLLATE "C"
      ORDER BY task_id, code COLLATE "C"
      ON CONFLICT (task_id, code) DO UPDATE SET count = refusals.count + excluded.count,
        last_at = greatest(refusals.last_at, excluded.last_at)`,
    values: [
      refused.map(({ taskId }) => taskId),
      refused.map(({ code }) => code),
      refused.map(({ count }) => count),
      refused.map(({ lastAt }) => lastAt),
    ],
  });
}

/** See arrivals of the store; within a transaction. A contribution that is withdrawn between its statements stays where it was. */
export async function arrivals(db: PostgresQueries, taskId: TaskId, most: number) {
  const { rows } = await db.query<{ contributions: number; withdrawn: number[] }>({
    text: `
      SELECT contributions, ARRAY(SELECT sequence FROM contributions AS of_task
          WHERE of_task.task_id = tasks.task_id AND withdrawn ORDER BY sequence) AS withdrawn
      FROM tasks WHERE task_id = $1`,
    values: [taskId],
  });
  const points = spread(rows[0]?.contributions ?? 0, rows[0]?.withdrawn ?? [], most);
  const { rows: found } = await db.query<{ sequence: number; receipt: string }>({
    text: 'SELECT sequence, receipt FROM contributions WHERE task_id = $1 AND sequence = ANY ($2::integer[])',
    values: [taskId, points.map(({ sequence }) => sequence)],
  });
  const receipts = new Map(found.map(({ sequence, receipt }) => [sequence, receipt]));
  return points.map(({ sequence, contributions }) => ({ receipt: receipts.get(sequence)!, contributions }));
}
