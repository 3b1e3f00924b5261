/**
 * A task's way from stage to stage, and through the batches of its aggregation: the ciphertexts that each is
 * of, and its product once it is complete.
 */

import { countOf, erasing, forgetAnswer, rowsOf, SHARED, sql, type Work } from '@eigenveil/server';
import type { Task, TaskId } from '@eigenveil/task';
import type { TaskState } from '@eigenveil/wire';
import {
  afterStage,
  checkMarked,
  closes,
  entering,
  requireFinal,
  soughtOf,
  textOfFixation,
} from './rules.ts';
import type { Fixation, PartialProduct, StageResult } from './store.ts';
import { IDLE, locked } from './task-rows.ts';

/** See insertTask of the store. */
export function* insertTask(task: Task): Work<void> {
  const [text, entered] = [JSON.stringify(task), JSON.stringify(entering('proposed'))];
  yield sql`
    INSERT INTO tasks (task_id, sought, task, state, entered)
      VALUES (${task.id}, ${soughtOf(task)}, ${text}, 'proposed', ${entered})
      ON CONFLICT (task_id) DO NOTHING`;
}

/** See openTask of the store. */
export function* openTask(taskId: TaskId, agreement: string): Work<boolean> {
  const stored = yield* locked(taskId);
  if (stored?.state !== 'proposed') return false;
  const entered = JSON.stringify(entering('open', stored));
  yield sql`
    UPDATE tasks SET state = 'open', agreement = ${agreement}, entered = ${entered} ${IDLE} WHERE task_id = ${taskId}`;
  return true;
}

/** See closeTask of the store. */
export function* closeTask(taskId: TaskId, byItself?: Date): Work<boolean> {
  const stored = yield* locked(taskId);
  if (!closes(stored, byItself)) return false;
  const entered = JSON.stringify(entering('closed', stored));
  yield sql`UPDATE tasks SET state = 'closed', entered = ${entered} ${IDLE} WHERE task_id = ${taskId}`;
  return true;
}

/** See setFixation of the store. */
export function* setFixation(taskId: TaskId, from: Fixation | null, to: Fixation | null): Work<boolean> {
  const owners = to === null ? sql`` : sql`AND contributions = ${to.verifiedOwners}`;
  const changed = yield* countOf(sql`
    UPDATE tasks SET fixation = ${textOfFixation(to)}
      WHERE task_id = ${taskId} AND state = 'closed'
        AND fixation IS NOT DISTINCT FROM ${textOfFixation(from)} ${owners}`);
  return changed === 1;
}

/** See advance of the store. */
export function* advance(taskId: TaskId, from: TaskState, result: StageResult): Work<boolean> {
  const stored = yield* locked(taskId);
  if (stored?.state !== from) return false;
  const after = afterStage(stored, result);
  const { sealedBlinding, blinded, failure } = after;
  const [update, drawn] = after.isFinal
    ? [erasing, sql`sealed_blinding = NULL, blinded = NULL`]
    : [
        sql,
        sql`sealed_blinding = coalesce(${sealedBlinding}, sealed_blinding), blinded = coalesce(${blinded}, blinded)`,
      ];
  yield update`
    UPDATE tasks SET state = ${after.state}, projection = ${after.projection},
        provenance = ${JSON.stringify(after.provenance)}, failure = ${failure && JSON.stringify(failure)},
        timings = ${JSON.stringify(after.timings)}, entered = ${JSON.stringify(after.entered)}, ${drawn} ${IDLE}
      WHERE task_id = ${taskId}`;
  if (from === 'unblinded') yield* forgetAnswer(taskId);
  return true;
}

/**
 * See eraseContributions of the store. The task is locked, or two processes would choose the same rows and
 * one of them would say that none are left.
 */
export function* eraseContributions(taskId: TaskId, limit: number): Work<boolean> {
  requireFinal(yield* locked(taskId));
  const bodies = yield* countOf(erasing`
    DELETE FROM contribution_bodies WHERE task_id = ${taskId} AND owner_id IN
      (SELECT owner_id FROM contribution_bodies WHERE task_id = ${taskId} LIMIT ${limit})`);
  const products = yield* countOf(erasing`
    DELETE FROM partial_products WHERE task_id = ${taskId} AND batch IN
      (SELECT batch FROM partial_products WHERE task_id = ${taskId} LIMIT ${limit})`);
  const uploads = yield* countOf(erasing`
    DELETE FROM uploads WHERE upload_id IN (SELECT upload_id FROM uploads WHERE task_id = ${taskId} LIMIT 1)`);
  return bodies + products + uploads > 0;
}

/** See markEndedAtCsp of the store. */
export function* markEndedAtCsp(taskId: TaskId): Work<boolean> {
  return (yield* countOf(sql`UPDATE tasks SET ended_at_csp = true ${IDLE} WHERE task_id = ${taskId}`)) > 0;
}

/**
 * See setActivity of the store. Without a text, which is the activity as JSON, only checks whether something
 * is left to do; returns that.
 */
export function* setActivity(taskId: TaskId, text: string | undefined): Work<boolean> {
  const found =
    text === undefined
      ? sql`SELECT 1 FROM tasks WHERE task_id = ${taskId} AND NOT ended_at_csp`
      : sql`UPDATE tasks SET activity = ${text} WHERE task_id = ${taskId} AND NOT ended_at_csp`;
  return (yield* countOf(found)) > 0;
}

/** See ciphertexts of the store. */
export function* ciphertextsOf(
  taskId: TaskId,
  after: number,
  last: number,
  limit: number,
  piece: number | undefined,
) {
  const bodies =
    piece === undefined
      ? sql`JOIN contribution_bodies USING (task_id, owner_id)`
      : sql`JOIN uploads USING (task_id, owner_id) JOIN upload_pieces ON upload_pieces.upload_id = uploads.upload_id
          AND number = ${piece}`;
  const found = yield* rowsOf<{ sequence: number; bytes: Uint8Array }>(sql`
    SELECT sequence, bytes FROM contributions ${bodies}
      WHERE task_id = ${taskId} AND sequence > ${after} AND sequence <= ${last} AND NOT withdrawn
      ORDER BY sequence LIMIT ${limit}`);
  return [...found];
}

/** See completeBatch of the store. */
export function* completeBatch(taskId: TaskId, product: PartialProduct): Work<boolean> {
  const { batch, contributions, bytes, pieces = [] } = product;
  // Shared: batches are completed side by side, but none while the task moves on.
  const closed = sql`SELECT 1 FROM tasks WHERE task_id = ${taskId} AND state = 'closed' ${SHARED}`;
  if ((yield* countOf(closed)) === 0) return false;
  const inserted = yield* countOf(sql`
    INSERT INTO partial_products (task_id, batch, first_sequence, last_sequence, contributions, bytes)
      VALUES (${taskId}, ${batch.number}, ${batch.first}, ${batch.last}, ${contributions}, ${bytes})
      ON CONFLICT (task_id, batch) DO NOTHING`);
  if (inserted === 0) return false;
  const marked = yield* countOf(sql`
    UPDATE contributions SET batch = ${batch.number}
      WHERE task_id = ${taskId} AND sequence BETWEEN ${batch.first} AND ${batch.last} AND NOT withdrawn AND batch IS NULL`);
  checkMarked(product, marked);
  for (const [number, piece] of pieces.entries())
    yield sql`
      INSERT INTO product_pieces (task_id, batch, number, bytes) VALUES (${taskId}, ${batch.number}, ${number}, ${piece})`;
  return true;
}

/** See completedBatches of the store. */
export function* completedBatches(taskId: TaskId): Work<number[]> {
  const completed = sql`SELECT batch FROM partial_products WHERE task_id = ${taskId} ORDER BY batch`;
  return (yield* rowsOf<{ batch: number }>(completed)).map(({ batch }) => batch);
}

/** See partialProducts of the store. */
export function* partialProducts(
  taskId: TaskId,
  after: number,
  limit: number,
  piece = -1,
): Work<PartialProduct[]> {
  type Row = { number: number; first: number; last: number; contributions: number; bytes: Uint8Array | null };
  const found = yield* rowsOf<Row>(sql`
    SELECT batch AS number, first_sequence AS first, last_sequence AS last, contributions,
        coalesce(whole.bytes, (SELECT bytes FROM product_pieces AS piece
          WHERE piece.task_id = whole.task_id AND piece.batch = whole.batch AND number = ${piece})) AS bytes
      FROM partial_products AS whole WHERE task_id = ${taskId} AND batch > ${after} ORDER BY batch LIMIT ${limit}`);
  return found.map(({ contributions, bytes, ...batch }) => ({ batch, contributions, bytes }));
}
