/** What the console shows of a task, read and counted in the database. */
import { among, GREATEST, rows, rowsOf, sql, type Work } from '@eigenveil/server';
import type { TaskId } from '@eigenveil/task';
import type { ErrorCode } from '@eigenveil/wire';
import { idsOf, shownTask } from './rows.ts';
import { spread } from './rules.ts';
import type { DataUserStore, StoredOwner, WatchedTask } from './store.ts';

/** See watched of the store. */
export function* watched(taskId: TaskId): Work<WatchedTask | undefined> {
  const shown = yield* shownTask(taskId);
  if (shown === undefined) return undefined;
  const refused = yield* rowsOf<{ code: ErrorCode; count: number | string; lastAt: string }>(sql`
    SELECT code, count, last_at AS "lastAt" FROM refusals WHERE task_id = ${taskId} ORDER BY count DESC, code`);
  return { ...shown, refused: refused.map((row) => ({ ...row, count: Number(row.count) })) };
}

/** See owners of the store. */
export function* ownersOf(taskId: TaskId, after: number, limit: number): Work<StoredOwner[]> {
  const owners = yield* rowsOf<StoredOwner>(sql`
    SELECT sequence, owner_id AS "ownerId", receipt, withdrawn FROM contributions
      WHERE task_id = ${taskId} AND sequence > ${after} ORDER BY sequence LIMIT ${limit}`);
  return owners.map((row) => ({ ...row, withdrawn: Boolean(row.withdrawn) }));
}

/** See addRefused of the store. In the order of the keys: two processes that count at once cannot wait for each other. */
export function* addRefused(refused: Parameters<DataUserStore['addRefused']>[0]): Work<void> {
  const ids = among([...new Set(refused.map(({ taskId }) => taskId))]);
  const known = new Set(yield* idsOf(sql`SELECT task_id AS id FROM tasks WHERE task_id ${ids}`));
  const inOrder = Map.groupBy(refused, ({ taskId, code }) => `${taskId} ${code}`);
  const counted = [...inOrder.keys()].sort().flatMap((key) => inOrder.get(key)!);
  yield sql`
    INSERT INTO refusals (task_id, code, count, last_at)
      VALUES ${rows(counted.filter(({ taskId }) => known.has(taskId)).map(({ taskId, code, count, lastAt }) => [taskId, code, count, lastAt]))}
      ON CONFLICT (task_id, code) DO UPDATE SET count = refusals.count + excluded.count,
        last_at = ${GREATEST}(refusals.last_at, excluded.last_at)`;
}

/** See arrivals of the store. A contribution that is withdrawn between the statements stays where it was. */
export function* arrivals(taskId: TaskId, most: number) {
  const counted = yield* rowsOf<{ contributions: number; withdrawn: number | null }>(sql`
    SELECT tasks.contributions, gone.sequence AS withdrawn
      FROM tasks LEFT JOIN contributions AS gone ON gone.task_id = tasks.task_id AND gone.withdrawn
      WHERE tasks.task_id = ${taskId} ORDER BY gone.sequence`);
  const withdrawn = counted.flatMap((row) => row.withdrawn ?? []);
  const points = spread(counted[0]?.contributions ?? 0, withdrawn, most);
  const found = yield* rowsOf<{ sequence: number; receipt: string }>(sql`
    SELECT sequence, receipt FROM contributions
      WHERE task_id = ${taskId} AND sequence ${among(points.map(({ sequence }) => sequence))}`);
  const receipts = new Map(found.map(({ sequence, receipt }) => [sequence, receipt]));
  return points.map(({ sequence, contributions }) => ({ receipt: receipts.get(sequence)!, contributions }));
}
