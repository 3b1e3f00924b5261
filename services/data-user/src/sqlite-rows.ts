/** Rows of the data user's tasks in SQLite, and what they hold. */
import type { SQLOutputValue, StatementSync } from 'node:sqlite';
import type { Task, TaskId } from '@eigenveil/task';
import type { TaskState } from '@eigenveil/wire';
import type {
  Entered,
  Fixation,
  ListedTask,
  StoredDrawn,
  StoredProvenance,
  StoredTask,
  WatchedTask,
} from './store.ts';

/** A statement that is compiled once. */
export type Prepare = (sql: string) => StatementSync;

/** A task as it is. Its columns are named, since what was drawn for it is not read by the way. */
export function readTask(prepare: Prepare, taskId: TaskId): Omit<StoredTask, 'activity'> | undefined {
  const row = prepare(
    `SELECT task, state, agreement, last_sequence, contributions, projection, provenance, failure, timings,
         entered, fixation, faults, records_sent, ended_at_csp
       FROM tasks WHERE task_id = ?`,
  ).get(taskId);
  if (row === undefined) return undefined;
  return {
    ...shownOf(row),
    agreement: row.agreement as string | null,
    projection: row.projection as string | null,
    provenance: JSON.parse(row.provenance as string) as StoredProvenance,
    faults: row.faults as number,
    recordsSent: row.records_sent as number,
    endedAtCsp: row.ended_at_csp === 1,
  };
}

/** See state of the store. */
export function stateOf(prepare: Prepare, taskId: TaskId): TaskState | undefined {
  return prepare('SELECT state FROM tasks WHERE task_id = ?').get(taskId)?.state as TaskState | undefined;
}

/** See drawn of the store. */
export function drawnOf(prepare: Prepare, taskId: TaskId, member: keyof StoredDrawn): Uint8Array | null {
  const column = member === 'blinded' ? 'blinded' : 'sealed_blinding';
  const row = prepare(`SELECT ${column} AS bytes FROM tasks WHERE task_id = ?`).get(taskId);
  return (row?.bytes ?? null) as Uint8Array | null;
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
export function shownOf(
  row: Readonly<Record<string, SQLOutputValue>>,
): Omit<WatchedTask, 'refused' | 'activity'> {
  return {
    ...listed(row),
    lastSequence: row.last_sequence as number,
    failure: row.failure === null ? null : (JSON.parse(row.failure as string) as StoredTask['failure']),
    timings: JSON.parse(row.timings as string) as Record<string, number>,
    entered: JSON.parse(row.entered as string) as Entered,
    fixation: row.fixation === null ? null : (JSON.parse(row.fixation as string) as Fixation),
  };
}
