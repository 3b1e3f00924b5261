/** What the console shows of a task, read from SQLite and counted there. */
import type { TaskId } from '@eigenveil/task';
import type { OwnerId } from '@eigenveil/wire';
import { type Prepare, shownOf } from './sqlite-rows.ts';
import type { DataUserStore, Refused, StoredOwner, WatchedTask } from './store.ts';
import { spread } from './store-rules.ts';

export function watched(prepare: Prepare, taskId: TaskId): Omit<WatchedTask, 'activity'> | undefined {
  const row = prepare(
    `SELECT task, state, contributions, last_sequence, failure, timings, entered, fixation
       FROM tasks WHERE task_id = ?`,
  ).get(taskId);
  if (row === undefined) return undefined;
  const refused = prepare(
    'SELECT code, count, last_at AS lastAt FROM refusals WHERE task_id = ? ORDER BY count DESC, code',
  ).all(taskId) as unknown as Refused[];
  return { ...shownOf(row), refused: refused.map((it) => ({ ...it })) };
}

/** See owners of the store. */
export function ownersOf(prepare: Prepare, taskId: TaskId, after: number, limit: number): StoredOwner[] {
  const rows = prepare(
    `SELECT sequence, owner_id, receipt, withdrawn FROM contributions WHERE task_id = ? AND sequence > ?
       ORDER BY sequence LIMIT ?`,
  ).all(taskId, after, limit);
  return rows.map((row) => ({
    sequence: row.sequence as number,
    ownerId: row.owner_id as OwnerId,
    receipt: row.receipt as string,
    withdrawn: row.withdrawn === 1,
  }));
}

/** Within a transaction. */
export function addRefused(prepare: Prepare, refused: Parameters<DataUserStore['addRefused']>[0]): void {
  for (const { taskId, code, count, lastAt } of refused)
    prepare(
      `INSERT INTO refusals (task_id, code, count, last_at) SELECT task_id, ?, ?, ? FROM tasks WHERE task_id = ?
         ON CONFLICT (task_id, code) DO UPDATE
         SET count = count + excluded.count, last_at = max(last_at, excluded.last_at)`,
    ).run(code, count, lastAt, taskId);
}

/** See arrivals of the store. Nothing else comes between its statements: they are synchronous, and the file has one process. */
export function arrivals(prepare: Prepare, taskId: TaskId, most: number) {
  const task = prepare('SELECT contributions FROM tasks WHERE task_id = ?').get(taskId);
  const withdrawn = prepare(
    'SELECT sequence FROM contributions WHERE task_id = ? AND withdrawn = 1 ORDER BY sequence',
  ).all(taskId);
  const points = spread(
    Number(task?.contributions ?? 0),
    withdrawn.map(({ sequence }) => sequence as number),
    most,
  );
  const receipt = prepare('SELECT receipt FROM contributions WHERE task_id = ? AND sequence = ?');
  return points.map(({ sequence, contributions }) => ({
    receipt: receipt.get(taskId, sequence)!.receipt as string,
    contributions,
  }));
}
