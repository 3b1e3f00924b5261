/** Contributions that come in pieces. */
import { among, erasing, LOCKED_WITH_KEY, rowOf, rowsOf, SHARED, sql, type Work } from '@eigenveil/server';
import type { TaskId } from '@eigenveil/task';
import type { OwnerId } from '@eigenveil/wire';
import { contributionOf } from './contributions.ts';
import { isRevoked } from './revocations.ts';
import { held } from './rows.ts';
import { changeBy } from './rules.ts';
import type { NewPiece, StoredUpload } from './store.ts';

export function* uploadOf(taskId: TaskId, ownerId: OwnerId): Work<StoredUpload | undefined> {
  return yield* rowOf<StoredUpload>(
    sql`SELECT upload_id AS id, digest, pieces FROM ${uploadsOf(taskId, ownerId)}`,
  );
}

function uploadsOf(taskId: TaskId, ownerId: OwnerId) {
  return sql`uploads WHERE task_id = ${taskId} AND owner_id = ${ownerId}`;
}

/**
 * See addPiece of the store. The task is locked against whoever decides about it, not against other pieces. Two pieces of one owner's wait for each
 * other at the row of its upload, or at its key.
 */
export function* addPiece(taskId: TaskId, piece: NewPiece): Work<number> {
  const { ownerId, digest, number, bytes } = piece;
  const stored = yield* held(taskId);
  yield sql`SELECT 1 FROM ${uploadsOf(taskId, ownerId)} ${LOCKED_WITH_KEY}`;
  const upload = yield* uploadOf(taskId, ownerId);
  const known = yield* contributionOf(taskId, ownerId);
  const change = changeBy(piece, stored, known, upload, yield* isRevoked(ownerId));
  if (change === 'nothing') return upload?.pieces ?? 0;
  if (change === 'begins') {
    yield sql`DELETE FROM ${uploadsOf(taskId, ownerId)}`;
    // Of two processes that begin it at once the second finds the first one's, and begins anew.
    yield sql`
      INSERT INTO uploads (task_id, owner_id, digest, pieces) VALUES (${taskId}, ${ownerId}, ${digest}, 0)
        ON CONFLICT (task_id, owner_id) DO NOTHING`;
  }
  const counted = yield* rowOf<{ id: number }>(sql`
    UPDATE uploads SET pieces = pieces + 1
      WHERE task_id = ${taskId} AND owner_id = ${ownerId} AND digest = ${digest} AND pieces = ${number}
      RETURNING upload_id AS id`);
  if (counted === undefined) return (yield* uploadOf(taskId, ownerId))?.pieces ?? 0;
  yield sql`INSERT INTO upload_pieces (upload_id, number, bytes) VALUES (${counted.id}, ${number}, ${bytes})`;
  return number + 1;
}

export function* uploadedPiece(uploadId: number, number: number): Work<Uint8Array | undefined> {
  const piece = sql`SELECT bytes FROM upload_pieces WHERE upload_id = ${uploadId} AND number = ${number}`;
  return (yield* rowOf<{ bytes: Uint8Array }>(piece))?.bytes;
}

/** Deletes an upload that is not a contribution. */
export function* dropUpload(uploadId: number): Work<void> {
  yield sql`
    DELETE FROM uploads WHERE upload_id = ${uploadId} AND NOT EXISTS (SELECT 1 FROM contributions
      WHERE contributions.task_id = uploads.task_id AND contributions.owner_id = uploads.owner_id)`;
}

export function* removeUpload(taskId: TaskId, ownerId: OwnerId): Work<void> {
  yield erasing`DELETE FROM ${uploadsOf(taskId, ownerId)}`;
}

/** Which of these are there. They stay until the transaction ends. */
export function* uploadsAmong(ids: readonly number[]): Work<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const found = yield* rowsOf<{ id: number }>(
    sql`SELECT upload_id AS id FROM uploads WHERE upload_id ${among(ids)} ORDER BY upload_id ${SHARED}`,
  );
  return new Set(found.map(({ id }) => id));
}
