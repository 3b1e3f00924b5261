/** Owners come into a task with their contributions, and leave it. */
import type { CodedError } from '@eigenveil/platform';
import { among, countOf, rowOf, rows, rowsOf, sql, type Work } from '@eigenveil/server';
import type { TaskId } from '@eigenveil/task';
import type { OwnerId } from '@eigenveil/wire';
import { contributionOf, deleteBodies, insertBodies, writeBodies } from './contributions.ts';
import { locked } from './rows.ts';
import { admit, withdrawalOf } from './rules.ts';
import type { NewContribution, StoredContribution } from './store.ts';
import { removeUpload, uploadsAmong } from './uploads.ts';

/**
 * See insertContributions of the store. Where several processes share the database, the bodies, which are large, are written before the task is
 * locked: the processes do that side by side. What is then not admitted is deleted again in the same transaction.
 */
export function* insertContributions(
  taskId: TaskId,
  contributions: readonly NewContribution[],
  isShared: boolean,
): Work<(StoredContribution | CodedError)[]> {
  const written = isShared && (yield* mayTake(taskId)) ? yield* writeBodies(taskId, contributions) : [];
  const stored = yield* locked(taskId);
  const owners = contributions.map(({ ownerId }) => ownerId);
  const { earlier, revoked } = yield* knownOf(taskId, owners);
  const uploads = yield* uploadsAmong(contributions.flatMap(({ uploadId }) => uploadId ?? []));
  const { outcomes, fresh } = admit(stored, earlier, contributions, revoked, uploads);
  yield sql`
    INSERT INTO contributions (task_id, owner_id, sequence, digest, receipt)
      VALUES ${rows(fresh.map(({ sequence, contribution: { ownerId, digest, receipt } }) => [taskId, ownerId, sequence, digest, receipt]))}`;
  const admitted = fresh.map(({ contribution }) => contribution);
  if (isShared) yield* keepBodies(taskId, written, admitted);
  else yield insertBodies(taskId, admitted);
  if (fresh.length > 0)
    yield sql`
      UPDATE tasks SET contributions = contributions + ${fresh.length}, last_sequence = last_sequence + ${fresh.length}
        WHERE task_id = ${taskId}`;
  return outcomes;
}

/** Deletes the bodies that were written of contributions that were then not admitted. */
function* keepBodies(
  taskId: TaskId,
  written: readonly OwnerId[],
  admitted: readonly NewContribution[],
): Work<void> {
  const taken = new Set(admitted.map(({ ownerId }) => ownerId));
  const refused = written.filter((ownerId) => !taken.has(ownerId));
  const kept = written.length - refused.length;
  if (kept !== taken.size) throw new Error(`expected the bodies of ${taken.size} contributions, got ${kept}`);
  if (refused.length > 0) yield* deleteBodies(taskId, refused);
}

/** What these owners have in the task, and who of them is revoked; at once, since others wait for the task. */
function* knownOf(taskId: TaskId, owners: readonly OwnerId[]) {
  const found = yield* rowsOf<StoredContribution & { readonly revoked: boolean | number }>(sql`
    SELECT owner_id AS "ownerId", digest, receipt, withdrawn, false AS revoked FROM contributions
      WHERE task_id = ${taskId} AND owner_id ${among(owners)}
    UNION ALL SELECT owner_id, '', '', false, true FROM revoked_owners WHERE owner_id ${among(owners)}`);
  const [earlier, revoked] = [false, true].map((isRevoked) =>
    found.filter((row) => Boolean(row.revoked) === isRevoked),
  );
  return {
    earlier: earlier!.map(({ revoked: _, ...row }) => ({ ...row, withdrawn: Boolean(row.withdrawn) })),
    revoked: new Set(revoked!.map(({ ownerId }) => ownerId)),
  };
}

/** Whether a task may take contributions by the time it is locked. */
function* mayTake(taskId: TaskId): Work<boolean> {
  const open = sql`SELECT 1 FROM tasks WHERE task_id = ${taskId} AND state IN ('proposed', 'open')`;
  return (yield* countOf(open)) > 0;
}

/** See withdraw of the store. */
export function* withdraw(taskId: TaskId, ownerId: OwnerId): Work<void> {
  const stored = yield* locked(taskId);
  const change = withdrawalOf(stored, yield* contributionOf(taskId, ownerId));
  if (change === 'nothing') return;
  yield* removeUpload(taskId, ownerId);
  if (change === 'only a mark') return yield* markWithdrawn(taskId, ownerId);
  yield sql`UPDATE contributions SET withdrawn = true WHERE task_id = ${taskId} AND owner_id = ${ownerId}`;
  yield* deleteBodies(taskId, [ownerId]);
  yield sql`UPDATE tasks SET contributions = contributions - 1 WHERE task_id = ${taskId}`;
}

/** Marks an owner who withdraws before anything of it has come. */
function* markWithdrawn(taskId: TaskId, ownerId: OwnerId): Work<void> {
  const numbered = sql`
    UPDATE tasks SET last_sequence = last_sequence + 1 WHERE task_id = ${taskId} RETURNING last_sequence AS sequence`;
  const { sequence } = (yield* rowOf<{ sequence: number }>(numbered))!;
  yield sql`
    INSERT INTO contributions (task_id, owner_id, sequence, digest, receipt, withdrawn)
      VALUES (${taskId}, ${ownerId}, ${sequence}, '', '', true)`;
}
