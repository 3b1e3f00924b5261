/** A task's way from stage to stage. */
import { countOf, erasing, forgetAnswer, sql, type Work } from '@eigenveil/server';
import type { Task, TaskId } from '@eigenveil/task';
import type { TaskState } from '@eigenveil/wire';
import { IDLE, locked } from './rows.ts';
import { afterStage, closes, entering, requireFinal, textOfFixation } from './rules.ts';
import type { Fixation, StageResult } from './store.ts';

/** See insertTask of the store. */
export function* insertTask(task: Task): Work<void> {
  const [text, entered] = [JSON.stringify(task), JSON.stringify(entering('proposed'))];
  yield sql`
    INSERT INTO tasks (task_id, task, state, entered) VALUES (${task.id}, ${text}, 'proposed', ${entered})
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

/** See eraseContributions of the store. The task is locked, or two processes would choose the same rows and one of them would say that none are left. */
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

/** See setActivity of the store. Without a text, which is the activity as JSON, only looks whether something is left to do; returns that. */
export function* setActivity(taskId: TaskId, text: string | undefined): Work<boolean> {
  const found =
    text === undefined
      ? sql`SELECT 1 FROM tasks WHERE task_id = ${taskId} AND NOT ended_at_csp`
      : sql`UPDATE tasks SET activity = ${text} WHERE task_id = ${taskId} AND NOT ended_at_csp`;
  return (yield* countOf(found)) > 0;
}
