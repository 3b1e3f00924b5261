/** Rows of the data user's tables in PostgreSQL, and what they hold. */
import type { PostgresQueries } from '@eigenveil/server';
import type { Task, TaskId } from '@eigenveil/task';
import type { Digest, OwnerId, TaskState } from '@eigenveil/wire';
import type {
  Activity,
  Entered,
  Fixation,
  ListedTask,
  StoredDrawn,
  StoredTask,
  WatchedTask,
} from './store.ts';

interface TaskRow {
  readonly task: string;
  readonly state: TaskState;
  readonly agreement: string | null;
  readonly last_sequence: number;
  readonly contributions: number;
  readonly projection: string | null;
  readonly provenance: string;
  readonly failure: string | null;
  readonly timings: string;
  readonly entered: string;
  readonly activity: string;
  readonly fixation: string | null;
  readonly faults: number;
  readonly records_sent: number;
  readonly ended_at_csp: boolean;
}

export interface ContributionRow {
  readonly owner_id: OwnerId;
  readonly digest: Digest;
  readonly receipt: string;
  readonly withdrawn: boolean;
}

/** A task that nobody else can decide about until the transaction ends. */
export async function lock(db: PostgresQueries, taskId: TaskId): Promise<StoredTask | undefined> {
  return read(db, taskId, 'FOR NO KEY UPDATE');
}

/** A task as it is. */
export async function read(
  db: PostgresQueries,
  taskId: TaskId,
  locking: '' | 'FOR SHARE' | 'FOR NO KEY UPDATE' = '',
): Promise<StoredTask | undefined> {
  const text = `
    SELECT task, state, agreement, last_sequence, contributions, projection, provenance, failure, timings, entered,
      activity, fixation, faults, records_sent, ended_at_csp
    FROM tasks WHERE task_id = $1 ${locking}`;
  const row = (await db.query<TaskRow>({ text, values: [taskId] })).rows[0];
  if (row === undefined) return undefined;
  return {
    ...shownOf(row),
    agreement: row.agreement,
    projection: row.projection,
    provenance: JSON.parse(row.provenance) as StoredTask['provenance'],
    faults: row.faults,
    recordsSent: row.records_sent,
    endedAtCsp: row.ended_at_csp,
  };
}

/** See drawn of the store. */
export async function drawnOf(
  db: PostgresQueries,
  taskId: TaskId,
  member: keyof StoredDrawn,
): Promise<Uint8Array | null> {
  const column = member === 'blinded' ? 'blinded' : 'sealed_blinding';
  const text = `SELECT ${column} AS bytes FROM tasks WHERE task_id = $1`;
  const { rows } = await db.query<{ bytes: Uint8Array | null }>({ text, values: [taskId] });
  return rows[0]?.bytes ?? null;
}

/** What is shown of a task while it goes on. */
export type ShownRow = Pick<
  TaskRow,
  | 'task'
  | 'state'
  | 'contributions'
  | 'last_sequence'
  | 'failure'
  | 'timings'
  | 'entered'
  | 'activity'
  | 'fixation'
>;

export function shownOf(row: ShownRow): Omit<WatchedTask, 'refused'> {
  return {
    task: JSON.parse(row.task) as Task,
    state: row.state,
    contributions: row.contributions,
    lastSequence: row.last_sequence,
    failure: row.failure === null ? null : (JSON.parse(row.failure) as StoredTask['failure']),
    timings: JSON.parse(row.timings) as Record<string, number>,
    entered: JSON.parse(row.entered) as Entered,
    activity: JSON.parse(row.activity) as Activity,
    fixation: row.fixation === null ? null : (JSON.parse(row.fixation) as Fixation),
  };
}

type ListedRow = Pick<TaskRow, 'task' | 'state' | 'contributions'>;

/** See tasks of the store. */
export async function list(db: PostgresQueries, before: TaskId | null, limit: number): Promise<ListedTask[]> {
  const { rows } = await db.query<ListedRow>({
    text: `
      SELECT task, state, contributions FROM tasks
      WHERE $1::text IS NULL OR number < (SELECT number FROM tasks WHERE task_id = $1) ORDER BY number DESC LIMIT $2`,
    values: [before, limit],
  });
  return rows.map(listed);
}

/** See closingTasks of the store. */
export async function closing(db: PostgresQueries): Promise<ListedTask[]> {
  const text = `
    SELECT task, state, contributions FROM tasks WHERE state = 'open' AND task::jsonb -> 'closes' IS NOT NULL`;
  return (await db.query<ListedRow>({ text })).rows.map(listed);
}

function listed(row: ListedRow): ListedTask {
  return { ...row, task: JSON.parse(row.task) as Task };
}
