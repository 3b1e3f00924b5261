/** Rows of the data user's tasks, and what they hold. */
import { fragment, json, LOCKED, named, rowOf, rowsOf, SHARED, sql, type Work } from '@eigenveil/server';
import type { Task, TaskId } from '@eigenveil/task';
import type { Digest, TaskState } from '@eigenveil/wire';
import type {
  Activity,
  Entered,
  Fixation,
  ListedTask,
  StoredDrawn,
  StoredProvenance,
  StoredTask,
  WatchedTask,
} from './store.ts';

/** What is done for a task at the moment. The one process of a SQLite database has it in memory. */
const ACTIVITY = fragment({ sqlite: `'{}' AS activity`, postgres: 'activity' });
/** In an UPDATE of a task: nothing is done for it any more. */
export const IDLE = fragment({ sqlite: '', postgres: `, activity = '{}'` });
/** In the order of which tasks were proposed. */
const NUMBER = fragment({ sqlite: 'rowid', postgres: 'number' });
const UNLOCKED = fragment({ sqlite: '', postgres: '' });

type ListedRow = { readonly task: string; readonly state: TaskState; readonly contributions: number };
type ShownRow = ListedRow & {
  readonly last_sequence: number;
  readonly failure: string | null;
  readonly timings: string;
  readonly entered: string;
  readonly activity: string;
  readonly fixation: string | null;
};
type TaskRow = ShownRow & {
  readonly agreement: string | null;
  readonly projection: string | null;
  readonly provenance: string;
  readonly faults: number;
  readonly records_sent: number;
  readonly ended_at_csp: boolean | number;
};

const SHOWN = sql`task, state, contributions, last_sequence, failure, timings, entered, fixation, ${ACTIVITY}`;

/** A task that nobody else can decide about until the transaction ends. */
export function locked(taskId: TaskId): Work<StoredTask | undefined> {
  return readTask(taskId, LOCKED);
}

/** A task about which nobody can decide until the transaction ends. Others may hold it like this at the same time. */
export function held(taskId: TaskId): Work<StoredTask | undefined> {
  return readTask(taskId, SHARED);
}

/** A task as it is. Its columns are named, since what was drawn for it is not read by the way. */
export function* readTask(taskId: TaskId, lock = UNLOCKED): Work<StoredTask | undefined> {
  const row = yield* rowOf<TaskRow>(sql`
    SELECT ${SHOWN}, agreement, projection, provenance, faults, records_sent, ended_at_csp
      FROM tasks WHERE task_id = ${taskId} ${lock}`);
  return (
    row && {
      ...shownOf(row),
      agreement: row.agreement,
      projection: row.projection,
      provenance: JSON.parse(row.provenance) as StoredProvenance,
      faults: row.faults,
      recordsSent: row.records_sent,
      endedAtCsp: Boolean(row.ended_at_csp),
    }
  );
}

/** See state of the store. */
export function* stateOf(taskId: TaskId): Work<TaskState | undefined> {
  return (yield* rowOf<{ state: TaskState }>(sql`SELECT state FROM tasks WHERE task_id = ${taskId}`))?.state;
}

/** See drawn of the store. */
export function* drawnOf(taskId: TaskId, member: keyof StoredDrawn): Work<Uint8Array | null> {
  const column = named(member === 'blinded' ? 'blinded' : 'sealed_blinding');
  const drawn = sql`SELECT ${column} AS bytes FROM tasks WHERE task_id = ${taskId}`;
  return (yield* rowOf<{ bytes: Uint8Array | null }>(drawn))?.bytes ?? null;
}

/** See tasks of the store. */
export function* listTasks(before: TaskId | null, limit: number): Work<ListedTask[]> {
  const earlier =
    before === null ? sql`` : sql`WHERE ${NUMBER} < (SELECT ${NUMBER} FROM tasks WHERE task_id = ${before})`;
  const rows = yield* rowsOf<ListedRow>(
    sql`SELECT task, state, contributions FROM tasks ${earlier} ORDER BY ${NUMBER} DESC LIMIT ${limit}`,
  );
  return rows.map(listed);
}

/** See closingTasks of the store. */
export function* closingTasks(): Work<ListedTask[]> {
  const rows = yield* rowsOf<ListedRow>(sql`
    SELECT task, state, contributions FROM tasks
      WHERE state = 'open' AND ${json('task')} -> 'closes' IS NOT NULL`);
  return rows.map(listed);
}

/** See taskOfProjection of the store. */
export function* taskOfProjection(digest: Digest): Work<StoredTask | undefined> {
  const found = sql`
    SELECT task_id AS id FROM tasks
      WHERE state = 'done' AND ${json('provenance')} ->> 'projectionDigest' = ${digest}`;
  const row = yield* rowOf<{ id: TaskId }>(found);
  return row && (yield* readTask(row.id));
}

/** The tasks whose ids a statement gives as `id`. */
export function* idsOf(statement: ReturnType<typeof sql>): Work<TaskId[]> {
  return (yield* rowsOf<{ id: TaskId }>(statement)).map(({ id }) => id);
}

/** See watched of the store: what is shown of a task while it goes on, but for what was refused. */
export function* shownTask(taskId: TaskId): Work<Omit<WatchedTask, 'refused'> | undefined> {
  const row = yield* rowOf<ShownRow>(sql`SELECT ${SHOWN} FROM tasks WHERE task_id = ${taskId}`);
  return row && shownOf(row);
}

function listed({ task, state, contributions }: ListedRow): ListedTask {
  return { task: JSON.parse(task) as Task, state, contributions };
}

function shownOf(row: ShownRow): Omit<WatchedTask, 'refused'> {
  return {
    ...listed(row),
    lastSequence: row.last_sequence,
    failure: row.failure === null ? null : (JSON.parse(row.failure) as StoredTask['failure']),
    timings: JSON.parse(row.timings) as Record<string, number>,
    entered: JSON.parse(row.entered) as Entered,
    activity: JSON.parse(row.activity) as Activity,
    fixation: row.fixation === null ? null : (JSON.parse(row.fixation) as Fixation),
  };
}
