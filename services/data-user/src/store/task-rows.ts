/** Reads what the rows of tasks hold, and what the console shows of them, counted in the database. */

import {
  among,
  fragment,
  GREATEST,
  json,
  LOCKED,
  named,
  rowOf,
  rows,
  rowsOf,
  SHARED,
  sql,
  type Work,
} from '@eigenveil/server';
import { likeness } from '@eigenveil/statistics/owner';
import type { Task, TaskId } from '@eigenveil/task';
import type { Digest, ErrorCode, TaskState } from '@eigenveil/wire';
import { spread } from './rules.ts';
import type {
  Activity,
  DataUserStore,
  Entered,
  Fixation,
  ListedTask,
  StoredDrawn,
  StoredOwner,
  StoredProvenance,
  StoredTask,
  WatchedTask,
} from './store.ts';

/** The work that is done for a task at the moment. The one process of a SQLite database has it in memory. */
const ACTIVITY = fragment({ sqlite: `'{}' AS activity`, postgres: 'activity' });
/** Says in an UPDATE of a task that nothing is done for it any more. */
export const IDLE = fragment({ sqlite: '', postgres: `, activity = '{}'` });
/** The number by whose order tasks were proposed. */
const NUMBER = fragment({ sqlite: 'rowid', postgres: 'number' });
/** The function that gives the place of a text within another: 1 for the empty text, 0 where it is not there. */
const PLACE = fragment({ sqlite: 'instr', postgres: 'strpos' });
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

/**
 * A task about which nobody can decide until the transaction ends. Others may hold it like this at the same
 * time.
 */
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
export function* listTasks({
  before,
  sought,
  limit,
}: Parameters<DataUserStore['tasks']>[0]): Work<ListedTask[]> {
  const earlier =
    before === null ? sql`` : sql`AND ${NUMBER} < (SELECT ${NUMBER} FROM tasks WHERE task_id = ${before})`;
  const rows = yield* rowsOf<ListedRow>(sql`
    SELECT task, state, contributions FROM tasks WHERE ${PLACE}(sought, ${likeness(sought)}) > 0 ${earlier}
      ORDER BY ${NUMBER} DESC LIMIT ${limit}`);
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

/** See watched of the store: what is shown of a task while it goes on, except what was refused. */
function* shownTask(taskId: TaskId): Work<Omit<WatchedTask, 'refused'> | undefined> {
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

/**
 * See addRefused of the store. In the order of the keys: two processes that count at once cannot wait for
 * each other.
 */
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
