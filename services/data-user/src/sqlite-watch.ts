/** What the console shows of a task, read from SQLite and counted there. */
import type { SQLOutputValue, StatementSync } from 'node:sqlite';
import type { Task, TaskId } from '@eigenveil/task';
import type { OwnerId, TaskState } from '@eigenveil/wire';
import type {
  Activity,
  DataUserStore,
  Entered,
  Fixation,
  ListedTask,
  Refused,
  StoredOwner,
  StoredTask,
  WatchedTask,
} from './store.ts';
import { spread } from './store-rules.ts';

/** A statement that is compiled once. */
export type Prepare = (sql: string) => StatementSync;

export function watched(prepare: Prepare, taskId: TaskId): WatchedTask | undefined {
  const row = prepare(
    `SELECT task, state, contributions, last_sequence, failure, timings, entered, activity, fixation
       FROM tasks WHERE task_id = ?`,
  ).get(taskId);
  if (row === undefined) return undefined;
  const refused = prepare(
    'SELECT code, count, last_at AS lastAt FROM refusals WHERE task_id = ? ORDER BY count DESC, code',
  ).all(taskId) as unknown as Refused[];
  return { ...shownOf(row), refused: refused.map((it) => ({ ...it })) };
}

/** What of a task's row stands in a list. */
export function listed(row: Readonly<Record<string, SQLOutputValue>>): ListedTask {
  return {
    task: JSON.parse(row.task as string) as Task,
    state: row.state as TaskState,
    contributions: row.contributions as number,
  };
}

/** What of a task's row is shown while it goes on. */
export function shownOf(row: Readonly<Record<string, SQLOutputValue>>): Omit<WatchedTask, 'refused'> {
  return {
    ...listed(row),
    lastSequence: row.last_sequence as number,
    failure: row.failure === null ? null : (JSON.parse(row.failure as string) as StoredTask['failure']),
    timings: JSON.parse(row.timings as string) as Record<string, number>,
    entered: JSON.parse(row.entered as string) as Entered,
    activity: JSON.parse(row.activity as string) as Activity,
    fixation: row.fixation === null ? null : (JSON.parse(row.fixation as string) as Fixation),
  };
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
